/*
 * compare.c - the far side hashes its files while this one hashes its own. A line of its
 * answer is believed where it names a file that was asked for.
 */
#include "sync/compare.h"

#include "base/digest.h"
#include "base/str.h"
#include "sync/beneath.h"
#include "sync/far_script.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define PIECE (256 * 1024)
#define LINE_LIMIT (16 * 1024)
#define HEX 64

struct comparing {
    struct sbi_sync *sync;
    struct sbi_tree *here;
    struct sbi_tree *there;
    struct sbi_plan_doubts doubts;
    struct sbi_far *far;
    struct sbi_beneath beneath;
    char *piece;
    struct sbi_str names;
    struct sbi_str line;
};

static void comparing_clear(struct comparing *comparing)
{
    sbi_far_free(comparing->far);
    sbi_plan_doubts_clear(&comparing->doubts);
    sbi_close_fd(&comparing->beneath.root);
    sbi_beneath_clear(&comparing->beneath);
    free(comparing->piece);
    sbi_str_clear(&comparing->names);
    sbi_str_clear(&comparing->line);
}

static uint32_t index_here(const struct comparing *comparing, size_t i)
{
    const struct sbi_plan_doubt *doubt = &comparing->doubts.items[i];

    return comparing->sync->direction == SBX_SYNC_PUSH ? doubt->source : doubt->target;
}

static uint32_t index_there(const struct comparing *comparing, size_t i)
{
    const struct sbi_plan_doubt *doubt = &comparing->doubts.items[i];

    return comparing->sync->direction == SBX_SYNC_PUSH ? doubt->target : doubt->source;
}

