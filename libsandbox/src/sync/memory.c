/* memory.c - hashes of what both sides looked like, looked up by the hash of a path. */
#include "sync/memory.h"

#include "base/array.h"
#include "base/strv.h"

#include <string.h>

#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

/* Every bit of the outcome hangs on every bit that went in. */
static uint64_t mixed(uint64_t hash)
{
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}

static uint64_t hash_path(const char *path, size_t length)
{
    uint64_t hash = FNV_START;
    size_t i;

    for (i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)path[i]) * FNV_PRIME;
    return mixed(hash);
}

static uint64_t hash_words(const uint64_t *words, size_t count)
{
    uint64_t hash = FNV_START;
    size_t i;

    for (i = 0; i < count; i++)
        hash = mixed(hash ^ words[i]) * FNV_PRIME;
    return hash;
}

static uint64_t hash_there(const struct sbi_tree_entry *entry)
{
    const uint64_t words[] = {entry->kind, entry->size, (uint64_t)entry->mtime,
                              entry->mtime_ns, entry->mode};

    return hash_words(words, sizeof(words) / sizeof(words[0]));
}

static uint64_t hash_here(const struct sbi_tree_entry *entry)
{
    const uint64_t words[] = {hash_there(entry), (uint64_t)entry->ctime, entry->inode};

    return hash_words(words, sizeof(words) / sizeof(words[0]));
}

static int by_path(const void *a, const void *b)
{
    const struct sbi_memory_row *left = a, *right = b;

    return (left->path > right->path) - (left->path < right->path);
}

/* Hashes are spread evenly: so where one stands can be told from its value, nearly. */
static const struct sbi_memory_row *find(const struct sbi_memory *memory, uint64_t path)
{
    const struct sbi_memory_row wanted = {path, 0, 0};
    const struct sbi_memory_row *rows = memory->rows;
    uint64_t least = 0, most = UINT64_MAX;
    size_t low = 0, high = memory->count;
    int tries;

    for (tries = 0; tries < 6 && low < high && path >= least && path <= most; tries++) {
        double share = (double)(path - least) / ((double)(most - least) + 1);
        size_t guess = low + (size_t)(share * (double)(high - low));

        if (guess >= high)
            guess = high - 1;
        if (rows[guess].path == path)
            return &rows[guess];
        if (rows[guess].path < path) {
            low = guess + 1;
            least = rows[guess].path;
        } else {
            high = guess;
            most = rows[guess].path;
        }
    }
    return bsearch(&wanted, rows + low, high - low, sizeof(*rows), by_path);
}

int sbi_memory_ask(const struct sbi_memory *memory, const struct sbi_tree *here,
                   size_t at_here, const struct sbi_tree *there, size_t at_there)
{
    const struct sbi_tree_entry *entry = &here->entries[at_here];
    const struct sbi_memory_row *row;

    if (memory == NULL || memory->count == 0)
        return SBI_MEMORY_UNKNOWN;
    row = find(memory, hash_path(sbi_tree_path(here, at_here), entry->path_length));
    if (row == NULL)
        return SBI_MEMORY_UNKNOWN;
    if (row->here != hash_here(entry))
        return SBI_MEMORY_MOVED;
    return row->there == hash_there(&there->entries[at_there]) ? SBI_MEMORY_BOTH
                                                               : SBI_MEMORY_HERE;
}

static int add_row(struct sbi_memory *memory, size_t *capacity,
                   const struct sbi_tree_pair *pair, sbx_error *err)
{
    const struct sbi_tree_entry *entry = &pair->a->entries[pair->at_a];
    int rc = sbi_array_reserve(&memory->rows, sizeof(*memory->rows), memory->count + 1,
                               capacity, err);

    if (rc == SBX_OK)
        memory->rows[memory->count++] = (struct sbi_memory_row){
            hash_path(sbi_tree_path(pair->a, pair->at_a), entry->path_length),
            hash_here(entry), hash_there(&pair->b->entries[pair->at_b])};
    return rc;
}

/* Only where there is more than one file system can one begin in the tree. */
static int add_mounts(struct sbi_memory *memory, const struct sbi_tree *here,
                      sbx_error *err)
{
    size_t end = here->device_count > 1 ? here->count : here->root_is_mount ? 1 : 0;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; rc == SBX_OK && i < end; i++)
        if (here->entries[i].kind == SBI_TREE_FOLDER && sbi_tree_is_mount(here, i))
            rc = sbi_strv_add(&memory->mounts, sbi_tree_path(here, i), err);
    return rc;
}

int sbi_memory_set(struct sbi_memory *memory, const struct sbi_tree *here,
                   const struct sbi_tree *there, sbx_error *err)
{
    SBI_AUTO_MEMORY made = {0};
    struct sbi_tree_pair pair = {.a = here, .b = there};
    size_t capacity = 0;
    int rc = add_mounts(&made, here, err);

    while (rc == SBX_OK && sbi_tree_pair_next(&pair))
        if (pair.at_a != SBI_TREE_NONE && pair.at_b != SBI_TREE_NONE)
            rc = add_row(&made, &capacity, &pair, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "remember a sync");
    if (made.count > 0)
        qsort(made.rows, made.count, sizeof(*made.rows), by_path);
    made.note = SBI_STEAL(memory->note);
    sbi_memory_clear(memory);
    *memory = made;
    made = (struct sbi_memory){0};
    return SBX_OK;
}

const char *sbi_memory_lost_mount(const struct sbi_memory *memory,
                                  const struct sbi_tree *here)
{
    char **mount = memory == NULL ? NULL : memory->mounts;

    for (; mount != NULL && *mount != NULL; mount++) {
        size_t at = sbi_tree_find(here, *mount, strlen(*mount));

        if (at != SBI_TREE_NONE && here->entries[at].kind == SBI_TREE_FOLDER &&
            !sbi_tree_is_mount(here, at))
            return *mount;
    }
    return NULL;
}

void sbi_memory_clear(struct sbi_memory *memory)
{
    free(memory->rows);
    sbi_strv_clear(&memory->mounts);
    free(memory->note);
    *memory = (struct sbi_memory){0};
}
