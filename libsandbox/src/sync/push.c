/*
 * push.c - the order of things: the far side is told to unpack, `t` is sent in the
 * order of the plan, `c` behind it, so that what failed meanwhile is left out there.
 */
#include "sync/push.h"

#include "base/digest.h"
#include "sync/far_script.h"
#include "sync/push_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define SMALL_FILE (16 * 1024) /* below that headers weigh, and those pack well */

static void pushing_clear(struct sbi_pushing *pushing)
{
    sbi_archive_writer_free(pushing->writer);
    sbi_far_free(pushing->far);
    sbi_close_fd(&pushing->beneath.root);
    sbi_beneath_clear(&pushing->beneath);
    sbi_str_clear(&pushing->path);
    sbi_str_clear(&pushing->dropped);
    free(pushing->state);
    free(pushing->piece);
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

/* Random bytes (packed or encrypted files) have every value as often as any other. */
static bool looks_packed(const unsigned char *data, size_t length)
{
    uint64_t counts[256] = {0}, squares = 0;
    size_t i;

    for (i = 0; i < length; i++)
        counts[data[i]]++;
    for (i = 0; i < 256; i++)
        squares += counts[i] * counts[i];
    return length >= 4096 && squares * 256 < (uint64_t)length * length * 13 / 10;
}

/* Looks into some large files of the plan: whether most of what is seen is packed. */
static bool content_is_packed(struct sbi_pushing *pushing)
{
    const struct sbi_plan_list *make = &pushing->sync->plan.make;
    size_t step = make->count / 16 + 1, i, seen = 0, packed = 0;

    for (i = 0; i < make->count; i += step) {
        const struct sbi_plan_action *action = &make->items[i];
        SBI_AUTOCLOSE int fd = -1;
        const char *name;
        int folder;
        ssize_t got;

        if (action->what != SBI_PLAN_SEND ||
            sbi_beneath_find(
                &pushing->beneath,
                sbi_sync_below(sbi_tree_path(pushing->source, action->source),
                               pushing->sync->here.name),
                &folder, &name) != 0)
            continue;
        fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
        got = fd < 0 ? -1 : read(fd, pushing->piece, SBI_PUSH_PIECE);
        seen += got > 0;
        packed += got > 0 && looks_packed((unsigned char *)pushing->piece, (size_t)got);
    }
    return seen > 0 && packed * 2 > seen;
}

static int choose_pack(struct sbi_pushing *pushing)
{
    const struct sbi_plan *plan = &pushing->sync->plan;

    if (plan->send_count > 0 && plan->send_bytes / plan->send_count >= SMALL_FILE &&
        content_is_packed(pushing))
        return SBI_PACK_NONE;
    return pushing->sync->there.pack;
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
    pushing->pack = choose_pack(pushing);
    return SBX_OK;
}

static int start(struct sbi_pushing *pushing, sbx_error *err)
{
    struct sbi_sync *sync = pushing->sync;
    const char *const args[] = {sync->there.folder, pushing->run,
                                pack_name(pushing->pack), tar_name(sync->there.tar),
                                NULL};
    const struct sbi_far_opts far_opts = {.script = sbi_far_push_script,
                                          .args = args,
                                          .feeds = true,
                                          .cancel = sync->cancel};
    const struct sbi_archive_writer_opts writer_opts = {.pack = pushing->pack,
                                                        .seconds = sync->there.tar ==
                                                                   SBI_TAR_SMALL,
                                                        .put = put,
                                                        .userdata = pushing};
    int rc = sbi_far_start(sync->session, &far_opts, &pushing->far, err);

    return rc == SBX_OK ? sbi_archive_writer_new(&writer_opts, &pushing->writer, err)
                        : rc;
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
    pushing->sync->undone = SBI_STEAL(pushing->state);
}

/* Of what tools complain the line that names the cause, else the first; its length. */
static const char *telling_line(const char *errors, int *length)
{
    static const char *const causes[] = {"No space left", "Disk quota exceeded",
                                         "Read-only file system", "Permission denied"};
    const char *found = NULL;
    size_t i;

    for (i = 0; i < sizeof(causes) / sizeof(causes[0]) && found == NULL; i++)
        found = strstr(errors, causes[i]);
    while (found != NULL && found > errors && found[-1] != '\n')
        found--;
    found = found == NULL ? errors : found;
    *length = (int)strcspn(found, "\n");
    return found;
}

/* The line of ours among what came; what else came is a tool's. */
static int read_answer(struct sbi_sync *sync, const struct sbi_far_end *end, bool *placed,
                       bool *again, sbx_error *err)
{
    const char *line = strstr(end->output, "sbx1 "), *why;
    int length = line == NULL ? 0 : (int)strcspn(line, "\n"), why_length;

    if (line != NULL && strncmp(line, "sbx1 done ", 10) == 0) {
        *placed = true;
        *again = line[10] != '0';
        return *again ? keep_errors(sync, end->errors, err) : SBX_OK;
    }
    why = telling_line(end->errors, &why_length);
    if (line != NULL && strncmp(line, "sbx1 no ", 8) == 0)
        return sbi_fail(err, SBX_ERR_REMOTE, "%.*s failed over there: %.*s", length - 8,
                        line + 8, why_length, why);
    if (line != NULL && strncmp(line, "sbx1 cut", 8) == 0)
        return sbi_fail(err, SBX_ERR_REMOTE, "not all of it came there: %.*s", why_length,
                        why);
    return sbi_fail(err, SBX_ERR_REMOTE, "the answer from over there makes no sense");
}

static int end(struct sbi_pushing *pushing, int rc, bool *placed, bool *again,
               sbx_error *err)
{
    struct sbi_sync *sync = pushing->sync;
    struct sbi_far_end far_end;
    uint64_t up, down;
    sbx_error ours = {0};
    int ended;

    sbi_far_end_input(pushing->far);
    ended = sbi_far_finish(pushing->far, &far_end, &ours);
    sbi_far_bytes(pushing->far, &up, &down);
    sync->wire_up += up;
    sync->wire_down += down;
    if (rc < 0 && rc != SBX_ERR_DISCONNECTED)
        return rc;
    if (ended == SBX_OK)
        return read_answer(sync, &far_end, placed, again, err);
    *placed = true;
    if (err != NULL)
        *err = ours;
    return ended;
}

int sbi_push(struct sbi_sync *sync, bool *placed, bool *again, sbx_error *err)
{
    SBI_CLEANUP(pushing_clear)
    struct sbi_pushing pushing = {
        .sync = sync,
        .source = sbi_sync_source(sync),
        .beneath = {
            .root = -1, .fd = -1, .follow = (sync->flags & SBX_SYNC_FOLLOW) != 0}};
    int rc;

    rc = prepare(&pushing, err);
    if (rc == SBX_OK)
        rc = sbi_sync_phase(sync, SBX_SYNC_CARRYING, err);
    if (rc == SBX_OK)
        rc = start(&pushing, err);
    if (rc < 0)
        return rc;
    rc = send_all(&pushing, err);
    if (rc == SBX_OK)
        rc = sbi_sync_phase(sync, SBX_SYNC_PLACING, err);
    rc = end(&pushing, rc, placed, again, err);
    if (rc == SBX_OK)
        tell_undone(&pushing);
    return rc;
}
