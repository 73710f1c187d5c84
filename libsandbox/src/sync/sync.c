/* sync.c - the public calls: options checked, a plan made, carried out, and told of. */
#include <sandbox/sync.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/opts.h"
#include "sync/pull.h"
#include "sync/push.h"
#include "sync/sync_lock.h"
#include "sync/sync_told.h"

#include <string.h>

static const uint64_t known_flags =
    SBX_SYNC_DELETE | SBX_SYNC_FORCE | SBX_SYNC_CHECKSUM | SBX_SYNC_GIT | SBX_SYNC_FOLLOW;

static int read_opts(const sbx_sync_opts *theirs, sbx_sync_opts *opts, sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc < 0)
        return rc;
    if ((opts->flags & ~known_flags) != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "flags 0x%llx: some are unknown here",
                        (unsigned long long)opts->flags);
    if ((opts->flags & SBX_SYNC_FORCE) != 0 && (opts->flags & SBX_SYNC_DELETE) == 0)
        return sbi_fail(err, SBX_ERR_INVALID, "force is given, and nothing to delete");
    if (opts->plan != NULL && strlen(opts->plan) != 64)
        return sbi_fail(err, SBX_ERR_INVALID, "no token of a plan: '%.80s'", opts->plan);
    return SBX_OK;
}

static int check_roots(sbx_session *session, int direction, const char *local,
                       const char *remote, sbx_error *err)
{
    if (session == NULL || local == NULL || remote == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "sync: %s",
                        session == NULL ? "no session" : "a path is missing");
    if (direction != SBX_SYNC_PUSH && direction != SBX_SYNC_PULL)
        return sbi_fail(err, SBX_ERR_INVALID, "sync: no direction %d", direction);
    if (strlen(local) > SBI_TREE_PATH_LIMIT || strlen(remote) > SBI_TREE_PATH_LIMIT)
        return sbi_fail(err, SBX_ERR_INVALID, "sync: a path is over %d bytes",
                        SBI_TREE_PATH_LIMIT);
    return SBX_OK;
}

