/* plan_links.c - a table by device and inode that grows by doubling. */
#include "sync/plan_links.h"

#define FIRST 64

/* The slot of a file, or the free one where it belongs. */
static struct sbi_plan_link *slot_of(struct sbi_plan_link *slots, size_t capacity,
                                     uint16_t device, uint64_t inode)
{
    uint64_t mixed = (inode ^ (uint64_t)device << 48) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(mixed >> 32) & (capacity - 1);

    while (slots[at].used && (slots[at].inode != inode || slots[at].device != device))
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

const struct sbi_plan_link *sbi_plan_links_find(const struct sbi_plan_links *links,
                                                const struct sbi_tree_entry *entry)
{
    const struct sbi_plan_link *slot;

    if (links->capacity == 0)
        return NULL;
    slot = slot_of(links->slots, links->capacity, entry->device, entry->inode);
    return slot->used ? slot : NULL;
}

static int grow(struct sbi_plan_links *links, sbx_error *err)
{
    size_t capacity = links->capacity == 0 ? FIRST : links->capacity * 2;
    struct sbi_plan_link *slots = calloc(capacity, sizeof(*slots));
    size_t i;

    if (slots == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "plan hard links: out of memory");
    for (i = 0; i < links->capacity; i++)
        if (links->slots[i].used)
            *slot_of(slots, capacity, links->slots[i].device, links->slots[i].inode) =
                links->slots[i];
    free(links->slots);
    links->slots = slots;
    links->capacity = capacity;
    return SBX_OK;
}

int sbi_plan_links_put(struct sbi_plan_links *links, const struct sbi_plan_link *link,
                       sbx_error *err)
{
    struct sbi_plan_link *slot;
    int rc = SBX_OK;

    if (links->count * 2 >= links->capacity)
        rc = grow(links, err);
    if (rc < 0)
        return rc;
    slot = slot_of(links->slots, links->capacity, link->device, link->inode);
    links->count += slot->used ? 0 : 1;
    *slot = *link;
    slot->used = true;
    return SBX_OK;
}

void sbi_plan_links_clear(struct sbi_plan_links *links)
{
    free(links->slots);
    *links = (struct sbi_plan_links){0};
}
