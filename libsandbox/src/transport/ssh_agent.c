/* ssh_agent.c - one connection to an agent: messages out, messages in, its keys. */
#include "transport/ssh_agent.h"

#include "base/cleanup.h"
#include "base/wait.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define MOST_KEYS 1024

void sbi_wire_add_u32(struct sbi_str *message, uint32_t number)
{
    const unsigned char bytes[4] = {(unsigned char)(number >> 24),
                                    (unsigned char)(number >> 16),
                                    (unsigned char)(number >> 8), (unsigned char)number};

    sbi_str_add_bytes(message, bytes, sizeof(bytes));
}

void sbi_wire_add_string(struct sbi_str *message, const void *bytes, size_t length)
{
    sbi_wire_add_u32(message, (uint32_t)length);
    sbi_str_add_bytes(message, bytes, length);
}

bool sbi_wire_take_u32(const char **at, size_t *left, uint32_t *number)
{
    unsigned char bytes[4];

    if (*left < sizeof(bytes))
        return false;
    memcpy(bytes, *at, sizeof(bytes));
    *number = ((uint32_t)bytes[0] << 24) | ((uint32_t)bytes[1] << 16) |
              ((uint32_t)bytes[2] << 8) | bytes[3];
    *at += sizeof(bytes);
    *left -= sizeof(bytes);
    return true;
}

bool sbi_wire_take_string(const char **at, size_t *left, const char **bytes,
                          size_t *length)
{
    uint32_t number;

    if (!sbi_wire_take_u32(at, left, &number) || number > *left)
        return false;
    *bytes = *at;
    *length = number;
    *at += number;
    *left -= number;
    return true;
}

static int send_bytes(int fd, const char *bytes, size_t length, int64_t deadline,
                      sbx_cancel *cancel)
{
    struct pollfd ready = {fd, POLLOUT, 0};
    ssize_t sent;
    int rc;

    while (length > 0) {
        sent = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return SBX_ERR_DISCONNECTED;
        rc = sent < 0 ? sbi_wait_any(&ready, 1, deadline, cancel) : SBX_OK;
        if (rc < 0)
            return rc;
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
        }
    }
    return SBX_OK;
}

