/* tree_order.c - the order of a tree: comparing, sorting, looking up, walking two. */
#include "sync/tree.h"

#include <string.h>

#define DEPTH_LIMIT (SBI_TREE_PATH_LIMIT / 2 + 2)

static int rank(char c)
{
    return c == '/' ? 0 : (unsigned char)c;
}

/* Paths of one folder share a long start: eight bytes at a time. */
static size_t common_length(const char *a, const char *b, size_t length)
{
    uint64_t of_a, of_b;
    size_t i = 0;

    while (i + 8 <= length) {
        memcpy(&of_a, a + i, 8);
        memcpy(&of_b, b + i, 8);
        if (of_a != of_b)
            break;
        i += 8;
    }
    while (i < length && a[i] == b[i])
        i++;
    return i;
}

int sbi_tree_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t shorter = a_length < b_length ? a_length : b_length;
    size_t same = common_length(a, b, shorter);

    if (same < shorter)
        return rank(a[same]) - rank(b[same]);
    return (a_length > b_length) - (a_length < b_length);
}

static int compare_entries(const struct sbi_tree *a, size_t in_a,
                           const struct sbi_tree *b, size_t in_b)
{
    return sbi_tree_compare(sbi_tree_path(a, in_a), a->entries[in_a].path_length,
                            sbi_tree_path(b, in_b), b->entries[in_b].path_length);
}

/* Merges two sorted neighbours of from into to. A listing is sorted in long runs. */
static void merge(const struct sbi_tree *tree, const uint32_t *from, uint32_t *to,
                  size_t left, size_t middle, size_t end)
{
    size_t right = middle;
    size_t at = left;

    if (middle >= end ||
        compare_entries(tree, from[middle - 1], tree, from[middle]) <= 0) {
        memcpy(to + left, from + left, (end - left) * sizeof(*to));
        return;
    }
    while (left < middle && right < end)
        to[at++] = compare_entries(tree, from[left], tree, from[right]) <= 0
                       ? from[left++]
                       : from[right++];
    memcpy(to + at, from + left, (middle - left) * sizeof(*to));
    memcpy(to + at + (middle - left), from + right, (end - right) * sizeof(*to));
}

static uint32_t *sort_order(const struct sbi_tree *tree, uint32_t *order, uint32_t *spare)
{
    size_t width, left, i;

    for (i = 0; i < tree->count; i++)
        order[i] = (uint32_t)i;
    for (width = 1; width < tree->count; width *= 2) {
        uint32_t *swap = order;

        for (left = 0; left < tree->count; left += 2 * width) {
            size_t middle = left + width < tree->count ? left + width : tree->count;
            size_t end = middle + width < tree->count ? middle + width : tree->count;

            merge(tree, order, spare, left, middle, end);
        }
        order = spare;
        spare = swap;
    }
    return order;
}

/* Moves entries round their circles: a second array of them would cost too much. */
static void permute(struct sbi_tree_entry *entries, uint32_t *order, size_t count)
{
    size_t start;

    for (start = 0; start < count; start++) {
        struct sbi_tree_entry first = entries[start];
        size_t at = start;

        while (order[at] != start) {
            size_t next = order[at];

            entries[at] = entries[next];
            order[at] = (uint32_t)at;
            at = next;
        }
        entries[at] = first;
        order[at] = (uint32_t)at;
    }
}

static int put_in_order(struct sbi_tree *tree, sbx_error *err)
{
    SBI_AUTOFREE uint32_t *orders = NULL;

    if (!tree->unsorted)
        return SBX_OK;
    orders = calloc(tree->count, 2 * sizeof(*orders));
    if (orders == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "sort a tree: out of memory");
    permute(tree->entries, sort_order(tree, orders, orders + tree->count), tree->count);
    tree->unsorted = false;
    return SBX_OK;
}

static bool may_hold(const struct sbi_tree *tree, size_t index)
{
    unsigned kind = tree->entries[index].kind;

    return kind == SBI_TREE_FOLDER || kind == SBI_TREE_UNREAD;
}

