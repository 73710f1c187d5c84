/* plan_links.h - files of several names: which name of the source came first. */
#ifndef SANDBOX_SYNC_PLAN_LINKS_H
#define SANDBOX_SYNC_PLAN_LINKS_H

#include "sync/tree.h"

struct sbi_plan_link {
    uint64_t inode;
    uint32_t leader; /* entry of the source */
    uint32_t target; /* the same path in the target, or SBI_TREE_NONE */
    uint16_t device;
    bool used;
    bool sent; /* the target's file is a new one */
};

/* Starts as all zero. */
struct sbi_plan_links {
    struct sbi_plan_link *slots;
    size_t count;
    size_t capacity; /* a power of two */
};

/* The file's first name, or NULL: none is noted. The pointer lasts until the next put. */
const struct sbi_plan_link *sbi_plan_links_find(const struct sbi_plan_links *links,
                                                const struct sbi_tree_entry *entry);

/* Notes a file's first name. */
int sbi_plan_links_put(struct sbi_plan_links *links, const struct sbi_plan_link *link,
                       sbx_error *err);

void sbi_plan_links_clear(struct sbi_plan_links *links);

#endif
