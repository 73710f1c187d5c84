/*
 * sync_open.c - begins a sync. The lock must be held before its target is looked at, and
 * what the target is called is known for sure only then. So the one that it is held to be
 * is locked first; where that proves wrong, the right one is, and all is looked at again,
 * unless nobody can have changed it meanwhile.
 */
#include "sync/sync_open.h"

#include "base/clock.h"

#include <string.h>

#define MOST_TRIES 4 /* of a target that is another one each time */

static int begin(const struct sbi_sync_asked *asked, struct sbi_sync *sync,
                 sbx_error *err)
{
    const sbx_sync_opts *opts = asked->opts;

    sync->direction = asked->direction;
    sync->at_once = asked->at_once && opts->plan == NULL;
    sync->session = sbx_session_hold(asked->session);
    sync->flags = opts->flags;
    sync->cancel = opts->cancel;
    sync->progress.fn = opts->on_progress;
    sync->progress.userdata = opts->userdata;
    sync->progress.started = sbi_now_ms();
    sync->local = strdup(asked->local[0] == '\0' ? "." : asked->local);
    sync->remote = strdup(asked->remote);
    if (sync->local == NULL || sync->remote == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return SBX_OK;
}

const char *sbi_sync_target_path(const struct sbi_sync *sync)
{
    return sync->direction == SBX_SYNC_PULL ? sync->here_path : sync->far_path;
}

static const char *told_of(const struct sbi_sync_asked *asked)
{
    return asked->direction == SBX_SYNC_PULL ? asked->local : asked->remote;
}

/* NULL: this machine, from whichever side. */
static const char *place_of(const struct sbi_sync_asked *asked)
{
    const char *place = sbx_session_place(asked->session);

    return asked->direction == SBX_SYNC_PULL || strcmp(place, "local") == 0 ? NULL
                                                                            : place;
}

static int lock(const struct sbi_sync_asked *asked, const char *path, bool waits,
                struct sbi_sync_lock *out, sbx_error *err)
{
    const struct sbi_sync_target target = {.place = place_of(asked),
                                           .path = path,
                                           .waits = waits,
                                           .cancel = asked->opts->cancel};

    return sbi_sync_lock(&target, out, err);
}

static int lock_believed(const struct sbi_sync_asked *asked, struct sbi_sync_lock *out,
                         sbx_error *err)
{
    const char *told = told_of(asked);
    SBI_AUTOFREE char *known =
        asked->target != NULL ? NULL : sbi_sync_lock_known(place_of(asked), told);
    const char *path = asked->target != NULL ? asked->target
                       : known != NULL       ? known
                                             : told;

    return lock(asked, path, asked->waits, out, err);
}

/*
 * The lock of another target was held while this one was looked at. *again: someone may
 * have changed it since; *next is its lock then.
 */
static int lock_real(const struct sbi_sync_asked *asked, struct sbi_sync *sync,
                     struct sbi_sync_lock *next, bool *again, sbx_error *err)
{
    SBI_AUTOFREE char *path = strdup(sbi_sync_target_path(sync));
    int rc;

    *again = true;
    if (path == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    sbi_sync_lock_learn(place_of(asked), told_of(asked), path);
    sbi_sync_lock_clear(&sync->lock);
    rc = lock(asked, path, false, next, err);
    if (rc == SBX_OK && next->is_first) {
        sync->lock = *next;
        *next = (struct sbi_sync_lock){0};
        *again = false;
    }
    if (rc != SBX_ERR_CONFLICT || !asked->waits)
        return rc;
    sbi_sync_clear(sync);
    return lock(asked, path, true, next, err);
}

int sbi_sync_open(const struct sbi_sync_asked *asked, struct sbi_sync *out,
                  sbx_error *err)
{
    SBI_AUTO_SYNC_LOCK next = {0};
    bool again = true;
    int rc = SBX_OK;
    int tries;

    if (asked->locks)
        rc = lock_believed(asked, &next, err);
    for (tries = 0; rc == SBX_OK && again && tries < MOST_TRIES; tries++) {
        sbi_sync_clear(out);
        out->lock = next;
        next = (struct sbi_sync_lock){0};
        rc = begin(asked, out, err);
        if (rc == SBX_OK)
            rc = sbi_sync_look(out, asked->opts, err);
        again = asked->locks && rc == SBX_OK &&
                strcmp(out->lock.path, sbi_sync_target_path(out)) != 0;
        if (again)
            rc = lock_real(asked, out, &next, &again, err);
    }
    if (rc == SBX_OK && again)
        return sbi_fail(err, SBX_ERR_CONFLICT, "its path leads elsewhere each time");
    return rc;
}
