#include "shell_keys.h"

#include "out.h"
#include "shell_escape.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 4096 };

struct shell_keys {
    pthread_t thread;
    sbx_cancel *cancel;
    int keys[2]; /* what is for the shell */
    int stop[2]; /* its writing end is closed when it is time to go */
    bool left;   /* the thread's, until that has ended */
};

static const char help[] = "~?\r\n"
                           "Behind Enter:\r\n"
                           "  ~.  ends the connection\r\n"
                           "  ~~  is a tilde\r\n"
                           "  ~?  is this help\r\n";

/* False when it is time to go. */
static bool wait_for(const struct shell_keys *keys, int fd, short events)
{
    struct pollfd fds[2] = {{fd, events, 0}, {keys->stop[0], POLLIN, 0}};

    while (poll(fds, 2, -1) < 0)
        if (errno != EINTR && errno != EAGAIN)
            return false;
    return fds[1].revents == 0;
}

static bool send_keys(const struct shell_keys *keys, const char *sent, size_t length)
{
    while (length > 0) {
        ssize_t n = write(keys->keys[1], sent, length);

        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (n < 0 && !wait_for(keys, keys->keys[1], POLLOUT))
            return false;
        if (n > 0) {
            sent += n;
            length -= (size_t)n;
        }
    }
    return true;
}

/* False when there is no more to read. */
static bool take_keys(struct shell_keys *keys, struct shell_escape *state,
                      const char *typed, size_t length)
{
    char sent[PIECE + 1];
    size_t sent_length;
    size_t taken;
    int order;

    for (; length > 0; typed += taken, length -= taken) {
        taken = shell_escape_read(state, typed, length, sent, &sent_length, &order);
        if (!send_keys(keys, sent, sent_length))
            return false;
        if (order == SHELL_HELP)
            (void)out_write(STDOUT_FILENO, help, strlen(help));
        if (order == SHELL_LEAVE) {
            keys->left = true;
            sbx_cancel_fire(keys->cancel);
            return false;
        }
    }
    return true;
}

static void *read_keys(void *userdata)
{
    struct shell_keys *keys = userdata;
    struct shell_escape state = {0};
    char typed[PIECE];
    ssize_t n;

    while (wait_for(keys, STDIN_FILENO, POLLIN)) {
        n = read(STDIN_FILENO, typed, sizeof(typed));
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0) {
            sbx_cancel_fire(keys->cancel);
            break;
        }
        if (!take_keys(keys, &state, typed, (size_t)n))
            break;
    }
    return NULL;
}

static void close_all(struct shell_keys *keys)
{
    own_close(&keys->keys[0]);
    own_close(&keys->keys[1]);
    own_close(&keys->stop[0]);
    own_close(&keys->stop[1]);
    free(keys);
}

int shell_keys_open(sbx_cancel *cancel, struct shell_keys **out, sbx_error *err)
{
    struct shell_keys *keys = own_zeroed(1, sizeof(*keys));
    int failed;

    *keys = (struct shell_keys){
        .cancel = cancel, .keys = {-1, -1}, .stop = {-1, -1}, .left = false};
    failed =
        pipe2(keys->keys, O_CLOEXEC | O_NONBLOCK) < 0 || pipe2(keys->stop, O_CLOEXEC) < 0
            ? errno
            : pthread_create(&keys->thread, NULL, read_keys, keys);
    if (failed == 0) {
        *out = keys;
        return SBX_OK;
    }
    close_all(keys);
    errno = failed;
    return fault_errno(err, SBX_ERR_IO, "read the keyboard");
}

int shell_keys_fd(const struct shell_keys *keys)
{
    return keys->keys[0];
}

bool shell_keys_close(struct shell_keys *keys)
{
    bool left;

    if (keys == NULL)
        return false;
    own_close(&keys->stop[1]);
    keys->stop[1] = -1;
    (void)pthread_join(keys->thread, NULL);
    left = keys->left;
    close_all(keys);
    return left;
}