static int start(struct comparing *comparing, sbx_error *err)
{
    struct sbi_sync *sync = comparing->sync;
    const char *const args[] = {sync->there.folder, NULL};
    struct sbi_far_opts opts = {.script = sbi_far_sum_script,
                                .args = args,
                                .reads = true,
                                .cancel = sync->cancel};
    size_t i;

    for (i = 0; i < comparing->doubts.count; i++) {
        const char *path = sbi_sync_below(
            sbi_tree_path(comparing->there, index_there(comparing, i)), sync->there.name);

        if (sync->there.form != SBI_FORM_GNU && strchr(path, '\n') != NULL)
            continue; /* its line would read as two */
        sbi_str_add(&comparing->names, "./");
        sbi_str_add_bytes(&comparing->names, path, strlen(path) + 1);
    }
    if (comparing->names.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    opts.input = comparing->names.data;
    opts.input_length = comparing->names.length;
    return sbi_far_start(sync->session, &opts, &comparing->far, err);
}

/* false: it cannot be read, and so is not known to be the same. */
static bool hash_file(struct comparing *comparing, int fd, unsigned char digest[32],
                      int *rc, sbx_error *err)
{
    SBI_AUTO_SHA256 hash = NULL;
    ssize_t got;

    *rc = sbi_sha256_new(&hash, err);
    while (*rc == SBX_OK) {
        got = read(fd, comparing->piece, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        sbi_sha256_add(hash, comparing->piece, (size_t)got);
        *rc = sbi_sync_tell(comparing->sync, false, err);
    }
    if (*rc == SBX_OK)
        *rc = sbi_sha256_end(hash, digest, err);
    return *rc == SBX_OK;
}

static int hash_here(struct comparing *comparing, sbx_error *err)
{
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < comparing->doubts.count && rc == SBX_OK; i++) {
        uint32_t index = index_here(comparing, i);
        unsigned char digest[32];
        SBI_AUTOCLOSE int fd = -1;
        const char *name;
        int folder;

        if (sbi_beneath_find(&comparing->beneath,
                             sbi_sync_below(sbi_tree_path(comparing->here, index),
                                            comparing->sync->here.name),
                             &folder, &name) == 0)
            fd = openat(folder, name,
                        O_RDONLY | O_NONBLOCK | O_CLOEXEC |
                            (comparing->beneath.follow ? 0 : O_NOFOLLOW));
        if (fd >= 0 && hash_file(comparing, fd, digest, &rc, err))
            rc = sbi_tree_set_digest(comparing->here, index, digest, err);
    }
    return rc;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *found = c == '\0' ? NULL : strchr(digits, c);

    return found == NULL ? -1 : (int)(found - digits);
}

/* GNU's begins a line with a backslash where its name has some; the length without. */
static size_t unescape(char *text, size_t length)
{
    size_t from, to = 0;

    for (from = 1; from < length; from++) {
        char c = text[from];

        if (c == '\\' && from + 1 < length) {
            c = text[++from];
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
        text[to++] = c;
    }
    return to;
}

/* "HEX  ./PATH", or with a star for the second blank. */
static int take_line(struct comparing *comparing, char *line, size_t length,
                     sbx_error *err)
{
    const char *path = line + HEX + 4;
    unsigned char digest[32];
    size_t index, i;

    if (length > 0 && line[0] == '\\')
        length = unescape(line, length);
    if (length < HEX + 4 || line[HEX] != ' ' || memcmp(line + HEX + 2, "./", 2) != 0)
        return SBX_OK;
    for (i = 0; i < 32; i++) {
        int high = digit(line[2 * i]), low = digit(line[2 * i + 1]);

        if (high < 0 || low < 0)
            return SBX_OK;
        digest[i] = (unsigned char)(high << 4 | low);
    }
    index = comparing->sync->there.name[0] != '\0'
                ? 0
                : sbi_tree_find(comparing->there, path, length - HEX - 4);
    if (index == SBI_TREE_NONE || index >= comparing->there->count ||
        comparing->there->entries[index].kind != SBI_TREE_FILE)
        return SBX_OK;
    return sbi_tree_set_digest(comparing->there, index, digest, err);
}

static int take_lines(struct comparing *comparing, const char *data, size_t length,
                      sbx_error *err)
{
    struct sbi_str *line = &comparing->line;
    int rc = SBX_OK;

    while (length > 0 && rc == SBX_OK) {
        const char *end = memchr(data, '\n', length);
        size_t part = end == NULL ? length : (size_t)(end - data);

        if (line->length + part <= LINE_LIMIT)
            sbi_str_add_bytes(line, data, part);
        if (end == NULL)
            break;
        if (line->data != NULL)
            rc = take_line(comparing, line->data, line->length, err);
        line->length = 0;
        data += part + 1;
        length -= part + 1;
    }
    if (rc == SBX_OK && line->status != SBX_OK)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return rc;
}

static int read_there(struct comparing *comparing, sbx_error *err)
{
    struct sbi_far_end end;
    ssize_t got = 1;
    int rc = SBX_OK;

    while (rc == SBX_OK && got > 0) {
        got = sbi_far_get(comparing->far, comparing->piece, PIECE, err);
        rc = got < 0 ? (int)got
                     : take_lines(comparing, comparing->piece, (size_t)got, err);
    }
    if (rc == SBX_OK)
        rc = sbi_far_finish(comparing->far, &end, err);
    return rc;
}

static int prepare(struct comparing *comparing, sbx_error *err)
{
    comparing->piece = malloc(PIECE);
    if (comparing->piece == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    comparing->beneath.root =
        open(comparing->sync->here.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (comparing->beneath.root < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", comparing->sync->here.folder);
    return SBX_OK;
}

int sbi_compare(struct sbi_sync *sync, sbx_error *err)
{
    SBI_CLEANUP(comparing_clear)
    struct comparing comparing = {
        .sync = sync,
        .here = &sync->here.tree,
        .there = &sync->there.tree,
        .beneath = {.root = -1,
                    .fd = -1,
                    .follow = sync->direction == SBX_SYNC_PUSH &&
                              (sync->flags & SBX_SYNC_FOLLOW) != 0}};
    uint64_t up, down;
    int rc;

    rc = sbi_plan_doubts(sbi_sync_source(sync), sbi_sync_target(sync), &sync->plan_opts,
                         &comparing.doubts, err);
    if (rc < 0 || comparing.doubts.count == 0)
        return rc;
    rc = sbi_sync_phase(sync, SBX_SYNC_COMPARING, err);
    if (rc == SBX_OK)
        rc = prepare(&comparing, err);
    if (rc == SBX_OK)
        rc = start(&comparing, err);
    if (rc == SBX_OK)
        rc = hash_here(&comparing, err);
    if (rc == SBX_OK)
        rc = read_there(&comparing, err);
    if (comparing.far != NULL) {
        sbi_far_bytes(comparing.far, &up, &down);
        sync->wire_up += up;
        sync->wire_down += down;
    }
    return rc;
}
