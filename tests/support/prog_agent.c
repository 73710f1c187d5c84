/*
 * prog_agent.c - stands before a real ssh-agent and misbehaves.
 *
 *     prog_agent SOCKET REAL_SOCKET HOW
 *
 * HOW is one of
 *     silent         takes connections and answers nothing
 *     silent-sign    lists its keys, and does not answer when it is to sign
 *     refuse-sign    lists its keys, and refuses to sign
 *     strange        lists keys of unknown types ahead of the real ones
 *     garbage        answers with bytes that are no message
 *
 * It serves one connection at a time and ends when it is killed.
 */
#include "transport/ssh_agent.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_on(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, 16) < 0)
        return -1;
    return fd;
}

static void add_byte(struct sbi_str *message, int byte)
{
    const char value = (char)byte;

    sbi_str_add_bytes(message, &value, 1);
}

static void list_strange(const struct sbi_agent *real, struct sbi_str *answer)
{
    static const char post_quantum[] = "\0\0\0\x0cssh-quantum@\0\0\0\4abcd";
    size_t i;

    add_byte(answer, SBI_AGENT_KEYS);
    sbi_wire_add_u32(answer, (uint32_t)real->count + 3);
    sbi_wire_add_string(answer, post_quantum, sizeof(post_quantum) - 1);
    sbi_wire_add_string(answer, "of the future", 13);
    sbi_wire_add_string(answer, "", 0);
    sbi_wire_add_string(answer, "empty", 5);
    sbi_wire_add_string(answer, "\xff\xff\xff\xff", 4);
    sbi_wire_add_string(answer, "\x1b[31m", 5);
    for (i = 0; i < real->count; i++) {
        sbi_wire_add_string(answer, real->keys[i].blob, real->keys[i].length);
        sbi_wire_add_string(answer, real->keys[i].comment, strlen(real->keys[i].comment));
    }
}

/* False: no answer is given. */
static bool answer(struct sbi_agent *real, const char *how, const struct sbi_str *request,
                   struct sbi_str *reply)
{
    bool signing = request->data[0] == SBI_AGENT_SIGN;

    if (strcmp(how, "silent") == 0 || (signing && strcmp(how, "silent-sign") == 0))
        return false;
    if (strcmp(how, "garbage") == 0)
        sbi_str_add(reply, "\x0c\xff\xff\xff\xff garbage");
    else if (signing && strcmp(how, "refuse-sign") == 0)
        add_byte(reply, SBI_AGENT_FAILURE);
    else if (!signing && strcmp(how, "strange") == 0)
        list_strange(real, reply);
    else
        return sbi_agent_ask(real, request, sbi_deadline(10000), NULL, reply, NULL) ==
               SBX_OK;
    return true;
}

static void serve(int fd, struct sbi_agent *real, const char *how)
{
    struct sbi_str request = {0}, reply = {0};

    while (sbi_agent_receive(fd, &request, SBI_NEVER, NULL) == SBX_OK) {
        sbi_str_clear(&reply);
        if (answer(real, how, &request, &reply))
            (void)sbi_agent_send(fd, &reply, SBI_NEVER, NULL);
    }
    sbi_str_clear(&request);
    sbi_str_clear(&reply);
    (void)close(fd);
}

int main(int argc, char **argv)
{
    struct sbi_agent *real = NULL;
    sbx_error err = {0};
    int listener, fd;

    if (argc != 4)
        return 2;
    if (sbi_agent_open(argv[2], sbi_deadline(10000), NULL, &real, &err) < 0) {
        (void)fprintf(stderr, "prog_agent: %s\n", err.text);
        return 1;
    }
    listener = listen_on(argv[1]);
    while (listener >= 0 && (fd = accept(listener, NULL, NULL)) >= 0)
        serve(fd, real, argv[3]);
    perror("prog_agent");
    return 1;
}
