/*
 * push.c - the order of things: the far side is told to unpack, `t` is sent in the
 * order of the plan, `c` behind it, so that what failed meanwhile is left out there.
 */
#include "sync/push.h"

#include "base/digest.h"
#include "sync/far_script.h"
#include "sync/push_state.h"
#include "sync/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static void pushing_clear(struct sbi_pushing **held)
{
    struct sbi_pushing *pushing = *held;

    if (pushing == NULL)
        return;
    sbi_archive_writer_free(pushing->writer);
    if (!pushing->listed)
        sbi_far_free(pushing->far);
    sbi_close_fd(&pushing->beneath.root);
    sbi_beneath_clear(&pushing->beneath);
    sbi_str_clear(&pushing->path);
    sbi_str_clear(&pushing->dropped);
    free(pushing->state);
    free(pushing->piece);
    free(pushing);
    *held = NULL;
}

static int put(const void *data, size_t length, void *userdata, sbx_error *err)
{
    struct sbi_pushing *pushing = userdata;
    int rc = sbi_far_put(pushing->far, data, length, err);

    return rc == SBX_OK ? sbi_sync_tell(pushing->sync, false, err) : rc;
}

static const char *pack_name(int pack)
{
    return pack == SBI_PACK_ZSTD ? "zstd" : pack == SBI_PACK_GZIP ? "gzip" : "none";
}

static const char *tar_name(int tar)
{
    return tar == SBI_TAR_GNU ? "gnu" : tar == SBI_TAR_BSD ? "bsd" : "small";
}

int sbi_push_staged(struct sbi_pushing *pushing, const char *prefix, uint32_t source,
                    sbx_error *err)
{
    struct sbi_str *path = &pushing->path;
    const char *own = sbi_tree_path(pushing->source, source);

    path->length = 0;
    sbi_str_add(path, prefix);
    sbi_str_add(path, sbi_sync_below(own, pushing->sync->there.name));
    return path->status == SBX_OK ? SBX_OK
                                  : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

int sbi_push_control(struct sbi_pushing *pushing, const char *name, const void *data,
                     size_t length, sbx_error *err)
{
    char path[64];
    struct sbi_archive_item item = {
        .path = path, .kind = SBI_ARCHIVE_FILE, .mode = 0600, .size = (int64_t)length};
    int rc;

    (void)snprintf(path, sizeof(path), "c/%s", name);
    rc = sbi_archive_add(pushing->writer, &item, err);
    return rc == SBX_OK ? sbi_archive_add_data(pushing->writer, data, length, err) : rc;
}

static int send_folder(struct sbi_pushing *pushing, uint32_t source, sbx_error *err)
{
    struct sbi_archive_item item = {.kind = SBI_ARCHIVE_FOLDER, .mode = 0700};
    int rc;

    if (pushing->source->entries[source].path_length == 0)
        return SBX_OK;
    rc = sbi_push_staged(pushing, "t/", source, err);
    item.path = pushing->path.data;
    return rc == SBX_OK ? sbi_archive_add(pushing->writer, &item, err) : rc;
}

static int send_link(struct sbi_pushing *pushing, uint32_t source, sbx_error *err)
{
    const struct sbi_tree_entry *entry = &pushing->source->entries[source];
    struct sbi_archive_item item = {.kind = SBI_ARCHIVE_LINK,
                                    .target = sbi_tree_target(pushing->source, source),
                                    .mode = 0777,
                                    .seconds = entry->mtime,
                                    .nanoseconds = entry->mtime_ns};
    int rc = sbi_push_staged(pushing, "t/", source, err);

    item.path = pushing->path.data;
    pushing->sync->other++;
    return rc == SBX_OK ? sbi_archive_add(pushing->writer, &item, err) : rc;
}

/* One whose leader lies over there already is linked by a list; see push_lists.c. */
static int send_hard_link(struct sbi_pushing *pushing,
                          const struct sbi_plan_action *action, sbx_error *err)
{
    const struct sbi_tree_entry *entry = &pushing->source->entries[action->source];
    SBI_AUTO_STR leader = {0};
    struct sbi_archive_item item = {.kind = SBI_ARCHIVE_SAME,
                                    .mode = entry->mode,
                                    .seconds = entry->mtime,
                                    .nanoseconds = entry->mtime_ns};
    int rc;

    if (pushing->state[action->leader] == SBI_PUSH_FAILED) {
        pushing->state[action->source] = SBI_PUSH_FAILED;
        sbi_sync_note(&pushing->sync->notes, SBI_NOTE_FAIL,
                      sbi_tree_path(pushing->source, action->source),
                      "what it is a hard link to could not be sent");
        return SBX_OK;
    }
    pushing->sync->other++;
    if (pushing->state[action->leader] == SBI_PUSH_NOT_SENT)
        return SBX_OK;
    rc = sbi_push_staged(pushing, "t/", action->leader, err);
    sbi_str_add(&leader, pushing->path.data);
    if (rc == SBX_OK)
        rc = sbi_push_staged(pushing, "t/", action->source, err);
    if (rc == SBX_OK && leader.status != SBX_OK)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    item.path = pushing->path.data;
    item.target = leader.data;
    return rc == SBX_OK ? sbi_archive_add(pushing->writer, &item, err) : rc;
}

static int send_action(struct sbi_pushing *pushing, const struct sbi_plan_action *action,
                       sbx_error *err)
{
    switch (action->what) {
    case SBI_PLAN_MAKE_FOLDER:
        pushing->sync->other++;
        return send_folder(pushing, action->source, err);
    case SBI_PLAN_SEND:
        return sbi_push_file(pushing, action->source, err);
    case SBI_PLAN_LINK:
        return send_link(pushing, action->source, err);
    case SBI_PLAN_HARD_LINK:
        return send_hard_link(pushing, action, err);
    default:
        return SBX_OK;
    }
}

static int send_all(struct sbi_pushing *pushing, sbx_error *err)
{
    const struct sbi_plan_list *make = &pushing->sync->plan.make;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < make->count && rc == SBX_OK; i++)
        rc = send_action(pushing, &make->items[i], err);
    if (rc == SBX_OK)
        rc = sbi_push_lists(pushing, err);
    if (rc == SBX_OK)
        rc = sbi_push_control(pushing, "end", "", 0, err);
    return rc == SBX_OK ? sbi_archive_finish(pushing->writer, err) : rc;
}