/* Whether the entry lies directly in the folder. */
static bool is_child(const struct sbi_tree *tree, size_t folder, size_t index)
{
    const char *path = sbi_tree_path(tree, index);
    size_t length = tree->entries[folder].path_length;
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return length == 0 && tree->entries[index].path_length > 0;
    return length == (size_t)(slash - path) &&
           memcmp(path, sbi_tree_path(tree, folder), length) == 0;
}

/*
 * Each entry has a parent among the folders that are open at its place. A tree without
 * root stands for one whose root was not looked at.
 */
static int check_parents(const struct sbi_tree *tree, sbx_error *err)
{
    uint32_t open[DEPTH_LIMIT];
    size_t depth = 0;
    size_t i;

    for (i = 0; i < tree->count; i++) {
        bool is_top = strchr(sbi_tree_path(tree, i), '/') == NULL &&
                      (i == 0 || tree->entries[0].path_length > 0);

        if (i > 0 && compare_entries(tree, i - 1, tree, i) == 0)
            return sbi_fail(err, SBX_ERR_INVALID, "'%s' is there twice",
                            sbi_tree_path(tree, i));
        while (depth > 0 && !is_child(tree, open[depth - 1], i))
            depth--;
        if (depth == 0 && !is_top)
            return sbi_fail(err, SBX_ERR_INVALID, "'%s' is in no folder of its tree",
                            sbi_tree_path(tree, i));
        if (may_hold(tree, i))
            open[depth++] = (uint32_t)i;
    }
    return SBX_OK;
}

int sbi_tree_sort(struct sbi_tree *tree, sbx_error *err)
{
    int rc = put_in_order(tree, err);

    tree->is_sealed = false;
    return rc < 0 ? rc : check_parents(tree, err);
}

size_t sbi_tree_find(const struct sbi_tree *tree, const char *path, size_t length)
{
    size_t low = 0, high = tree->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = sbi_tree_compare(sbi_tree_path(tree, middle),
                                     tree->entries[middle].path_length, path, length);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SBI_TREE_NONE;
}

static bool is_below(const struct sbi_tree *tree, size_t index, const char *folder,
                     size_t length)
{
    const char *path = sbi_tree_path(tree, index);

    return tree->entries[index].path_length > length &&
           memcmp(path, folder, length) == 0 && (length == 0 || path[length] == '/');
}

size_t sbi_tree_end_of(const struct sbi_tree *tree, size_t index)
{
    const char *folder = sbi_tree_path(tree, index);
    size_t length = tree->entries[index].path_length;
    size_t low = index + 1, high = tree->count;

    if (low < high && !is_below(tree, low, folder, length))
        return low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (is_below(tree, middle, folder, length))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sbi_tree_is_mount(const struct sbi_tree *tree, size_t index)
{
    const char *path = sbi_tree_path(tree, index);
    const char *slash = strrchr(path, '/');
    uint64_t device = sbi_tree_device(tree, index);
    size_t parent;

    if (tree->entries[index].path_length == 0)
        return tree->root_is_mount;
    parent = sbi_tree_find(tree, path, slash == NULL ? 0 : (size_t)(slash - path));
    return tree->entries[index].kind == SBI_TREE_FOLDER && parent != SBI_TREE_NONE &&
           device != 0 && sbi_tree_device(tree, parent) != device;
}

bool sbi_tree_pair_next(struct sbi_tree_pair *pair)
{
    bool in_a = pair->next_a < pair->a->count;
    bool in_b = pair->next_b < pair->b->count;
    int order = in_a ? -1 : 1;

    if (!in_a && !in_b)
        return false;
    if (in_a && in_b)
        order = compare_entries(pair->a, pair->next_a, pair->b, pair->next_b);
    pair->at_a = order <= 0 ? pair->next_a++ : SBI_TREE_NONE;
    pair->at_b = order >= 0 ? pair->next_b++ : SBI_TREE_NONE;
    return true;
}
