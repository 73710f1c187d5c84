/* tree_hash.c - one hash that stands for all of a tree. */
#include "sync/chain.h"
#include "sync/tree.h"

#include <string.h>

static void add_entry(struct sbi_chain *chain, const struct sbi_tree *tree, size_t index)
{
    const struct sbi_tree_entry *entry = &tree->entries[index];
    const unsigned char *digest = sbi_tree_digest(tree, index);
    const char *target = sbi_tree_target(tree, index);
    size_t length = strlen(target);

    sbi_chain_add_number(chain, entry->path_length);
    sbi_chain_add(chain, sbi_tree_path(tree, index), entry->path_length);
    sbi_chain_add_number(chain, (uint64_t)entry->kind << 32 | (uint64_t)entry->mode);
    sbi_chain_add_number(chain, entry->size);
    sbi_chain_add_number(chain, (uint64_t)entry->mtime);
    sbi_chain_add_number(chain, entry->mtime_ns);
    sbi_chain_add_number(chain, length);
    sbi_chain_add(chain, target, length);
    sbi_chain_add_number(chain, digest == NULL ? 0 : 1);
    if (digest != NULL)
        sbi_chain_add(chain, digest, SBI_TREE_DIGEST);
}

int sbi_tree_hash(const struct sbi_tree *tree, unsigned char out[32], sbx_error *err)
{
    SBI_AUTO_CHAIN chain = {0};
    size_t i;

    if (tree->is_sealed) {
        memcpy(out, tree->hash, sizeof(tree->hash));
        return SBX_OK;
    }
    for (i = 0; i < tree->count; i++)
        add_entry(&chain, tree, i);
    return sbi_chain_end(&chain, out, err);
}

int sbi_tree_seal(struct sbi_tree *tree, sbx_error *err)
{
    int rc = sbi_tree_hash(tree, tree->hash, err);

    tree->is_sealed = rc == SBX_OK;
    return rc;
}
