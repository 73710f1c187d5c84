/* tree.c - packs entries: texts end to end in one block, devices and digests by number.
 */
#include "sync/tree.h"

#include "base/array.h"

#include <string.h>

#define TEXT_LIMIT ((size_t)UINT32_MAX)
#define NANOSECONDS 1000000000

static bool is_dots(const char *name, size_t length)
{
    return (length == 1 && name[0] == '.') ||
           (length == 2 && name[0] == '.' && name[1] == '.');
}

static bool name_is_safe(const char *name, size_t length)
{
    return length > 0 && length <= SBI_TREE_NAME_LIMIT && !is_dots(name, length);
}

bool sbi_tree_path_is_safe(const char *path, size_t length)
{
    size_t start = 0;

    if (length > SBI_TREE_PATH_LIMIT || memchr(path, '\0', length) != NULL)
        return false;
    while (start < length) {
        const char *slash = memchr(path + start, '/', length - start);
        size_t end = slash == NULL ? length : (size_t)(slash - path);

        if (!name_is_safe(path + start, end - start) || end + 1 == length)
            return false;
        start = end + 1;
    }
    return true;
}

/* The empty text is the NUL that the block starts with, so that 0 stands for it. */
static int add_text(struct sbi_tree *tree, const char *text, size_t length, uint32_t *out,
                    sbx_error *err)
{
    size_t first = tree->text_length == 0 ? 1 : 0;
    int rc;

    if (length == 0 && first == 0) {
        *out = 0;
        return SBX_OK;
    }
    if (length + 1 + first > TEXT_LIMIT - tree->text_length)
        return sbi_fail(err, SBX_ERR_LIMIT, "the names of a tree are over 4 GiB");
    rc = sbi_array_reserve(&tree->text, 1, tree->text_length + length + 1 + first,
                           &tree->text_capacity, err);
    if (rc < 0)
        return rc;

    if (first > 0)
        tree->text[tree->text_length++] = '\0';
    *out = length == 0 ? 0 : (uint32_t)tree->text_length;
    if (length > 0) {
        memcpy(tree->text + tree->text_length, text, length);
        tree->text[tree->text_length + length] = '\0';
        tree->text_length += length + 1;
    }
    return SBX_OK;
}

