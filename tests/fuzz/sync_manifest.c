/* sync_manifest.c - any bytes as a listing: cut up in two ways, written and read again.
 */
#include "sync/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_pieces(const char *data, size_t size, size_t piece, struct sbi_tree *tree)
{
    SBI_AUTO_MANIFEST_READER reader = {.tree = tree, .entry_limit = 1000};
    size_t at, part;
    int rc = SBX_OK;

    for (at = 0; rc == SBX_OK && at < size; at += part) {
        part = size - at < piece ? size - at : piece;
        rc = sbi_manifest_feed(&reader, data + at, part, NULL);
    }
    return rc < 0 ? rc : sbi_manifest_finish(&reader, NULL);
}

static void must_be_same(const struct sbi_tree *a, const struct sbi_tree *b)
{
    unsigned char of_a[32], of_b[32];
    size_t i;

    if (sbi_tree_hash(a, of_a, NULL) != SBX_OK || sbi_tree_hash(b, of_b, NULL) != SBX_OK)
        abort();
    for (i = 0; i < sizeof(of_a); i++)
        if (of_a[i] != of_b[i])
            abort();
}

static void write_and_read(const struct sbi_tree *tree)
{
    SBI_AUTO_TREE again = {0};
    SBI_AUTO_STR text = {0};
    size_t i;

    for (i = 0; i < tree->count; i++) {
        if (!sbi_tree_path_is_safe(sbi_tree_path(tree, i), tree->entries[i].path_length))
            abort();
        if (sbi_tree_find(tree, sbi_tree_path(tree, i), tree->entries[i].path_length) !=
            i)
            abort();
        sbi_manifest_add(&text, tree, i);
    }
    sbi_manifest_add_end(&text, 0);
    if (read_pieces(text.data, text.length, text.length, &again) != SBX_OK)
        abort();
    must_be_same(tree, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SBI_AUTO_TREE whole = {0};
    SBI_AUTO_TREE pieces = {0};
    int rc = read_pieces((const char *)data, size, size + 1, &whole);

    if (read_pieces((const char *)data, size, 3, &pieces) != rc)
        abort();
    if (rc == SBX_OK) {
        must_be_same(&whole, &pieces);
        write_and_read(&whole);
    }
    return 0;
}
