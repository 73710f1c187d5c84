/*
 * push_pack.c - whether what a push sends can be packed: looks into some of it, where the
 * way is one that it is worth it on.
 */
#include "sync/push_state.h"

#include <fcntl.h>
#include <unistd.h>

/* Random bytes (packed or encrypted files) have every value as often as any other. */
static bool looks_packed(const unsigned char *data, size_t length)
{
    uint64_t counts[256] = {0}, squares = 0;
    size_t i;

    for (i = 0; i < length; i++)
        counts[data[i]]++;
    for (i = 0; i < 256; i++)
        squares += counts[i] * counts[i];
    return length >= 4096 && squares * 256 < (uint64_t)length * length * 13 / 10;
}

/* Looks into some large files of the plan: whether most of what is seen is packed. */
static bool content_is_packed(struct sbi_pushing *pushing)
{
    const struct sbi_plan_list *make = &pushing->sync->plan.make;
    size_t step = make->count / 16 + 1, i, seen = 0, packed = 0;

    for (i = 0; i < make->count; i += step) {
        const struct sbi_plan_action *action = &make->items[i];
        SBI_AUTOCLOSE int fd = -1;
        const char *name;
        int folder;
        ssize_t got;

        if (action->what != SBI_PLAN_SEND ||
            sbi_beneath_find(
                &pushing->beneath,
                sbi_sync_below(sbi_tree_path(pushing->source, action->source),
                               pushing->sync->here.name),
                &folder, &name) != 0)
            continue;
        fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
        got = fd < 0 ? -1 : read(fd, pushing->piece, SBI_PUSH_PIECE);
        seen += got > 0;
        packed += got > 0 && looks_packed((unsigned char *)pushing->piece, (size_t)got);
    }
    return seen > 0 && packed * 2 > seen;
}

int sbi_push_choose_pack(struct sbi_pushing *pushing)
{
    int pack = sbi_sync_choose_pack(pushing->sync);

    if (pack != SBI_PACK_NONE && sbi_sync_sends_large(pushing->sync) &&
        content_is_packed(pushing))
        return SBI_PACK_NONE;
    return pack;
}
