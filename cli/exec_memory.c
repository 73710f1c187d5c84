#include "exec_memory.h"

#include "computing.h"

#include <string.h>

enum { KILLED = 137, ASK_MS = 10000 };

static bool has_lacked(const struct exec_job *job)
{
    struct app *app = job->run->app;
    const sbx_computer_opts opts = {
        .size = sizeof(opts), .timeout_ms = ASK_MS, .cancel = app->cancel};
    AUTO_COMPUTING_ADDRESS address = {0};
    sbx_computer *computer = NULL;
    sbx_session *session = NULL;
    sbx_error err = {0};
    bool lacked = false;

    if (computing_address_read(job->place, &address, &err) == SBX_OK &&
        sbx_pool_acquire(app->pool, address.place, app->cancel, &session, &err) ==
            SBX_OK &&
        sbx_computer_show(session, address.name, &opts, &computer, &err) == SBX_OK)
        lacked = computer->out_of_memory != 0;
    sbx_computer_free(computer);
    sbx_session_free(session);
    return lacked;
}

void exec_memory_say(const struct exec_job *job)
{
    if (job->code < 0 || strchr(job->place, '/') == NULL ||
        sbx_exec_status(job->result) != KILLED || !has_lacked(job))
        return;
    out_note("%s: it ran out of memory, now or before", job->place);
}
