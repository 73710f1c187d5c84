/*
 * push_part.c - a large file goes with its name ahead of it, in `c`, so that what has
 * come of it can be kept over there when the line is cut; and of one that was kept only
 * the rest is sent, once its beginning has proved to be ours.
 */
#include "sync/push_state.h"

#include "sync/far_script.h"
#include "sync/part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int add_text(struct sbi_pushing *pushing, const char *list, struct sbi_str *text,
                    sbx_error *err)
{
    char name[32];

    if (text->status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    (void)snprintf(name, sizeof(name), "%s.%06u", list, pushing->parts++);
    return sbi_push_control(pushing, name, text->data, text->length, err);
}

static void add_word(struct sbi_str *text, const char *word)
{
    sbi_str_add_bytes(text, word, strlen(word) + 1);
}

/* "S/t/PATH", and where a part of it is kept. */
static int add_names(struct sbi_pushing *pushing, uint32_t source, const char *key,
                     struct sbi_str *text, sbx_error *err)
{
    int rc = sbi_push_staged(pushing, "/", source, err);

    sbi_str_add(text, pushing->stage);
    add_word(text, pushing->path.data);
    sbi_str_add(text, SBI_FAR_STAGE "/" SBI_PART_NAME);
    add_word(text, key);
    return rc;
}

static int begin_whole(struct sbi_pushing *pushing, uint32_t source, const char *key,
                       sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    int rc = add_names(pushing, source, key, &text, err);

    return rc == SBX_OK ? add_text(pushing, "part", &text, err) : rc;
}

static int begin_rest(struct sbi_pushing *pushing, uint32_t source, const char *key,
                      uint64_t offset, sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    char rest[128], number[32];
    int rc = sbi_push_folder_of(pushing, source, err);

    if (rc == SBX_OK)
        rc = add_names(pushing, source, key, &text, err);
    (void)snprintf(rest, sizeof(rest), "%s/%s/r-%s", SBI_FAR_STAGE, pushing->run, key);
    add_word(&text, rest);
    (void)snprintf(number, sizeof(number), "%" PRIu64, offset);
    add_word(&text, number);
    (void)snprintf(number, sizeof(number), "%o",
                   (unsigned)pushing->source->entries[source].mode);
    add_word(&text, number);
    return rc == SBX_OK ? add_text(pushing, "rest", &text, err) : rc;
}

/* Whether what is kept over there is how this file begins. */
static int is_ours(struct sbi_pushing *pushing, int fd, uint64_t size, const char *hash,
                   bool *out, sbx_error *err)
{
    SBI_AUTO_SHA256 sum = NULL;
    unsigned char digest[32];
    char hex[65];
    bool whole = false;
    int rc = sbi_sha256_new(&sum, err);

    if (rc == SBX_OK)
        rc = sbi_part_read(pushing->sync, fd, size, sum, NULL, &whole, err);
    if (rc == SBX_OK)
        rc = sbi_sha256_end(sum, digest, err);
    if (rc < 0)
        return rc;
    sbi_hex(digest, sizeof(digest), hex);
    *out = whole && strcmp(hex, hash) == 0;
    return SBX_OK;
}

int sbi_push_part(struct sbi_pushing *pushing, uint32_t source, int fd, uint64_t size,
                  uint64_t *offset, sbx_error *err)
{
    struct sbi_str *path = &pushing->path;
    char key[33], hash[65];
    uint64_t kept = 0;
    bool ours = false;
    int rc;

    *offset = 0;
    rc = sbi_part_key(pushing->sync, source, key, err);
    if (rc == SBX_OK && sbi_part_find(pushing->sync->there.parts, key, &kept, hash) &&
        kept <= size)
        rc = is_ours(pushing, fd, kept, hash, &ours, err);
    if (rc < 0)
        return rc;
    if (!ours) {
        rc = begin_whole(pushing, source, key, err);
        return rc == SBX_OK ? sbi_push_staged(pushing, "t/", source, err) : rc;
    }
    rc = begin_rest(pushing, source, key, kept, err);
    path->length = 0;
    sbi_str_addf(path, "r-%s", key);
    if (rc == SBX_OK && path->status != SBX_OK)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (rc == SBX_OK && lseek(fd, (off_t)kept, SEEK_SET) < 0)
        rc = sbi_fail_errno(err, SBX_ERR_IO, "read on in a file");
    if (rc == SBX_OK)
        *offset = kept;
    return rc;
}
