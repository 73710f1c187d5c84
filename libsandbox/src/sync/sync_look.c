/*
 * sync_look.c - both sides are listed at once: the far side by its script, this one on a
 * thread of its own; then the plan is made and held against the rails.
 */
#include "sync/sync_state.h"

#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "base/thread.h"
#include "sync/compare.h"
#include "sync/far_script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct walking {
    struct sbi_sync *sync;
    pthread_t thread;
    bool running;
    int rc;
    sbx_error error;
};

const char *sbi_sync_far_name(const struct sbi_sync *sync, char *room, size_t size)
{
    (void)snprintf(room, size, "%s:%s", sbx_session_place(sync->session), sync->remote);
    return room;
}

static int add_rules(struct sbi_exclude *exclude, int level, const char *const *rules,
                     sbx_error *err)
{
    int rc = SBX_OK;

    for (; rules != NULL && *rules != NULL && rc == SBX_OK; rules++) {
        rc = sbi_exclude_add(exclude, level, *rules, err);
        if (rc < 0)
            rc = sbi_wrap(err, rc, "rule '%s'", *rules);
    }
    return rc;
}

/* Our own folder stays behind, whoever left it. */
static int set_rules(struct sbi_sync *sync, const sbx_sync_opts *opts, sbx_error *err)
{
    const char *const *file;
    int rc = sbi_exclude_new(&sync->exclude, err);

    if (rc == SBX_OK)
        rc = sbi_exclude_add(sync->exclude, SBI_EXCLUDE_OPTION, "/" SBI_FAR_STAGE "/",
                             err);
    for (file = opts->exclude_from; rc == SBX_OK && file != NULL && *file != NULL; file++)
        rc = sbi_exclude_add_file(sync->exclude, SBI_EXCLUDE_OPTION, *file, err);
    if (rc == SBX_OK)
        rc = add_rules(sync->exclude, SBI_EXCLUDE_OPTION, opts->exclude, err);
    if (rc == SBX_OK)
        rc = add_rules(sync->exclude, SBI_EXCLUDE_INCLUDE, opts->include, err);
    return rc;
}

int sbi_sync_walk(struct sbi_sync *sync, sbx_error *err)
{
    struct sbi_tree_local_opts opts = {.flags = SBI_LOCAL_SBXIGNORE,
                                       .exclude = sync->exclude,
                                       .deadline = SBI_NEVER,
                                       .cancel = sync->cancel};
    int rc = SBX_OK;

    if ((sync->flags & SBX_SYNC_GIT) != 0) {
        opts.flags |= SBI_LOCAL_GITIGNORE;
        if (!sync->here.missing)
            rc = sbi_exclude_add_git(sync->exclude, sync->here.folder, err);
    }
    if (sync->direction == SBX_SYNC_PUSH && (sync->flags & SBX_SYNC_FOLLOW) != 0)
        opts.flags |= SBI_LOCAL_FOLLOW;
    return rc == SBX_OK ? sbi_here_walk(&sync->here, &opts, err) : rc;
}

static void *run_walk(void *userdata)
{
    struct walking *walking = userdata;

    walking->rc = sbi_sync_walk(walking->sync, &walking->error);
    return NULL;
}

static int start_walk(struct walking *walking, sbx_error *err)
{
    errno = sbi_thread_start(&walking->thread, run_walk, walking);
    if (errno != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "start a thread");
    walking->running = true;
    return SBX_OK;
}

static int end_walk(struct walking *walking, sbx_error *err)
{
    if (walking->running)
        (void)pthread_join(walking->thread, NULL);
    walking->running = false;
    if (walking->rc < 0 && err != NULL)
        *err = walking->error;
    return walking->rc;
}

static void walking_clear(struct walking *walking)
{
    (void)end_walk(walking, NULL);
}

/* States that no sync can begin with. */
static int check_state(const struct sbi_sync *sync, const struct sbi_far_list *there,
                       sbx_error *err)
{
    bool pull = sync->direction == SBX_SYNC_PULL;

    switch (there->state) {
    case SBI_FAR_MISSING:
        return pull ? sbi_fail(err, SBX_ERR_NOT_FOUND, "there is no such file or folder")
                    : SBX_OK;
    case SBI_FAR_DENIED:
        return sbi_fail(err, SBX_ERR_IO, "permission denied at '%s'", there->folder);
    case SBI_FAR_OTHER:
        return sbi_fail(err, SBX_ERR_INVALID, "it is neither a folder nor a file");
    case SBI_FAR_NO_HOME:
        return sbi_fail(err, SBX_ERR_REMOTE, "HOME is not set over there");
    default:
        break;
    }
    if (there->form == 0)
        return sbi_fail(err, SBX_ERR_REMOTE,
                        "neither find -printf nor stat is to be found over there");
    if (sync->direction == SBX_SYNC_PUSH && sync->here.name[0] == '\0' &&
        there->state == SBI_FAR_FILE)
        return sbi_fail(err, SBX_ERR_INVALID, "it is a file, not a folder");
    return SBX_OK;
}

