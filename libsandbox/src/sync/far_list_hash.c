/*
 * far_list_hash.c - what the far side's own listing will hash to, told from a tree: the
 * same records in the same order as its find and sort make them.
 */
#include "base/digest.h"
#include "sync/far_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A record begins with its path and "//", which is where two of them differ. */
static int compare_records(const void *a, const void *b, void *userdata)
{
    const struct sbi_tree *tree = userdata;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const char *left = sbi_tree_path(tree, i), *right = sbi_tree_path(tree, j);
    size_t left_length = tree->entries[i].path_length;
    size_t right_length = tree->entries[j].path_length;
    size_t shorter = left_length < right_length ? left_length : right_length;
    int order = memcmp(left, right, shorter);

    if (order != 0 || left_length == right_length)
        return order;
    if (left_length < right_length)
        return (unsigned char)right[shorter] < '/' ? 1 : -1;
    return (unsigned char)left[shorter] < '/' ? -1 : 1;
}

static char letter_of(unsigned kind)
{
    switch (kind) {
    case SBI_TREE_FILE:
        return 'f';
    case SBI_TREE_FOLDER:
        return 'd';
    case SBI_TREE_LINK:
        return 'l';
    default:
        return 'p';
    }
}

static void add_record(struct sbi_sha256 *hash, const struct sbi_tree *tree, size_t index)
{
    const struct sbi_tree_entry *entry = &tree->entries[index];
    const char *target = sbi_tree_target(tree, index);
    char text[160];
    int length;

    if (entry->path_length == 0 && entry->kind == SBI_TREE_FOLDER)
        length = snprintf(text, sizeof(text), "//d %o 0 0 - - - ", (unsigned)entry->mode);
    else
        length =
            snprintf(text, sizeof(text), "//%c %o %" PRIu64 " %" PRId64 ".%09u0 - - - ",
                     letter_of(entry->kind), (unsigned)entry->mode, entry->size,
                     entry->mtime, entry->mtime_ns);
    sbi_sha256_add(hash, sbi_tree_path(tree, index), entry->path_length);
    sbi_sha256_add(hash, text, (size_t)length);
    sbi_sha256_add(hash, target, strlen(target) + 1);
}

int sbi_far_list_hash(const struct sbi_tree *tree, char out[65], sbx_error *err)
{
    SBI_AUTOFREE uint32_t *order = calloc(tree->count + 1, sizeof(*order));
    SBI_AUTO_SHA256 hash = NULL;
    unsigned char digest[32];
    uint32_t i;
    int rc;

    if (order == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_sha256_new(&hash, err);
    if (rc < 0)
        return rc;
    for (i = 0; i < tree->count; i++)
        order[i] = i;
    qsort_r(order, tree->count, sizeof(*order), compare_records, (void *)(uintptr_t)tree);
    for (i = 0; i < tree->count; i++)
        add_record(hash, tree, order[i]);
    rc = sbi_sha256_end(hash, digest, err);
    if (rc == SBX_OK)
        sbi_hex(digest, sizeof(digest), out);
    return rc;
}
