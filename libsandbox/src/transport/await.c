#include "transport/await.h"

#include "base/wait.h"

int sbi_await_connection(struct sbi_process *process, int64_t deadline,
                         sbx_cancel *cancel, sbx_error *err)
{
    struct pollfd fds[4];
    struct sbi_end end;
    int rc = SBX_OK;

    while (rc == SBX_OK) {
        if (sbi_process_end(process, &end)) {
            if (err != NULL)
                *err = end.error;
            return end.error.code;
        }
        if (end.sent)
            return SBX_OK;
        rc =
            sbi_wait_any(fds, sbi_process_poll(process, false, fds, 4), deadline, cancel);
    }
    return sbi_fail(err, rc, "open a connection from there: %s",
                    rc == SBX_ERR_CANCELLED ? "cancelled" : "no answer in time");
}
