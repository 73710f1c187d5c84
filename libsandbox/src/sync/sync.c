/* sync.c - the public calls: options checked, a plan made, carried out, and told of. */
#include <sandbox/sync.h>

#include "base/opts.h"
#include "base/strv.h"
#include "sync/pull.h"
#include "sync/push.h"
#include "sync/sync_open.h"
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

static int wrap(const struct sbi_sync_asked *asked, int rc, sbx_error *err)
{
    const char *local = asked->local[0] == '\0' ? "." : asked->local;
    const char *place = sbx_session_place(asked->session);

    return asked->direction == SBX_SYNC_PUSH
               ? sbi_wrap(err, rc, "push '%s' to '%s:%s'", local, place, asked->remote)
               : sbi_wrap(err, rc, "pull '%s:%s' to '%s'", place, asked->remote, local);
}

/* A plan that is carried out later is made again by what was asked then. */
static int keep_asked(sbx_sync_plan *plan, sbx_error *err)
{
    sbx_sync_opts *opts = &plan->opts;
    int rc = sbi_strv_copy(opts->exclude, &plan->exclude, err);

    if (rc == SBX_OK)
        rc = sbi_strv_copy(opts->exclude_from, &plan->exclude_from, err);
    if (rc == SBX_OK)
        rc = sbi_strv_copy(opts->include, &plan->include, err);
    opts->exclude = (const char *const *)plan->exclude;
    opts->exclude_from = (const char *const *)plan->exclude_from;
    opts->include = (const char *const *)plan->include;
    return rc;
}

static int plan_new(struct sbi_sync_asked *asked, const sbx_sync_opts *theirs,
                    sbx_sync_plan **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_sync_plan_clear) sbx_sync_plan *plan = NULL;
    int rc =
        check_roots(asked->session, asked->direction, asked->local, asked->remote, err);

    if (rc < 0)
        return rc;
    plan = calloc(1, sizeof(*plan));
    if (plan == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = read_opts(theirs, &plan->opts, err);
    if (rc == SBX_OK)
        rc = keep_asked(plan, err);
    if (rc < 0)
        return rc;
    asked->opts = &plan->opts;
    asked->waits = asked->locks = asked->at_once;
    rc = sbi_sync_open(asked, &plan->sync, err);
    plan->opts.plan = NULL; /* it is the caller's */
    if (rc == SBX_OK)
        rc = sbi_sync_sum_up(plan, err);
    if (rc < 0)
        return wrap(asked, rc, err);
    *out = SBI_STEAL(plan);
    return SBX_OK;
}

int sbx_sync_plan_new(sbx_session *session, int direction, const char *local,
                      const char *remote, const sbx_sync_opts *opts, sbx_sync_plan **out,
                      sbx_error *err)
{
    struct sbi_sync_asked asked = {
        .session = session, .direction = direction, .local = local, .remote = remote};

    return plan_new(&asked, opts, out, err);
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

static int apply(const struct sbi_sync_asked *asked, struct sbi_sync *sync,
                 sbx_sync_report **out, sbx_error *err)
{
    int rc = carry(sync, err);

    if (rc == SBX_OK)
        rc = sbi_sync_report(sync, out, err);
    return rc == SBX_OK ? rc : wrap(asked, rc, err);
}

/* Both sides may have moved on since: so they are looked at once more. */
int sbx_sync_apply(sbx_sync_plan *plan, sbx_sync_report **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_sync_clear) struct sbi_sync now = {0};
    struct sbi_sync_asked asked = {.locks = true};
    sbx_sync_opts opts;
    int rc;

    if (plan == NULL || plan->applied)
        return sbi_fail(err, SBX_ERR_INVALID, "sync: %s",
                        plan == NULL ? "no plan" : "the plan was carried out already");
    opts = plan->opts;
    opts.plan = plan->sync.token;
    asked.session = plan->sync.session;
    asked.direction = plan->sync.direction;
    asked.local = plan->sync.local;
    asked.remote = plan->sync.remote;
    asked.opts = &opts;
    asked.target = sbi_sync_target_path(&plan->sync);
    rc = sbi_sync_open(&asked, &now, err);
    if (rc < 0)
        return wrap(&asked, sbi_executed(err, rc, SBX_EXECUTED_NO), err);
    plan->applied = true;
    return apply(&asked, &now, out, err);
}

static int both(sbx_session *session, int direction, const char *local,
                const char *remote, const sbx_sync_opts *opts, sbx_sync_report **out,
                sbx_error *err)
{
    SBI_CLEANUP(sbi_sync_plan_clear) sbx_sync_plan *plan = NULL;
    struct sbi_sync_asked asked = {.session = session,
                                   .direction = direction,
                                   .local = local,
                                   .remote = remote,
                                   .at_once = true};
    int rc = plan_new(&asked, opts, &plan, err);

    return rc == SBX_OK ? apply(&asked, &plan->sync, out, err) : rc;
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
    sbi_sync_lock_clear(&sync->lock);
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
    sbi_strv_clear(&plan->exclude);
    sbi_strv_clear(&plan->exclude_from);
    sbi_strv_clear(&plan->include);
    free(plan);
}

void sbi_sync_plan_clear(sbx_sync_plan **plan)
{
    sbx_sync_plan_free(*plan);
    *plan = NULL;
}