static int receive_bytes(int fd, char *bytes, size_t length, int64_t deadline,
                         sbx_cancel *cancel)
{
    ssize_t got;
    int rc;

    while (length > 0) {
        got = recv(fd, bytes, length, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return SBX_ERR_DISCONNECTED;
        rc = got < 0 ? sbi_wait_readable(fd, deadline, cancel) : SBX_OK;
        if (rc < 0)
            return rc;
        if (got > 0) {
            bytes += got;
            length -= (size_t)got;
        }
    }
    return SBX_OK;
}

int sbi_agent_send(int fd, const struct sbi_str *message, int64_t deadline,
                   sbx_cancel *cancel)
{
    SBI_AUTO_STR framed = {.limit = SBI_AGENT_LIMIT + 4};

    sbi_wire_add_string(&framed, message->data, message->length);
    if (message->status < 0 || framed.status < 0)
        return SBX_ERR_LIMIT;
    return send_bytes(fd, framed.data, framed.length, deadline, cancel);
}

int sbi_agent_receive(int fd, struct sbi_str *message, int64_t deadline,
                      sbx_cancel *cancel)
{
    char head[4], piece[4096];
    const char *at = head;
    size_t left = sizeof(head);
    uint32_t length = 0;
    int rc;

    sbi_str_clear(message);
    rc = receive_bytes(fd, head, sizeof(head), deadline, cancel);
    if (rc == SBX_OK && (!sbi_wire_take_u32(&at, &left, &length) || length == 0 ||
                         length > SBI_AGENT_LIMIT))
        rc = SBX_ERR_LIMIT;
    while (rc == SBX_OK && length > 0) {
        left = length < sizeof(piece) ? length : sizeof(piece);
        rc = receive_bytes(fd, piece, left, deadline, cancel);
        if (rc == SBX_OK)
            sbi_str_add_bytes(message, piece, left);
        length -= (uint32_t)left;
    }
    return rc < 0 ? rc : message->status;
}

static int explain(int rc, sbx_error *err)
{
    switch (rc) {
    case SBX_ERR_TIMEOUT:
        return sbi_fail(err, rc, "ask the agent: no answer in time");
    case SBX_ERR_CANCELLED:
        return sbi_fail(err, rc, "ask the agent: cancelled");
    case SBX_ERR_DISCONNECTED:
        return sbi_fail(err, rc, "ask the agent: it hung up");
    default:
        return sbi_fail(err, rc, "ask the agent: no message of an agent's");
    }
}

int sbi_agent_ask(struct sbi_agent *agent, const struct sbi_str *message,
                  int64_t deadline, sbx_cancel *cancel, struct sbi_str *answer,
                  sbx_error *err)
{
    int rc = sbi_agent_send(agent->fd, message, deadline, cancel);

    if (rc == SBX_OK)
        rc = sbi_agent_receive(agent->fd, answer, deadline, cancel);
    return rc < 0 ? explain(rc, err) : SBX_OK;
}

/* A unix socket is connected at once, or its queue is full and it says EAGAIN. */
int sbi_agent_dial(const char *path, int *out, sbx_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    SBI_AUTOCLOSE int fd = -1;

    if (strlen(path) >= sizeof(address.sun_path))
        return sbi_fail(err, SBX_ERR_CONFIG, "agent socket '%s': its path is too long",
                        path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return sbi_fail_errno(err, SBX_ERR_CONNECT, "connect to the agent '%s'", path);
    *out = fd;
    fd = -1;
    return SBX_OK;
}

static int copy_key(const char *blob, size_t length, const char *comment,
                    size_t comment_length, struct sbi_agent_key *out)
{
    out->blob = malloc(length + 1);
    out->comment = strndup(comment, comment_length);
    out->length = length;
    if (out->blob == NULL || out->comment == NULL)
        return SBX_ERR_NO_MEMORY;
    memcpy(out->blob, blob, length);
    return SBX_OK;
}

static int take_keys(struct sbi_agent *agent, const struct sbi_str *answer)
{
    const char *at = answer->data + 1, *blob, *comment;
    size_t left = answer->length - 1, length, comment_length;
    uint32_t count, i;
    int rc = SBX_OK;

    if (answer->data[0] != SBI_AGENT_KEYS || !sbi_wire_take_u32(&at, &left, &count) ||
        count > MOST_KEYS)
        return SBX_ERR_REMOTE;
    agent->keys = calloc(count + 1, sizeof(*agent->keys));
    if (agent->keys == NULL)
        return SBX_ERR_NO_MEMORY;
    for (i = 0; i < count && rc == SBX_OK; i++) {
        if (!sbi_wire_take_string(&at, &left, &blob, &length) ||
            !sbi_wire_take_string(&at, &left, &comment, &comment_length))
            return SBX_ERR_REMOTE;
        agent->count++;
        rc = copy_key(blob, length, comment, comment_length, &agent->keys[i]);
    }
    return rc;
}

static int list_keys(struct sbi_agent *agent, int64_t deadline, sbx_cancel *cancel,
                     sbx_error *err)
{
    SBI_AUTO_STR question = {0};
    SBI_AUTO_STR answer = {0};
    const char type = SBI_AGENT_LIST;
    int rc;

    sbi_str_add_bytes(&question, &type, 1);
    rc = sbi_agent_ask(agent, &question, deadline, cancel, &answer, err);
    if (rc < 0)
        return rc;
    rc = take_keys(agent, &answer);
    return rc < 0 ? sbi_fail(err, rc, "ask the agent: it does not list its keys")
                  : SBX_OK;
}

static void clear_agent(struct sbi_agent **agent)
{
    sbi_agent_free(*agent);
}

int sbi_agent_open(const char *path, int64_t deadline, sbx_cancel *cancel,
                   struct sbi_agent **out, sbx_error *err)
{
    SBI_CLEANUP(clear_agent) struct sbi_agent *agent = calloc(1, sizeof(*agent));
    int rc;

    if (agent == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    agent->fd = -1;
    rc = sbi_agent_dial(path, &agent->fd, err);
    if (rc == SBX_OK)
        rc = list_keys(agent, deadline, cancel, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(agent);
    return rc;
}

void sbi_agent_free(struct sbi_agent *agent)
{
    size_t i;

    if (agent == NULL)
        return;
    for (i = 0; i < agent->count; i++) {
        free(agent->keys[i].blob);
        free(agent->keys[i].comment);
    }
    free(agent->keys);
    sbi_close_fd(&agent->fd);
    free(agent);
}
