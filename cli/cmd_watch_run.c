/* cmd_watch_run.c - `watch run` and `watch status`: the watchdog itself. */
#include "cmd.h"
#include "interrupt.h"
#include "watch_find.h"
#include "watchdog.h"

#include <sandbox/task.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { LET_GO_MS = 700 }; /* from the signal to the end, whatever is under way */

struct values {
    int64_t interval_ms;
    int64_t command_ms;
    int64_t once;
    int64_t until_idle;
    int64_t stand_by;
};

#define AT(member) offsetof(struct values, member)

static const struct opt run_options[] = {
    {0, "interval", "SECONDS", OPT_SECONDS, AT(interval_ms),
     "Between two looks at a place, a tenth more or less; 300 by default", NULL, 0, 0,
     NULL},
    {0, "command-limit", "SECONDS", OPT_SECONDS, AT(command_ms),
     "End an event command after this time; 60 by default", NULL, 0, 0, NULL},
    {0, "once", NULL, OPT_FLAG, AT(once),
     "Look once at each place, tell what is due, and end", NULL, 0, 0, NULL},
    {0, "until-idle", NULL, OPT_FLAG, AT(until_idle),
     "End when nothing is left to watch or to tell", NULL, 0, 0, NULL},
    {0, "stand-by", NULL, OPT_FLAG, AT(stand_by),
     "Where a watchdog runs already, wait until it ends", NULL, 0, 0, NULL},
    OPT_END,
};

/*
 * Everything that lasts is in the ledger, and whole: so the program may end while a place
 * is still being let go of.
 */
static int end_soon(sbx_cancel *cancel, void *userdata, sbx_error *err)
{
    struct pollfd fds[2] = {{.fd = interrupt_fd(), .events = POLLIN},
                            {.fd = *(int *)userdata, .events = POLLIN}};

    (void)cancel;
    (void)err;
    while (poll(fds, 2, -1) < 0)
        continue;
    if (fds[1].revents == 0 && poll(&fds[1], 1, LET_GO_MS) == 0)
        _exit(0);
    return SBX_OK;
}

static int watch(struct app *app, const struct values *values, sbx_error *err)
{
    const sbx_watch_run_opts opts = {
        .size = sizeof(opts),
        .flags = (values->once ? SBX_WATCH_ONCE : 0U) |
                 (values->until_idle ? SBX_WATCH_UNTIL_IDLE : 0U) |
                 (values->stand_by ? SBX_WATCH_STAND_BY : 0U),
        .interval_ms = values->interval_ms,
        .command_ms = values->command_ms,
        .cancel = app->cancel};
    sbx_ledger *ledger = NULL;
    sbx_task *ending = NULL;
    int done[2] = {-1, -1};
    int rc = sbx_ledger_open(NULL, &ledger, err);

    if (rc == SBX_OK && pipe2(done, O_CLOEXEC) < 0)
        rc = fault_errno(err, SBX_ERR_IO, "open a pipe");
    if (rc == SBX_OK)
        rc = sbx_task_start(end_soon, &done[0], NULL, &ending, err);
    if (rc == SBX_OK)
        rc = sbx_watch_run(ledger, &opts, err);
    own_close(&done[1]);
    sbx_task_free(ending);
    own_close(&done[0]);
    sbx_ledger_close(ledger);
    return rc;
}

static int run_run(struct app *app, const void *values, const struct words *operands)
{
    sbx_error err = {0};
    int rc = interrupt_catch(app->program, app->cancel, &err);

    (void)operands;
    if (rc == SBX_OK)
        rc = watch(app, values, &err);
    if (rc == SBX_ERR_EXISTS)
        return (void)app_failed(app, &err), 1;
    return rc < 0 ? app_failed(app, &err) : 0;
}

static void print_status(const struct app *app, const sbx_watch_status *status,
                         const char *unit, bool installed)
{
    AUTO_TEXT line = {0};

    if (app->json) {
        text_addf(&line,
                  "{\"running\":%s,\"pid\":%lld,\"installed\":%s,\"watches\":%lld,"
                  "\"waiting\":%lld,\"undelivered\":%lld,\"unit\":",
                  status->running ? "true" : "false", (long long)status->pid,
                  installed ? "true" : "false", (long long)status->watches,
                  (long long)status->waiting, (long long)status->undelivered);
        text_add_json(&line, unit);
        (void)printf("%s}\n", line.data);
        return;
    }
    if (status->running)
        (void)printf("a watchdog runs, as process %lld\n", (long long)status->pid);
    else
        (void)printf("no watchdog runs\n");
    (void)printf("%s: %s\n", installed ? "installed" : "not installed", unit);
    (void)printf("%lld watches, %lld deliveries to make, %lld given up\n",
                 (long long)status->watches, (long long)status->waiting,
                 (long long)status->undelivered);
}

static int tell_status(struct app *app, sbx_ledger *ledger, const void *values,
                       const struct words *operands, sbx_error *err)
{
    sbx_watch_status status = {.size = sizeof(status)};
    AUTO_TEXT unit = {0};
    int rc = sbx_watch_status_read(ledger, &status, err);

    (void)values;
    (void)operands;
    if (rc == SBX_OK)
        rc = watchdog_unit_path(watchdog_system(), &unit, err);
    if (rc < 0)
        return rc;
    print_status(app, &status, unit.data, access(unit.data, F_OK) == 0);
    return status.running ? 0 : 1;
}

static int run_status(struct app *app, const void *values, const struct words *operands)
{
    return watch_on_ledger(app, values, operands, tell_status);
}

const struct cmd cmd_watch_run = {
    .name = "watch run",
    .usage = "[OPTION]...",
    .help = "Be the watchdog, here, until a signal comes",
    .about =
        "Asks each place once a round, writes what happened, and tells. One watchdog of a "
        "user works at a time; the status is 1 where one does already. It may be killed at "
        "any instant.",
    .examples = "watch run\nwatch run --once\nwatch -v run --interval 60",
    .options = run_options,
    .values_size = sizeof(struct values),
    .run = run_run,
};

const struct cmd cmd_watch_status = {
    .name = "watch status",
    .usage = "",
    .help = "Tell whether a watchdog runs, and what it has to do",
    .about = "The status is 0 where one runs, else 1.",
    .examples = "watch status\nwatch status --json",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .run = run_status,
};
