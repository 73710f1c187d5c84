/*
 * pull_part.c - large files are written in the folder of our own by a name that the next
 * pull knows them by. It asks the far side whether they begin so, and takes the rest.
 *
 * Who writes to a part holds its lock, and so may rename it; another pull of the same
 * file at the same time writes elsewhere.
 */
#include "sync/pull_state.h"

#include "base/write.h"
#include "sync/far_script.h"
#include "sync/part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SIGN "sbx1 rest\n"
#define SIGN_LENGTH 10
#define DAY 86400

static void part_clear(struct sbi_pull_part *part)
{
    sbi_close_fd(&part->fd);
}

static bool is_large(const struct sbi_pulling *pulling, uint32_t source)
{
    return pulling->source->entries[source].size > SBI_PART_FROM;
}

static int name_part(struct sbi_pulling *pulling, uint32_t source, char out[64],
                     sbx_error *err)
{
    char key[33];
    int rc = sbi_part_key(pulling->sync, source, key, err);

    (void)snprintf(out, 64, "%s%s", SBI_PART_NAME, rc == SBX_OK ? key : "");
    return rc;
}

/* Ours alone, and still the one of that name; else -1. */
static int open_locked(int folder, const char *name, int flags)
{
    struct stat info, named;
    int fd =
        openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags, 0600);

    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 &&
        S_ISREG(info.st_mode) && info.st_nlink == 1 &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        named.st_ino == info.st_ino)
        return fd;
    (void)close(fd);
    return -1;
}

int sbi_pull_part_open(struct sbi_pulling *pulling, uint32_t source,
                       struct sbi_pull_part *out, sbx_error *err)
{
    int rc;

    out->fd = -1;
    if (!is_large(pulling, source))
        return SBX_OK;
    rc = name_part(pulling, source, out->name, err);
    if (rc == SBX_OK)
        out->fd = open_locked(pulling->all, out->name, O_CREAT);
    return rc;
}

struct rest {
    struct sbi_pulling *pulling;
    uint32_t source;
    struct sbi_pull_part part;
    uint64_t size;          /* of the part */
    char hash[65];          /* of it */
    struct sbi_sha256 *sum; /* of all that is here so far */
    struct sbi_far *far;
};

static void rest_clear(struct rest *rest)
{
    sbi_far_free(rest->far);
    sbi_sha256_free(rest->sum);
    part_clear(&rest->part);
}

static int hash_part(struct rest *rest, bool *whole, sbx_error *err)
{
    SBI_AUTO_SHA256 sum = NULL;
    unsigned char digest[32];
    int rc = sbi_sha256_new(&sum, err);

    if (rc == SBX_OK)
        rc = sbi_sha256_new(&rest->sum, err);
    if (rc == SBX_OK)
        rc = sbi_part_read(rest->pulling->sync, rest->part.fd, rest->size, sum, rest->sum,
                           whole, err);
    if (rc == SBX_OK)
        rc = sbi_sha256_end(sum, digest, err);
    if (rc == SBX_OK)
        sbi_hex(digest, sizeof(digest), rest->hash);
    return rc;
}

static int ask(struct rest *rest, sbx_error *err)
{
    struct sbi_sync *sync = rest->pulling->sync;
    char offset[32];
    const char *const args[] = {
        sync->there.folder,
        sbi_sync_below(sbi_tree_path(rest->pulling->source, rest->source),
                       sync->there.name),
        offset, rest->hash, NULL};
    const struct sbi_far_opts opts = {.script = sbi_far_rest_script,
                                      .args = args,
                                      .reads = true,
                                      .cancel = sync->cancel};

    (void)snprintf(offset, sizeof(offset), "%" PRIu64, rest->size);
    return sbi_far_start(sync->session, &opts, &rest->far, err);
}

/* *ours: the far side goes on where the part ends. */
static int read_sign(struct rest *rest, bool *ours, sbx_error *err)
{
    char sign[SIGN_LENGTH];
    size_t length = 0;
    ssize_t got = 1;

    while (length < SIGN_LENGTH && got > 0) {
        got = sbi_far_get(rest->far, sign + length, SIGN_LENGTH - length, err);
        length += got > 0 ? (size_t)got : 0;
    }
    *ours = length == SIGN_LENGTH && memcmp(sign, SIGN, SIGN_LENGTH) == 0;
    return got < 0 ? (int)got : SBX_OK;
}

static int take_rest(struct rest *rest, int *failed, sbx_error *err)
{
    struct sbi_pulling *pulling = rest->pulling;
    ssize_t got = 1;
    int rc = SBX_OK;

    while (rc == SBX_OK && got > 0 && *failed == 0) {
        got = sbi_far_get(rest->far, pulling->piece, SBI_PULL_PIECE, err);
        if (got <= 0)
            break;
        *failed = sbi_write_all(rest->part.fd, pulling->piece, (size_t)got);
        sbi_sha256_add(rest->sum, pulling->piece, (size_t)got);
        rest->size += (uint64_t)got;
        pulling->sync->progress.now.bytes_done += (uint64_t)got;
        rc = sbi_sync_tell(pulling->sync, false, err);
    }
    return got < 0 ? (int)got : rc;
}

