#include "transport/mux_talk.h"

#include "base/cleanup.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define PIECE 4096

void sbi_mux_talk_clear(struct sbi_mux_talk *talk)
{
    for (; talk->passed < talk->pass_count; talk->passed++)
        sbi_close_fd(&talk->pass[talk->passed]);
    while (talk->got_count > 0)
        sbi_close_fd(&talk->got[--talk->got_count]);
    sbi_close_fd(&talk->fd);
    sbi_str_clear(&talk->in);
    sbi_str_clear(&talk->out);
    *talk = (struct sbi_mux_talk)SBI_MUX_NO_TALK;
}

static int connect_to(int fd, const char *path, sbx_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof(address.sun_path))
        return sbi_fail(err, SBX_ERR_CONNECT, "control socket '%s': its path is too long",
                        path);
    memcpy(address.sun_path, path, strlen(path));
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return sbi_fail_errno(err, SBX_ERR_CONNECT, "control socket '%s'", path);
    return SBX_OK;
}

static int check_peer(struct sbi_mux_talk *talk, const char *path, sbx_error *err)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);

    if (getsockopt(talk->fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
        return sbi_fail_errno(err, SBX_ERR_CONNECT, "control socket '%s'", path);
    if (peer.uid != geteuid())
        return sbi_fail(err, SBX_ERR_CONNECT, "control socket '%s': user %lu has it",
                        path, (unsigned long)peer.uid);
    talk->pid = peer.pid;
    return SBX_OK;
}

static void greet(struct sbi_mux_talk *talk)
{
    const uint32_t version = SBI_MUX_VERSION;

    talk->in.limit = 2 * SBI_MUX_LONGEST;
    talk->out.limit = 2 * SBI_MUX_LONGEST;
    sbi_mux_add(&talk->out, SBI_MUX_HELLO, &version, 1, NULL);
    sbi_mux_talk_flush(talk);
}

int sbi_mux_talk_open(struct sbi_mux_talk *talk, const char *path, sbx_error *err)
{
    int rc;

    *talk = (struct sbi_mux_talk)SBI_MUX_NO_TALK;
    talk->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (talk->fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open a socket");
    rc = connect_to(talk->fd, path, err);
    if (rc == SBX_OK)
        rc = check_peer(talk, path, err);
    if (rc < 0)
        sbi_mux_talk_clear(talk);
    else
        greet(talk);
    return rc;
}

int sbi_mux_talk_accept(struct sbi_mux_talk *talk, int fd, sbx_error *err)
{
    int rc;

    *talk = (struct sbi_mux_talk)SBI_MUX_NO_TALK;
    talk->fd = fd;
    rc = check_peer(talk, "of a client", err);
    if (rc < 0)
        sbi_mux_talk_clear(talk);
    else
        greet(talk);
    return rc;
}

static void pass(struct sbi_mux_talk *talk, const int *fds, size_t count)
{
    memcpy(talk->pass, fds, count * sizeof(*fds));
    talk->pass_count = count;
    talk->passed = 0;
    sbi_mux_talk_flush(talk);
}

void sbi_mux_talk_ask_session(struct sbi_mux_talk *talk,
                              const struct sbi_mux_session *session, const int fds[3])
{
    sbi_mux_add_session(&talk->out, session);
    pass(talk, fds, 3);
}

void sbi_mux_talk_ask_forward(struct sbi_mux_talk *talk, const char *host, int port,
                              const int fds[2])
{
    sbi_mux_add_forward(&talk->out, host, port);
    pass(talk, fds, 2);
}

void sbi_mux_talk_ask_alive(struct sbi_mux_talk *talk)
{
    const uint32_t id = 0;

    sbi_mux_add(&talk->out, SBI_MUX_ALIVE_CHECK, &id, 1, NULL);
    sbi_mux_talk_flush(talk);
}

/* A descriptor travels with one byte of its own. */
static ssize_t pass_one(int fd, int passed)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    char byte = '\0';
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof(passed));
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

/* A full socket is tried again; any other failure is the master's end, which is read. */
static bool went(struct sbi_mux_talk *talk, ssize_t sent)
{
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        talk->deaf = true;
    return sent > 0;
}

void sbi_mux_talk_flush(struct sbi_mux_talk *talk)
{
    ssize_t sent = 1;

    if (talk->out.status != SBX_OK || talk->fd < 0)
        talk->deaf = true;
    while (!talk->deaf && sent > 0 && talk->written < talk->out.length) {
        sent = send(talk->fd, talk->out.data + talk->written,
                    talk->out.length - talk->written, MSG_NOSIGNAL);
        if (went(talk, sent))
            talk->written += (size_t)sent;
    }
    while (!talk->deaf && sent > 0 && talk->passed < talk->pass_count) {
        sent = pass_one(talk->fd, talk->pass[talk->passed]);
        if (went(talk, sent))
            sbi_close_fd(&talk->pass[talk->passed++]);
    }
}

static void keep_descriptors(struct sbi_mux_talk *talk, struct msghdr *message)
{
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    size_t i, count;
    int fd;

    if (header == NULL || header->cmsg_level != SOL_SOCKET ||
        header->cmsg_type != SCM_RIGHTS)
        return;
    count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
    for (i = 0; i < count; i++) {
        memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
        if (talk->got_count < 3)
            talk->got[talk->got_count++] = fd;
        else
            (void)close(fd);
    }
}

static bool receive(struct sbi_mux_talk *talk)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(talk->got))];
    } control = {.room = {0}};
    char bytes[PIECE];
    struct iovec piece = {bytes, sizeof(bytes)};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};
    ssize_t got = recvmsg(talk->fd, &message, MSG_CMSG_CLOEXEC);

    if (got > 0) {
        keep_descriptors(talk, &message);
        sbi_str_add_bytes(&talk->in, bytes, (size_t)got);
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
        talk->in.status != SBX_OK)
        talk->over = true;
    return got > 0 && !talk->over;
}