/* Few file systems make a tree, and the next entry is on the same one as the last. */
static int device_number(struct sbi_tree *tree, uint64_t device, uint16_t *out,
                         sbx_error *err)
{
    size_t i;
    uint64_t *grown;

    for (i = tree->device_count; i > 0; i--)
        if (tree->devices[i - 1] == device)
            break;
    if (i == 0 && device != 0 && tree->device_count < UINT16_MAX) {
        grown = realloc(tree->devices, (tree->device_count + 1) * sizeof(*grown));
        if (grown == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
        tree->devices = grown;
        tree->devices[tree->device_count++] = device;
        i = tree->device_count;
    }
    *out = (uint16_t)i;
    return SBX_OK;
}

/* Saturates, as in the year 2262. Only its moving is ever asked for. */
static int64_t as_nanoseconds(int64_t seconds, unsigned nanoseconds)
{
    if (seconds >= INT64_MAX / NANOSECONDS)
        return INT64_MAX;
    if (seconds <= INT64_MIN / NANOSECONDS)
        return INT64_MIN;
    return seconds * NANOSECONDS + nanoseconds;
}

static void pack(struct sbi_tree_entry *entry, const struct sbi_tree_item *item)
{
    *entry = (struct sbi_tree_entry){
        .mtime = item->mtime,
        .mtime_ns = item->mtime_ns,
        .size = item->kind == SBI_TREE_FILE ? item->size : 0,
        .inode = item->inode,
        .ctime = as_nanoseconds(item->ctime_sec, item->ctime_ns),
        .links = item->links < UINT16_MAX ? (uint16_t)item->links : UINT16_MAX,
        .kind = (unsigned)item->kind & 7u,
        .digits = item->digits & 15u,
        .mode = item->mode & 07777u,
        .path_length = (unsigned)item->path_length & 8191u,
    };
}

/* The text block of a name that did not fit stays a few bytes longer: no harm. */
static int pack_texts(struct sbi_tree *tree, const struct sbi_tree_item *item,
                      struct sbi_tree_entry *entry, sbx_error *err)
{
    const char *target = item->target == NULL ? "" : item->target;
    int rc = add_text(tree, item->path, item->path_length, &entry->path, err);

    if (rc == SBX_OK)
        rc = add_text(tree, target, strlen(target), &entry->target, err);
    if (rc == SBX_OK)
        rc = device_number(tree, item->device, &entry->device, err);
    return rc;
}

static bool is_behind_last(const struct sbi_tree *tree, const struct sbi_tree_item *item)
{
    size_t last = tree->count - 1;

    return tree->count == 0 ||
           sbi_tree_compare(sbi_tree_path(tree, last), tree->entries[last].path_length,
                            item->path, item->path_length) < 0;
}

int sbi_tree_add(struct sbi_tree *tree, const struct sbi_tree_item *item, sbx_error *err)
{
    struct sbi_tree_entry entry;
    bool in_order;
    int rc;

    tree->is_sealed = false;
    if (!sbi_tree_path_is_safe(item->path, item->path_length))
        return sbi_fail(err, SBX_ERR_INVALID, "'%.*s' is no path below a root",
                        item->path_length > 200 ? 200 : (int)item->path_length,
                        item->path);
    if (tree->count >= SBI_TREE_NONE - 1)
        return sbi_fail(err, SBX_ERR_LIMIT, "a tree of over 4 billion entries");
    rc = sbi_array_reserve(&tree->entries, sizeof(*tree->entries), tree->count + 1,
                           &tree->capacity, err);
    if (rc < 0)
        return rc;

    in_order = is_behind_last(tree, item);
    pack(&entry, item);
    rc = pack_texts(tree, item, &entry, err);
    if (rc < 0)
        return rc;
    tree->entries[tree->count++] = entry;
    tree->unsorted = tree->unsorted || !in_order;
    tree->partial = tree->partial || item->kind == SBI_TREE_UNREAD;
    return SBX_OK;
}

const char *sbi_tree_path(const struct sbi_tree *tree, size_t index)
{
    return tree->text + tree->entries[index].path;
}

const char *sbi_tree_target(const struct sbi_tree *tree, size_t index)
{
    return tree->text + tree->entries[index].target;
}

uint64_t sbi_tree_device(const struct sbi_tree *tree, size_t index)
{
    uint16_t number = tree->entries[index].device;

    return number == 0 ? 0 : tree->devices[number - 1];
}

const unsigned char *sbi_tree_digest(const struct sbi_tree *tree, size_t index)
{
    uint32_t number = tree->entries[index].digest;

    return number == 0 ? NULL : tree->digests + (size_t)(number - 1) * SBI_TREE_DIGEST;
}

int sbi_tree_set_digest(struct sbi_tree *tree, size_t index,
                        const unsigned char digest[SBI_TREE_DIGEST], sbx_error *err)
{
    uint32_t number = tree->entries[index].digest;
    int rc;

    tree->is_sealed = false;
    if (number == 0) {
        rc = sbi_array_reserve(&tree->digests, SBI_TREE_DIGEST, tree->digest_count + 1,
                               &tree->digest_capacity, err);
        if (rc < 0)
            return rc;
        number = (uint32_t)++tree->digest_count;
        tree->entries[index].digest = number;
    }
    memcpy(tree->digests + (size_t)(number - 1) * SBI_TREE_DIGEST, digest,
           SBI_TREE_DIGEST);
    return SBX_OK;
}

void sbi_tree_clear(struct sbi_tree *tree)
{
    free(tree->entries);
    free(tree->text);
    free(tree->devices);
    free(tree->digests);
    *tree = (struct sbi_tree){0};
}