/* *whole: what is here now is what the far side has read in the end. */
static int compare(struct rest *rest, bool *whole, sbx_error *err)
{
    struct sbi_sync *sync = rest->pulling->sync;
    unsigned char digest[32];
    struct sbi_far_end end;
    char hex[65];
    uint64_t up, down;
    int rc = sbi_far_finish(rest->far, &end, err);

    sbi_far_bytes(rest->far, &up, &down);
    sync->wire_up += up;
    sync->wire_down += down;
    if (rc == SBX_OK)
        rc = sbi_sha256_end(rest->sum, digest, err);
    if (rc < 0)
        return rc;
    sbi_hex(digest, sizeof(digest), hex);
    *whole = end.code == 0 && strstr(end.errors, hex) != NULL &&
             rest->size == rest->pulling->source->entries[rest->source].size;
    return SBX_OK;
}

static int place_rest(struct rest *rest, sbx_error *err)
{
    struct sbi_pulling *pulling = rest->pulling;
    const struct sbi_tree_entry *entry = &pulling->source->entries[rest->source];
    int failed = sbi_pull_dress(rest->part.fd, entry);

    if (failed == 0)
        failed = sbi_pull_place(pulling, pulling->all, rest->part.name, rest->source);
    pulling->state[rest->source] = SBI_PULL_NONE;
    if (failed != 0)
        return sbi_pull_failed(pulling, sbi_tree_path(pulling->source, rest->source),
                               failed, err);
    sbi_pull_count(pulling, rest->source);
    return SBX_OK;
}

/* Whether there is a part, of a length that it can have. */
static int find_part(struct rest *rest, bool *found, sbx_error *err)
{
    struct sbi_pulling *pulling = rest->pulling;
    struct stat info;
    int rc = name_part(pulling, rest->source, rest->part.name, err);

    if (rc < 0)
        return rc;
    rest->part.fd = open_locked(pulling->all, rest->part.name, 0);
    *found = rest->part.fd >= 0 && fstat(rest->part.fd, &info) == 0 && info.st_size > 0 &&
             (uint64_t)info.st_size <= pulling->source->entries[rest->source].size;
    rest->size = *found ? (uint64_t)info.st_size : 0;
    return SBX_OK;
}

static int resume(struct sbi_pulling *pulling, uint32_t source, sbx_error *err)
{
    SBI_CLEANUP(rest_clear)
    struct rest rest = {.pulling = pulling, .source = source, .part = {.fd = -1}};
    bool go_on = false;
    int failed = 0;
    int rc = find_part(&rest, &go_on, err);

    if (rc == SBX_OK && go_on)
        rc = hash_part(&rest, &go_on, err);
    if (rc < 0 || !go_on)
        return rc;
    rc = ask(&rest, err);
    if (rc == SBX_OK)
        rc = read_sign(&rest, &go_on, err);
    if (rc == SBX_OK && go_on && lseek(rest.part.fd, 0, SEEK_END) < 0)
        failed = errno;
    if (rc == SBX_OK && go_on && failed == 0)
        rc = take_rest(&rest, &failed, err);
    if (rc == SBX_OK && failed != 0) {
        pulling->state[source] = SBI_PULL_NONE;
        return sbi_pull_failed(pulling, sbi_tree_path(pulling->source, source), failed,
                               err);
    }
    if (rc == SBX_OK)
        rc = compare(&rest, &go_on, err);
    return rc == SBX_OK && go_on ? place_rest(&rest, err) : rc;
}

int sbi_pull_rests(struct sbi_pulling *pulling, sbx_error *err)
{
    const struct sbi_plan_list *make = &pulling->sync->plan.make;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < make->count && rc == SBX_OK; i++) {
        uint32_t source = make->items[i].source;

        if (make->items[i].what == SBI_PLAN_SEND && is_large(pulling, source))
            rc = resume(pulling, source, err);
    }
    return rc;
}

static bool is_old(int folder, const char *name)
{
    struct stat info;

    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           time(NULL) - info.st_mtime > DAY;
}

static void sweep_one(int folder, const char *name)
{
    SBI_AUTOCLOSE int below = -1;

    if (unlinkat(folder, name, 0) == 0)
        return;
    below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0)
        (void)unlinkat(below, "new", 0);
    (void)unlinkat(folder, name, AT_REMOVEDIR);
}

void sbi_pull_sweep(struct sbi_pulling *pulling)
{
    int copy = openat(pulling->all, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;

    if (folder == NULL) {
        sbi_close_fd(&copy);
        return;
    }
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && is_old(pulling->all, entry->d_name))
            sweep_one(pulling->all, entry->d_name);
    (void)closedir(folder);
}
