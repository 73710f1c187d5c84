/* choose.c - which place is taken, and waiting for one. */
#include "run/steps.h"

#include "base/clock.h"
#include "base/strv.h"
#include "base/wait.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TAKE_TRIES 10 /* others may be quicker at each of the GPUs of a host */

void sbi_steps_note(struct sbi_steps *steps, const char *format, ...)
{
    char text[512];
    va_list args;

    if (steps->opts.on_note == NULL)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (steps->opts.on_note(text, steps->opts.userdata) != 0)
        steps->stopped = true;
}

int sbi_steps_rest(const struct sbi_steps *steps, int64_t ms, sbx_error *err)
{
    int rc = steps->stopped ? SBX_ERR_CANCELLED
                            : sbi_wait_readable(-1, sbi_deadline(ms), steps->opts.cancel);

    return rc == SBX_ERR_CANCELLED ? sbi_fail(err, rc, "wait: cancelled") : SBX_OK;
}

static int ask(struct sbi_steps *steps, sbx_error *err)
{
    const sbx_pick_ask_opts opts = {.size = sizeof(opts),
                                    .place_ms = steps->opts.place_ms,
                                    .cancel = steps->opts.cancel};
    int rc;

    sbx_pick_result_free(SBI_STEAL(steps->choice));
    sbx_pick_told_free(SBI_STEAL(steps->told));
    rc = sbx_pick_ask(steps->pool, (const char *const *)steps->places, &opts,
                      &steps->told, err);
    if (rc == SBX_OK && sbx_cancel_fired(steps->opts.cancel))
        rc = sbi_fail(err, SBX_ERR_CANCELLED, "choose a place: cancelled");
    if (rc == SBX_OK)
        rc = sbx_pick(steps->told->items, steps->told->count, steps->opts.need,
                      &steps->choice, err);
    return rc;
}

static int none_fits(const struct sbi_steps *steps, sbx_error *err)
{
    int rc = sbi_fail(err, SBX_ERR_NOT_FOUND, "none of %zu places has what is needed",
                      steps->choice->row_count);

    return sbi_fix(err, rc, NULL, "--wait, or sbx pick --explain ...");
}

static int choose(struct sbi_steps *steps, int64_t deadline, bool *told, sbx_error *err)
{
    const sbx_run_opts *opts = &steps->opts;
    int rc;

    for (;;) {
        rc = ask(steps, err);
        if (rc < 0 || steps->choice->place != NULL)
            return rc;
        if ((opts->flags & SBX_RUN_WAIT) == 0 || (opts->flags & SBX_RUN_DRY) != 0 ||
            sbi_left_ms(deadline) == 0)
            return none_fits(steps, err);
        if (!*told)
            sbi_steps_note(steps,
                           "none of %zu places has what is needed yet; asked again every "
                           "%lld s",
                           steps->choice->row_count, (long long)(opts->again_ms / 1000));
        *told = true;
        rc = sbi_steps_rest(steps, opts->again_ms, err);
        if (rc < 0)
            return rc;
    }
}

/* What the run shows of the choice. */
static int name(struct sbi_steps *steps, sbx_error *err)
{
    const sbx_pick_row *row = steps->choice->rows[0];
    struct sbi_steps_run *run = steps->run;
    const char *driver;
    size_t i;
    int rc = SBX_OK;

    free(SBI_STEAL(run->place));
    free(SBI_STEAL(run->driver));
    sbi_strv_clear(&run->gpus);
    run->place = strdup(row->place);
    for (i = 0; i < row->gpu_count && rc == SBX_OK; i++)
        rc = sbi_strv_add(&run->gpus, row->gpus[i], err);
    driver = sbi_steps_driver(steps);
    if (driver != NULL)
        run->driver = strdup(driver);
    if (run->place == NULL || (driver != NULL && run->driver == NULL))
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return rc;
}

static int open_and_take(struct sbi_steps *steps, sbx_error *err)
{
    int rc;

    sbx_session_free(SBI_STEAL(steps->session));
    rc = sbx_pool_acquire(steps->pool, steps->run->place, steps->opts.cancel,
                          &steps->session, err);
    return rc < 0 ? rc : sbi_steps_take(steps, err);
}

/* A GPU that was free may be another's by the time it is asked for: then choose again. */
int sbi_steps_choose(struct sbi_steps *steps, sbx_error *err)
{
    int64_t deadline =
        steps->opts.wait_ms > 0 ? sbi_deadline(steps->opts.wait_ms) : SBI_NEVER;
    sbx_error last = {0};
    bool told = false;
    int tries, rc = SBX_OK;

    for (tries = 0; tries < TAKE_TRIES; tries++) {
        last = (sbx_error){0};
        rc = choose(steps, deadline, &told, &last);
        if (rc == SBX_OK)
            rc = name(steps, &last);
        if (rc == SBX_OK && (steps->opts.flags & SBX_RUN_DRY) == 0)
            rc = open_and_take(steps, &last);
        if (rc != SBX_ERR_CONFLICT)
            break;
    }
    if (rc < 0 && err != NULL)
        *err = last;
    return rc;
}