static void drop_read(struct sbi_mux_talk *talk)
{
    if (talk->read == 0)
        return;
    memmove(talk->in.data, talk->in.data + talk->read, talk->in.length - talk->read);
    talk->in.length -= talk->read;
    talk->read = 0;
}

bool sbi_mux_talk_take(struct sbi_mux_talk *talk, int *fds, size_t count)
{
    drop_read(talk);
    while ((talk->in.length < count || talk->got_count < count) && receive(talk))
        continue;
    if (talk->in.length < count || talk->got_count < count)
        return false;
    memcpy(fds, talk->got, count * sizeof(*fds));
    memmove(talk->got, talk->got + count, (talk->got_count - count) * sizeof(*fds));
    talk->got_count -= count;
    talk->read = count;
    drop_read(talk);
    return true;
}

bool sbi_mux_talk_read(struct sbi_mux_talk *talk, struct sbi_mux_message *out)
{
    int parsed = SBI_MUX_PART;

    while (talk->fd >= 0) {
        drop_read(talk);
        if (talk->in.length > 0)
            parsed = sbi_mux_parse(talk->in.data, talk->in.length, out, &talk->read);
        if (parsed == SBI_MUX_BROKEN)
            talk->over = true;
        if (parsed == SBI_MUX_WHOLE && out->type != SBI_MUX_HELLO)
            return true;
        if (parsed == SBI_MUX_WHOLE && out->id != SBI_MUX_VERSION)
            talk->over = true;
        else if (parsed == SBI_MUX_WHOLE)
            talk->greeted = true;
        if (talk->over || (parsed != SBI_MUX_WHOLE && !receive(talk)))
            return false;
        parsed = SBI_MUX_PART;
    }
    return false;
}

short sbi_mux_talk_events(const struct sbi_mux_talk *talk)
{
    bool writes = talk->written < talk->out.length || talk->passed < talk->pass_count;

    return (short)(writes && !talk->deaf ? POLLIN | POLLOUT : POLLIN);
}
