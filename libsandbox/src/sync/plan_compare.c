/*
 * plan_compare.c - decides whether two entries of one path are the same.
 *
 * An mtime is compared to as many digits as both sides keep. What a side keeps shows in
 * the mtime itself: zeros at its end are taken for "not kept", since a tool or a file
 * system that cuts times leaves them, and nobody could set such a time right. Two files
 * of one size whose times agree so far are taken for the same; the memory of the last
 * sync catches the file that was replaced within that time.
 */
#include "sync/plan_compare.h"

#include <string.h>

#define DIGITS 9

static const struct sbi_plan_verdict same = {0, 0};

static const struct sbi_tree_entry *source_of(const struct sbi_plan_both *both)
{
    return &both->source->entries[both->at_source];
}

static const struct sbi_tree_entry *target_of(const struct sbi_plan_both *both)
{
    return &both->target->entries[both->at_target];
}

static unsigned digits_kept(const struct sbi_tree_entry *entry)
{
    uint32_t rest = entry->mtime_ns;
    unsigned digits = DIGITS;

    while (digits > 0 && rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    return digits < entry->digits ? digits : entry->digits;
}

static bool same_time(const struct sbi_tree_entry *a, const struct sbi_tree_entry *b)
{
    unsigned of_a = digits_kept(a), of_b = digits_kept(b);
    unsigned digits = of_a < of_b ? of_a : of_b;
    uint32_t unit = 1;

    if (a->mtime == b->mtime && a->mtime_ns == b->mtime_ns)
        return true;
    for (; digits < DIGITS; digits++)
        unit *= 10;
    return a->mtime == b->mtime && a->mtime_ns / unit == b->mtime_ns / unit;
}

static int ask_memory(const struct sbi_plan_both *both, const struct sbi_plan_opts *opts)
{
    if ((opts->flags & SBI_PLAN_PULL) != 0)
        return sbi_memory_ask(opts->memory, both->target, both->at_target, both->source,
                              both->at_source);
    return sbi_memory_ask(opts->memory, both->source, both->at_source, both->target,
                          both->at_target);
}

/*
 * Mode and mtime, where the content is the same. What both sides have kept since the
 * last sync is as near as the far side can come: a file system without modes, say. A
 * file of several names in the target is replaced, since its other names may not be
 * meant.
 */
static struct sbi_plan_verdict compare_meta(const struct sbi_plan_both *both,
                                            const struct sbi_plan_opts *opts)
{
    const struct sbi_tree_entry *source = source_of(both), *target = target_of(both);
    uint8_t why = source->mode != target->mode ? SBI_WHY_MODE : SBI_WHY_TIME;

    if (source->mode == target->mode && same_time(source, target))
        return same;
    if (ask_memory(both, opts) == SBI_MEMORY_BOTH)
        return same;
    if (target->kind == SBI_TREE_FILE && target->links > 1)
        return (struct sbi_plan_verdict){SBI_PLAN_SEND, why};
    return (struct sbi_plan_verdict){SBI_PLAN_META, why};
}

static struct sbi_plan_verdict send_for(uint8_t why)
{
    return (struct sbi_plan_verdict){SBI_PLAN_SEND, why};
}

static struct sbi_plan_verdict compare_files(const struct sbi_plan_both *both,
                                             const struct sbi_plan_opts *opts)
{
    const unsigned char *of_source = sbi_tree_digest(both->source, both->at_source);
    const unsigned char *of_target = sbi_tree_digest(both->target, both->at_target);
    int remembered = SBI_MEMORY_UNKNOWN;

    if (source_of(both)->size != target_of(both)->size)
        return send_for(SBI_WHY_SIZE);
    if (of_source != NULL && of_target != NULL)
        return memcmp(of_source, of_target, SBI_TREE_DIGEST) != 0
                   ? send_for(SBI_WHY_CONTENT)
                   : compare_meta(both, opts);
    if ((opts->flags & SBI_PLAN_CHECKSUM) != 0)
        return send_for(SBI_WHY_UNSURE);

    remembered = ask_memory(both, opts);
    if (!same_time(source_of(both), target_of(both)))
        return remembered == SBI_MEMORY_BOTH ? same : send_for(SBI_WHY_TIME);
    return remembered == SBI_MEMORY_MOVED ? send_for(SBI_WHY_UNSURE)
                                          : compare_meta(both, opts);
}

struct sbi_plan_verdict sbi_plan_compare(const struct sbi_plan_both *both,
                                         const struct sbi_plan_opts *opts)
{
    if (source_of(both)->kind == SBI_TREE_FILE)
        return compare_files(both, opts);
    if (source_of(both)->kind == SBI_TREE_FOLDER)
        return compare_meta(both, opts);
    if (strcmp(sbi_tree_target(both->source, both->at_source),
               sbi_tree_target(both->target, both->at_target)) == 0)
        return same;
    return (struct sbi_plan_verdict){SBI_PLAN_LINK, SBI_WHY_TARGET};
}

bool sbi_plan_is_doubtful(const struct sbi_plan_both *both,
                          const struct sbi_plan_opts *opts)
{
    if (source_of(both)->kind != SBI_TREE_FILE ||
        target_of(both)->kind != SBI_TREE_FILE ||
        source_of(both)->size != target_of(both)->size)
        return false;
    if (sbi_tree_digest(both->source, both->at_source) != NULL &&
        sbi_tree_digest(both->target, both->at_target) != NULL)
        return false;
    return (opts->flags & SBI_PLAN_CHECKSUM) != 0 ||
           (same_time(source_of(both), target_of(both)) &&
            ask_memory(both, opts) == SBI_MEMORY_MOVED);
}

bool sbi_plan_is_excluded(const struct sbi_tree *tree, size_t index,
                          const struct sbi_exclude *exclude)
{
    const struct sbi_tree_entry *entry = &tree->entries[index];

    if (entry->kind == SBI_TREE_HIDDEN)
        return true;
    return exclude != NULL && entry->path_length > 0 &&
           sbi_exclude_entry(exclude, sbi_tree_path(tree, index), entry->path_length,
                             entry->kind == SBI_TREE_FOLDER);
}