static int prepare(struct sbi_pushing *pushing, sbx_error *err)
{
    struct sbi_sync *sync = pushing->sync;
    int rc = sbi_random_hex(pushing->run, 16, err);

    if (rc < 0)
        return rc;
    (void)snprintf(pushing->stage, sizeof(pushing->stage), "%s/%s/t", SBI_FAR_STAGE,
                   pushing->run);
    pushing->piece = malloc(SBI_PUSH_PIECE);
    pushing->state = calloc(pushing->source->count + 1, 1);
    if (pushing->piece == NULL || pushing->state == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    pushing->beneath.root = open(sync->here.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (pushing->beneath.root < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", sync->here.folder);
    pushing->pack = sbi_push_choose_pack(pushing);
    return SBX_OK;
}

/* The run that has listed takes it where it waits; else there is one for it alone. */
static int reach(struct sbi_pushing *pushing, const char *word, sbx_error *err)
{
    struct sbi_sync *sync = pushing->sync;
    const char *const args[] = {sync->there.folder, pushing->run,
                                pack_name(pushing->pack), tar_name(sync->there.tar),
                                NULL};
    const struct sbi_far_opts opts = {.script = sbi_far_push_script,
                                      .args = args,
                                      .feeds = true,
                                      .reads = true,
                                      .cancel = sync->cancel};
    char line[96];

    if (sync->listing.far == NULL)
        return sbi_far_start(sync->session, &opts, &pushing->far, err);
    pushing->far = sync->listing.far;
    pushing->listed = true;
    (void)snprintf(line, sizeof(line), "%s %s %s\n", word, pushing->run,
                   pack_name(pushing->pack));
    return sbi_far_put(pushing->far, line, strlen(line), err);
}

static int start(struct sbi_pushing *pushing, const char *word, sbx_error *err)
{
    const struct sbi_archive_writer_opts opts = {.pack = pushing->pack,
                                                 .seconds = pushing->sync->there.tar ==
                                                            SBI_TAR_SMALL,
                                                 .put = put,
                                                 .userdata = pushing};
    int rc = reach(pushing, word, err);

    return rc == SBX_OK ? sbi_archive_writer_new(&opts, &pushing->writer, err) : rc;
}

/* They say why, once it is known what is missing. */
static int keep_errors(struct sbi_sync *sync, const char *errors, sbx_error *err)
{
    free(sync->there.errors);
    sync->there.errors = strdup(errors);
    return sync->there.errors == NULL ? sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory")
                                      : SBX_OK;
}

/* Entries that could not be sent stay as they were over there. */
static void tell_undone(struct sbi_pushing *pushing)
{
    size_t i;

    for (i = 0; i < pushing->source->count; i++)
        pushing->state[i] = pushing->state[i] == SBI_PUSH_FAILED;
    free(pushing->sync->undone);
    pushing->sync->undone = SBI_STEAL(pushing->state);
}

/* Of what tools complain the line that names the cause, else the first; its length. */
static const char *telling_line(const char *errors, int *length)
{
    const char *found = strstr(errors, "Permission denied");

    while (found != NULL && found > errors && found[-1] != '\n')
        found--;
    found = found == NULL ? errors : found;
    *length = (int)strcspn(found, "\n");
    return found;
}

/* It failed before anything was changed. step: what did, and the rows behind it. */
static int tell_failed(const struct sbi_sync *sync, const char *step, const char *errors,
                       sbx_error *err)
{
    size_t length = strcspn(step, "\n");
    struct sbi_room room;
    const char *why;
    int why_length;

    sbi_room_there(errors, step + length + (step[length] == '\n'), sync->far_path, &room);
    if (room.failed != 0)
        return sbi_room_fail(&room, err);
    why = telling_line(errors, &why_length);
    return sbi_fail(err, SBX_ERR_REMOTE, "%.*s failed over there: %.*s", (int)length,
                    step, why_length, why);
}

/* The line of ours among what came; what else came is a tool's. */
static int read_answer(struct sbi_sync *sync, const struct sbi_str *text,
                       const char *errors, bool *placed, bool *again, sbx_error *err)
{
    const char *line = memmem(text->data, text->length, "sbx1 ", 5), *why;
    int why_length;

    if (line != NULL && strncmp(line, "sbx1 done ", 10) == 0) {
        *placed = true;
        *again = line[10] != '0';
        return *again ? keep_errors(sync, errors, err) : SBX_OK;
    }
    if (line != NULL && strncmp(line, "sbx1 no links", 13) == 0)
        return SBX_ERR_UNSUPPORTED;
    if (line != NULL && strncmp(line, "sbx1 no ", 8) == 0)
        return tell_failed(sync, line + 8, errors, err);
    why = telling_line(errors, &why_length);
    if (line != NULL && strncmp(line, "sbx1 cut", 8) == 0)
        return sbi_fail(err, SBX_ERR_REMOTE, "not all of it came there: %.*s", why_length,
                        why);
    return sbi_fail(err, SBX_ERR_REMOTE, "the answer from over there makes no sense");
}

static int wait_for_end(struct sbi_pushing *pushing, struct sbi_str *text,
                        struct sbi_far_end *end, sbx_error *err)
{
    struct sbi_sync *sync = pushing->sync;
    sbx_error ours = {0};
    uint64_t up, down;
    int rc, ended;

    sbi_far_end_input(pushing->far);
    rc = pushing->listed ? sbi_far_list_rest(&sync->listing, text, &ours)
                         : sbi_far_get_rest(pushing->far, text, &ours);
    ended = sbi_far_finish(pushing->far, end, rc == SBX_OK ? &ours : NULL);
    sbi_far_bytes(pushing->far, &up, &down);
    sync->wire_up += up;
    sync->wire_down += down;
    if (rc == SBX_OK)
        rc = ended;
    if (rc < 0 && err != NULL)
        *err = ours;
    return rc;
}

/* Without hard links nothing was changed, and it may be done anew. */
static int end(struct sbi_pushing *pushing, bool *placed, bool *again, sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    struct sbi_far_end far_end;
    sbx_error ours = {0};
    int sent = pushing->sent;
    int rc = wait_for_end(pushing, &text, &far_end, &ours);

    if (sent < 0 && sent != SBX_ERR_DISCONNECTED) {
        if (err != NULL)
            *err = pushing->error;
        return sent;
    }
    if (rc == SBX_OK)
        return read_answer(pushing->sync, &text, far_end.errors, placed, again, err);
    *placed = true;
    if (err != NULL)
        *err = ours;
    return rc;
}

/* A failure of the sending is kept in sent, since the far side may know more of it. */
static int send_it(struct sbi_sync *sync, const char *word, struct sbi_pushing **out,
                   sbx_error *err)
{
    SBI_CLEANUP(pushing_clear)
    struct sbi_pushing *pushing = calloc(1, sizeof(*pushing));
    int rc;

    if (pushing == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    pushing->sync = sync;
    pushing->source = sbi_sync_source(sync);
    pushing->beneath = (struct sbi_beneath){
        .root = -1, .fd = -1, .follow = (sync->flags & SBX_SYNC_FOLLOW) != 0};
    rc = prepare(pushing, err);
    if (rc == SBX_OK)
        rc = sbi_sync_phase(sync, SBX_SYNC_CARRYING, err);
    if (rc == SBX_OK)
        rc = start(pushing, word, err);
    if (rc < 0 && rc != SBX_ERR_DISCONNECTED)
        return rc;
    if (rc == SBX_OK)
        rc = send_all(pushing, &pushing->error);
    sbi_far_flow(pushing->far, true, &pushing->flow);
    if (rc == SBX_OK)
        rc = sbi_sync_phase(sync, SBX_SYNC_PLACING, &pushing->error);
    pushing->sent = rc;
    *out = SBI_STEAL(pushing);
    return SBX_OK;
}

int sbi_push_ahead(struct sbi_sync *sync, sbx_error *err)
{
    int rc = send_it(sync, "same", &sync->pushing, err);

    if (rc == SBX_OK)
        sbi_far_end_input(sync->listing.far);
    return rc;
}

void sbi_push_forget(struct sbi_sync *sync)
{
    pushing_clear(&sync->pushing);
}

/* What is known of its cp, for the next time. */
static int set_links(struct sbi_sync *sync, const char *word, sbx_error *err)
{
    const char *facts = sync->there.facts, *last = strrchr(facts, ' ');
    SBI_AUTO_STR text = {0};

    sbi_str_add_bytes(&text, facts, last == NULL ? 0 : (size_t)(last - facts));
    sbi_str_add(&text, " ");
    sbi_str_add(&text, word);
    free(SBI_STEAL(sync->there.facts));
    return sbi_str_take(&text, &sync->there.facts, err);
}

static int push(struct sbi_sync *sync, bool *placed, bool *again, sbx_error *err)
{
    int rc = SBX_OK;

    if (sync->pushing == NULL)
        rc = send_it(sync, "go", &sync->pushing, err);
    if (rc == SBX_OK) {
        sbi_far_end_input(sync->pushing->far);
        tell_undone(sync->pushing);
        sbi_sync_foresee(sync);
        rc = end(sync->pushing, placed, again, err);
    }
    if (rc == SBX_OK && sync->pushing->merges && !*again)
        rc = set_links(sync, "linked", err);
    if (rc == SBX_OK)
        sbi_sync_learn_rate(sync, sync->pushing->pack, &sync->pushing->flow);
    sbi_push_forget(sync);
    sbi_far_clear(&sync->listing.far);
    return rc;
}

int sbi_push(struct sbi_sync *sync, bool *placed, bool *again, sbx_error *err)
{
    int rc = push(sync, placed, again, err);

    if (rc != SBX_ERR_UNSUPPORTED || !sync->there.links)
        return rc;
    sync->there.links = false;
    sync->sent_files = sync->sent_bytes = sync->deleted = sync->other = 0;
    rc = set_links(sync, "-", err);
    return rc == SBX_OK ? push(sync, placed, again, err) : rc;
}