static int check_tar(const struct sbi_far_list *there, sbx_error *err)
{
    if (there->tar != SBI_TAR_NONE)
        return SBX_OK;
    (void)sbi_fail(err, SBX_ERR_REMOTE, "there is no tar over there");
    return sbi_fix(err, SBX_ERR_REMOTE, "tools", "install tar on the place");
}

/* far_root: absolute, of the far side. */
static int hold_against_rails(struct sbi_sync *sync, const struct sbi_plan *plan,
                              const struct sbi_tree *source, const char *far_root,
                              sbx_error *err)
{
    SBI_AUTOFREE char *home = NULL;
    SBI_AUTOFREE char *real = NULL;
    bool pull = sync->direction == SBX_SYNC_PULL;
    char name[300];
    struct sbi_plan_rails rails = {.force = (sync->flags & SBX_SYNC_FORCE) != 0};

    (void)sbi_sync_far_name(sync, name, sizeof(name));
    rails.source_name = pull ? name : sync->local;
    rails.target_name = pull ? sync->local : name;
    rails.target_root = pull ? sync->here_path : far_root;
    rails.home = sync->there.home;
    if (pull && sbi_path_home(&home, NULL) == SBX_OK)
        real = realpath(home, NULL);
    if (pull)
        rails.home = real;
    else if (rails.home != NULL && rails.home[0] == '\0')
        rails.home = NULL;
    return sbi_plan_check(plan, source, &sync->plan_opts, &rails, err);
}

/* Rails that only ask where the target is, before all that is below it is listed. */
static int check_place(struct sbi_sync *sync, const struct sbi_far_list *there,
                       sbx_error *err)
{
    const struct sbi_tree_item root = {.path = "", .kind = SBI_TREE_FOLDER};
    const struct sbi_plan nothing = {0};
    SBI_AUTO_TREE tree = {0};
    char *home = sync->there.home;
    int rc = sbi_tree_add(&tree, &root, err);

    if (rc < 0 || there->name[0] != '\0')
        return rc;
    sync->there.home = there->home;
    rc = hold_against_rails(sync, &nothing, &tree, there->folder, err);
    sync->there.home = home;
    return rc;
}

static int read_head(struct sbi_sync *sync, sbx_error *err)
{
    struct sbi_far_list *there = &sync->listing.list;
    bool pull = sync->direction == SBX_SYNC_PULL;
    char name[300];
    int rc = sbi_far_list_head(&sync->listing, err);

    if (rc == SBX_OK)
        rc = check_state(sync, there, err);
    if (rc == SBX_OK)
        rc = check_tar(there, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "%s '%s'", pull ? "read" : "write",
                        sbi_sync_far_name(sync, name, sizeof(name)));
    if (pull)
        rc = sbi_here_target(sync->local,
                             there->state == SBI_FAR_FILE ? there->name : NULL,
                             &sync->here, err);
    if (rc == SBX_OK && pull)
        rc = sbi_here_path(&sync->here, &sync->here_path, err);
    return rc == SBX_OK ? check_place(sync, there, err) : rc;
}

/* What its tools complained of must be known ahead of a plan, and is told at its end. */
static int read_list(struct sbi_sync *sync, sbx_error *err)
{
    struct sbi_far_listing *listing = &sync->listing;
    SBI_AUTO_TREE recalled = sync->there.tree;
    char name[300];
    int rc;

    sync->there.tree = (struct sbi_tree){0};
    rc = sbi_far_list_read(listing, &sync->there, err);
    if (rc == SBX_OK && listing->far != NULL &&
        (!listing->opts.pushes || sync->there.tree.partial))
        rc = sbi_far_list_leave(listing, &sync->there, err);
    if (rc == SBX_OK && sync->there.same) {
        sync->there.tree = recalled;
        recalled = (struct sbi_tree){0};
    }
    sync->wire_up += sync->there.up;
    sync->wire_down += sync->there.down;
    if (rc == SBX_OK || rc == SBX_ERR_CANCELLED)
        return rc;
    return sbi_wrap(err, rc, "list '%s'", sbi_sync_far_name(sync, name, sizeof(name)));
}