static int begin(struct sbi_sync *sync, sbx_session *session, const char *local,
                 const char *remote, const sbx_sync_opts *opts, sbx_error *err)
{
    sync->session = sbx_session_hold(session);
    sync->flags = opts->flags;
    sync->cancel = opts->cancel;
    sync->progress.fn = opts->on_progress;
    sync->progress.userdata = opts->userdata;
    sync->progress.started = sbi_now_ms();
    sync->local = strdup(local[0] == '\0' ? "." : local);
    sync->remote = strdup(remote);
    if (sync->local == NULL || sync->remote == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return SBX_OK;
}

/* One that looks first and acts later cannot wait: what it has seen would be old. */
static int lock(struct sbi_sync *sync, bool waits, sbx_error *err)
{
    bool pull = sync->direction == SBX_SYNC_PULL;
    SBI_AUTOFREE char *real = pull ? realpath(sync->local, NULL) : NULL;
    const struct sbi_sync_target target = {
        .place = pull ? NULL : sbx_session_place(sync->session),
        .path = real != NULL ? real
                : pull       ? sync->local
                             : sync->remote,
        .waits = waits,
        .cancel = sync->cancel};
    int fd = -1;
    int rc = sync->locked ? SBX_OK : sbi_sync_lock(&target, &fd, err);

    if (rc < 0 || sync->locked)
        return rc;
    sync->locked = true;
    sync->lock = fd;
    return SBX_OK;
}

static int wrap(const struct sbi_sync *sync, int rc, sbx_error *err)
{
    char name[300];

    (void)sbi_sync_far_name(sync, name, sizeof(name));
    return sync->direction == SBX_SYNC_PUSH
               ? sbi_wrap(err, rc, "push '%s' to '%s'", sync->local, name)
               : sbi_wrap(err, rc, "pull '%s' to '%s'", name, sync->local);
}

static int plan_new(sbx_session *session, int direction, const char *local,
                    const char *remote, const sbx_sync_opts *theirs, bool at_once,
                    sbx_sync_plan **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_sync_plan_clear) sbx_sync_plan *plan = NULL;
    sbx_sync_opts opts;
    int rc = check_roots(session, direction, local, remote, err);

    if (rc == SBX_OK)
        rc = read_opts(theirs, &opts, err);
    if (rc < 0)
        return rc;
    plan = calloc(1, sizeof(*plan));
    if (plan == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    plan->sync.direction = direction;
    plan->sync.at_once = at_once && opts.plan == NULL;
    rc = begin(&plan->sync, session, local, remote, &opts, err);
    if (rc == SBX_OK && at_once)
        rc = lock(&plan->sync, true, err);
    if (rc == SBX_OK)
        rc = sbi_sync_look(&plan->sync, &opts, err);
    if (rc == SBX_OK)
        rc = sbi_sync_sum_up(plan, err);
    if (rc < 0)
        return plan->sync.remote == NULL ? rc : wrap(&plan->sync, rc, err);
    *out = SBI_STEAL(plan);
    return SBX_OK;
}

int sbx_sync_plan_new(sbx_session *session, int direction, const char *local,
                      const char *remote, const sbx_sync_opts *opts, sbx_sync_plan **out,
                      sbx_error *err)
{
    return plan_new(session, direction, local, remote, opts, false, out, err);
}

static int carry(struct sbi_sync *sync, sbx_error *err)
{
    bool changed = false, again = false;
    sbx_error ours = {0};
    int rc = SBX_OK;

    if (!sbi_plan_is_empty(&sync->plan))
        rc = sync->direction == SBX_SYNC_PUSH ? sbi_push(sync, &changed, &again, &ours)
                                              : sbi_pull(sync, &changed, &ours);
    if (rc == SBX_OK)
        return sbi_sync_end(sync, again, err);
    sbi_sync_forget(sync);
    if (err != NULL) {
        *err = ours;
        (void)sbi_executed(err, rc, changed ? SBX_EXECUTED_UNKNOWN : SBX_EXECUTED_NO);
    }
    return rc;
}

int sbx_sync_apply(sbx_sync_plan *plan, sbx_sync_report **out, sbx_error *err)
{
    int rc;

    if (plan == NULL || plan->sync.applied)
        return sbi_fail(err, SBX_ERR_INVALID, "sync: %s",
                        plan == NULL ? "no plan" : "the plan was carried out already");
    plan->sync.applied = true;
    rc = lock(&plan->sync, false, err);
    if (rc == SBX_OK)
        rc = carry(&plan->sync, err);
    if (rc == SBX_OK)
        rc = sbi_sync_report(plan, out, err);
    return rc == SBX_OK ? rc : wrap(&plan->sync, rc, err);
}

static int both(sbx_session *session, int direction, const char *local,
                const char *remote, const sbx_sync_opts *opts, sbx_sync_report **out,
                sbx_error *err)
{
    SBI_CLEANUP(sbi_sync_plan_clear) sbx_sync_plan *plan = NULL;
    int rc = plan_new(session, direction, local, remote, opts, true, &plan, err);

    return rc == SBX_OK ? sbx_sync_apply(plan, out, err) : rc;
}

int sbx_sync_push(sbx_session *session, const char *local, const char *remote,
                  const sbx_sync_opts *opts, sbx_sync_report **out, sbx_error *err)
{
    return both(session, SBX_SYNC_PUSH, local, remote, opts, out, err);
}

int sbx_sync_pull(sbx_session *session, const char *remote, const char *local,
                  const sbx_sync_opts *opts, sbx_sync_report **out, sbx_error *err)
{
    return both(session, SBX_SYNC_PULL, local, remote, opts, out, err);
}

void sbi_sync_clear(struct sbi_sync *sync)
{
    if (sync->locked)
        sbi_close_fd(&sync->lock);
    sbi_sync_way_clear(&sync->way);
    sbi_push_forget(sync);
    sbi_far_listing_clear(&sync->listing);
    sbi_plan_clear(&sync->plan);
    sbi_memory_clear(&sync->memory);
    sbi_memory_clear(&sync->foreseen.memory);
    sbi_tree_clear(&sync->foreseen.tree);
    sbi_recall_clear(&sync->recall);
    free(sync->undone);
    free(sync->here_path);
    sbi_exclude_clear(&sync->exclude);
    sbi_here_clear(&sync->here);
    sbi_far_list_clear(&sync->there);
    sbi_sync_notes_clear(&sync->notes);
    free(sync->local);
    free(sync->remote);
    free(sync->far_path);
    sbx_session_free(sync->session);
    *sync = (struct sbi_sync){0};
}

void sbx_sync_plan_free(sbx_sync_plan *plan)
{
    if (plan == NULL)
        return;
    sbi_sync_clear(&plan->sync);
    free(plan);
}

void sbi_sync_plan_clear(sbx_sync_plan **plan)
{
    sbx_sync_plan_free(*plan);
    *plan = NULL;
}
