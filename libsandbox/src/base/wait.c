#include "base/wait.h"

#include "base/clock.h"

#include <string.h>

#define MOST 12

int sbi_wait_any(struct pollfd *fds, size_t count, int64_t deadline, sbx_cancel *cancel)
{
    struct pollfd all[MOST + 1];
    int ready;

    memcpy(all, fds, count * sizeof(*fds));
    all[count] = (struct pollfd){sbi_cancel_fd(cancel), POLLIN, 0};
    for (;;) {
        ready = poll(all, count + 1, sbi_left_ms(deadline));
        if (ready > 0)
            break;
        if (sbi_left_ms(deadline) == 0)
            return SBX_ERR_TIMEOUT;
    }
    memcpy(fds, all, count * sizeof(*fds));
    return sbx_cancel_fired(cancel) ? SBX_ERR_CANCELLED : SBX_OK;
}

int sbi_wait_readable(int fd, int64_t deadline, sbx_cancel *cancel)
{
    struct pollfd one = {fd, POLLIN, 0};

    return sbi_wait_any(&one, 1, deadline, cancel);
}