static bool is_here(const struct sbi_sync *sync)
{
    return strcmp(sbx_session_place(sync->session), "local") == 0;
}

void sbi_sync_list_opts(const struct sbi_sync *sync, struct sbi_far_list_opts *out)
{
    bool pull = sync->direction == SBX_SYNC_PULL;

    *out = (struct sbi_far_list_opts){
        .path = sync->remote,
        .name = pull ? NULL : sync->here.name,
        .parts = !pull,
        .ids = pull,
        .follow = pull && (sync->flags & SBX_SYNC_FOLLOW) != 0,
        .packed = !is_here(sync),
        .cancel = sync->cancel,
    };
}

/*
 * One run for both, listing and push. It waits for a word even where there is nothing to
 * do, which is a round trip more: so not where a listing is needed each time, but on a
 * short way.
 */
static bool goes_on(const struct sbi_sync *sync)
{
    return sync->at_once && sync->direction == SBX_SYNC_PUSH &&
           (sync->near || sync->recall.text != NULL || sync->memory.count == 0);
}

static int start_listing(struct sbi_sync *sync, sbx_error *err)
{
    const char *place = sbx_session_place(sync->session);
    struct sbi_far_list_opts opts;

    if (sync->direction == SBX_SYNC_PUSH) {
        (void)sbi_memory_load(sync->here_path, place, sync->remote, &sync->memory, NULL);
        sync->near = sbi_sync_near_facts(sync) != NULL;
        if (!sync->near)
            sbi_recall_load(sync->here_path, place, sync->remote, &sync->recall);
    }
    sbi_sync_list_opts(sync, &opts);
    opts.hash = sync->recall.hash;
    opts.facts = sync->near ? sbi_sync_near_facts(sync) : sync->recall.facts;
    opts.plain = sync->near;
    opts.folder = sync->recall.folder;
    opts.home = sync->recall.home;
    opts.pushes = goes_on(sync);
    return sbi_far_list_start(sync->session, &opts, &sync->listing, err);
}

/* What is remembered but cannot be read is no memory at all. */
static int take_recall(struct sbi_sync *sync, sbx_error *err)
{
    if (sbi_recall_tree(&sync->recall, &sync->there.tree, NULL) == SBX_OK)
        return SBX_OK;
    sbi_recall_forget(sync->here_path, sbx_session_place(sync->session), sync->remote);
    sbi_recall_clear(&sync->recall);
    sbi_far_listing_clear(&sync->listing);
    return start_listing(sync, err);
}

static int look(struct sbi_sync *sync, sbx_error *err)
{
    SBI_CLEANUP(walking_clear) struct walking walking = {.sync = sync};
    bool pull = sync->direction == SBX_SYNC_PULL;
    int rc, walked;

    rc = start_listing(sync, err);
    if (rc == SBX_OK && !is_here(sync))
        sbi_sync_way_ask(&sync->way, sync->session);
    if (rc == SBX_OK && !pull)
        rc = start_walk(&walking, err);
    if (rc == SBX_OK && sync->recall.text != NULL)
        rc = take_recall(sync, err);
    if (rc == SBX_OK && sync->listing.opts.pushes && sync->recall.text != NULL) {
        rc = end_walk(&walking, err);
        if (rc == SBX_OK)
            rc = sbi_sync_guess(sync, err);
    }
    if (rc == SBX_OK)
        rc = read_head(sync, err);
    if (rc == SBX_OK)
        rc = sbi_sync_settle(sync, err);
    if (rc == SBX_OK && pull)
        rc = start_walk(&walking, err);
    if (rc == SBX_OK && !sync->planned)
        rc = read_list(sync, err);
    walked = end_walk(&walking, rc == SBX_OK ? err : NULL);
    return rc == SBX_OK ? walked : rc;
}

static void note_all(struct sbi_sync *sync)
{
    const struct sbi_plan_list *skipped = &sync->plan.skipped;
    const struct sbi_tree_local_failures *failures = &sync->here.failures;
    size_t i;

    for (i = 0; i < skipped->count; i++) {
        const struct sbi_plan_action *action = &skipped->items[i];
        const char *path = action->source != SBI_TREE_NONE
                               ? sbi_tree_path(sbi_sync_source(sync), action->source)
                               : sbi_tree_path(sbi_sync_target(sync), action->target);

        sbi_sync_note(&sync->notes, SBI_NOTE_SKIP, path, sbi_plan_why_text(action->why));
    }
    for (i = 0; i < failures->kept; i++)
        sbi_sync_note_errno(&sync->notes, failures->items[i].path,
                            failures->items[i].sys_errno);
    sync->notes.totals[SBI_NOTE_FAIL] += failures->count - failures->kept;
    sbi_sync_note_lines(&sync->notes, sync->there.errors);
}

static int join_far_path(struct sbi_sync *sync, sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    sbi_str_add(&text, sync->there.folder);
    if (sync->there.name[0] != '\0') {
        sbi_str_add(&text, strcmp(sync->there.folder, "/") == 0 ? "" : "/");
        sbi_str_add(&text, sync->there.name);
    }
    free(SBI_STEAL(sync->far_path));
    return sbi_str_take(&text, &sync->far_path, err);
}

int sbi_sync_plan(struct sbi_sync *sync, sbx_error *err)
{
    const struct sbi_plan_opts *opts = &sync->plan_opts;
    int rc = join_far_path(sync, err);

    if (rc == SBX_OK)
        rc = sbi_compare(sync, err);
    if (rc == SBX_OK)
        rc = sbi_plan_make(sbi_sync_source(sync), sbi_sync_target(sync), opts,
                           &sync->plan, err);
    if (rc == SBX_OK)
        rc = hold_against_rails(sync, &sync->plan, sbi_sync_source(sync), sync->far_path,
                                err);
    if (rc == SBX_OK)
        rc = sbi_tree_seal(&sync->here.tree, err);
    if (rc == SBX_OK)
        rc = sbi_tree_seal(&sync->there.tree, err);
    if (rc == SBX_OK)
        rc = sbi_plan_token(&sync->plan, sbi_sync_source(sync), sbi_sync_target(sync),
                            opts, sync->token, err);
    return rc;
}

static void set_plan_opts(struct sbi_sync *sync)
{
    struct sbi_plan_opts *opts = &sync->plan_opts;

    opts->exclude = sync->exclude;
    opts->memory = &sync->memory;
    if ((sync->flags & SBX_SYNC_DELETE) != 0)
        opts->flags |= SBI_PLAN_DELETE;
    if ((sync->flags & SBX_SYNC_CHECKSUM) != 0)
        opts->flags |= SBI_PLAN_CHECKSUM;
    opts->flags |= sync->direction == SBX_SYNC_PULL ? SBI_PLAN_PULL : SBI_PLAN_FILTERED;
}

static int check_token(const struct sbi_sync *sync, const char *token, sbx_error *err)
{
    if (token == NULL || strcmp(token, sync->token) == 0)
        return SBX_OK;
    (void)sbi_fail(err, SBX_ERR_CONFLICT,
                   "the plan is no longer what it was: a side, or what is asked "
                   "for, has changed since");
    return sbi_fix(err, SBX_ERR_CONFLICT, NULL, "look at it again with --dry-run");
}

int sbi_sync_look(struct sbi_sync *sync, const sbx_sync_opts *opts, sbx_error *err)
{
    int rc = sbi_sync_phase(sync, SBX_SYNC_LOOKING, err);

    if (rc == SBX_OK)
        rc = set_rules(sync, opts, err);
    set_plan_opts(sync);
    if (rc == SBX_OK && sync->direction == SBX_SYNC_PUSH)
        rc = sbi_here_source(sync->local, &sync->here, err);
    if (rc == SBX_OK && sync->direction == SBX_SYNC_PUSH)
        rc = sbi_here_path(&sync->here, &sync->here_path, err);
    if (rc == SBX_OK)
        rc = look(sync, err);
    if (rc == SBX_OK && sync->direction == SBX_SYNC_PULL)
        (void)sbi_memory_load(sync->here_path, sbx_session_place(sync->session),
                              sync->remote, &sync->memory, NULL);
    if (rc == SBX_OK && !sync->planned)
        rc = sbi_sync_plan(sync, err);
    if (rc == SBX_OK)
        rc = check_token(sync, opts->plan, err);
    if (rc < 0)
        return rc;
    note_all(sync);
    sync->progress.now.files_total = sync->plan.send_count;
    sync->progress.now.bytes_total = sync->plan.send_bytes;
    return SBX_OK;
}
