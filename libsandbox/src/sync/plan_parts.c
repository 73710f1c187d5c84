/* plan_parts.c - a plan's names, doubts and token. */
#include "base/array.h"
#include "sync/chain.h"
#include "sync/plan.h"
#include "sync/plan_compare.h"

static const char *const what_names[] = {
    "skip",
    [SBI_PLAN_MAKE_FOLDER] = "make folder",
    [SBI_PLAN_SEND] = "send",
    [SBI_PLAN_LINK] = "link",
    [SBI_PLAN_HARD_LINK] = "hard link",
    [SBI_PLAN_META] = "set mode and time",
    [SBI_PLAN_REMOVE] = "remove",
};

static const char *const why_texts[] = {
    "",
    [SBI_WHY_NEW] = "new",
    [SBI_WHY_SIZE] = "another size",
    [SBI_WHY_TIME] = "another time",
    [SBI_WHY_CONTENT] = "another content",
    [SBI_WHY_UNSURE] = "content not compared",
    [SBI_WHY_MODE] = "another mode",
    [SBI_WHY_KIND] = "another kind",
    [SBI_WHY_TARGET] = "points elsewhere",
    [SBI_WHY_LINKED] = "tied to another file",
    [SBI_WHY_TOUCHED] = "time moved by changes in it",
    [SBI_WHY_GONE] = "not in the source",
    [SBI_WHY_IN_WAY] = "in the way",
    [SBI_WHY_SPECIAL] = "a fifo, socket or device",
    [SBI_WHY_EXCLUDED] = "excluded",
    [SBI_WHY_UNREAD] = "could not be read",
    [SBI_WHY_FOLDER_STAYS] = "a folder with content is in the way",
    [SBI_WHY_HOLDS_KEPT] = "holds what is kept",
};

static const char *name_in(const char *const *names, size_t count, int at)
{
    return at >= 0 && (size_t)at < count && names[at] != NULL ? names[at] : "unknown";
}

const char *sbi_plan_what_name(int what)
{
    return name_in(what_names, sizeof(what_names) / sizeof(what_names[0]), what);
}

const char *sbi_plan_why_text(int why)
{
    return name_in(why_texts, sizeof(why_texts) / sizeof(why_texts[0]), why);
}

bool sbi_plan_is_empty(const struct sbi_plan *plan)
{
    return plan->clear.count + plan->make.count + plan->remove.count +
               plan->finish.count ==
           0;
}

static int add_doubt(struct sbi_plan_doubts *doubts, const struct sbi_tree_pair *pair,
                     sbx_error *err)
{
    int rc = sbi_array_reserve(&doubts->items, sizeof(*doubts->items), doubts->count + 1,
                               &doubts->capacity, err);

    if (rc == SBX_OK)
        doubts->items[doubts->count++] =
            (struct sbi_plan_doubt){(uint32_t)pair->at_a, (uint32_t)pair->at_b};
    return rc;
}

static bool stays_behind(const struct sbi_tree_pair *pair,
                         const struct sbi_plan_opts *opts)
{
    return pair->at_a != SBI_TREE_NONE && (opts->flags & SBI_PLAN_FILTERED) == 0 &&
           sbi_plan_is_excluded(pair->a, pair->at_a, opts->exclude);
}

int sbi_plan_doubts(const struct sbi_tree *source, const struct sbi_tree *target,
                    const struct sbi_plan_opts *opts, struct sbi_plan_doubts *out,
                    sbx_error *err)
{
    SBI_AUTO_PLAN_DOUBTS doubts = {0};
    struct sbi_tree_pair pair = {.a = source, .b = target};
    int rc = SBX_OK;

    while (rc == SBX_OK && sbi_tree_pair_next(&pair)) {
        struct sbi_plan_both both = {source, target, pair.at_a, pair.at_b};

        if (stays_behind(&pair, opts))
            pair.next_a = sbi_tree_end_of(source, pair.at_a);
        else if (pair.at_a != SBI_TREE_NONE && pair.at_b != SBI_TREE_NONE &&
                 sbi_plan_is_doubtful(&both, opts))
            rc = add_doubt(&doubts, &pair, err);
    }
    if (rc < 0)
        return rc;
    *out = doubts;
    doubts = (struct sbi_plan_doubts){0};
    return SBX_OK;
}

static void hash_list(struct sbi_chain *chain, const struct sbi_plan_list *list)
{
    size_t i;

    sbi_chain_add_number(chain, list->count);
    for (i = 0; i < list->count; i++) {
        const struct sbi_plan_action *action = &list->items[i];

        sbi_chain_add_number(chain, (uint64_t)action->source << 32 | action->target);
        sbi_chain_add_number(chain, (uint64_t)action->leader << 32 |
                                        (uint64_t)action->what << 8 | action->why);
    }
}

static void to_hex(const unsigned char bytes[32], char out[65])
{
    static const char digits[] = "0123456789abcdef";
    size_t i;

    for (i = 0; i < 32; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[64] = '\0';
}

int sbi_plan_token(const struct sbi_plan *plan, const struct sbi_tree *source,
                   const struct sbi_tree *target, const struct sbi_plan_opts *opts,
                   char out[65], sbx_error *err)
{
    SBI_AUTO_CHAIN chain = {0};
    const struct sbi_plan_list *const lists[] = {&plan->clear, &plan->make, &plan->remove,
                                                 &plan->finish};
    unsigned char hash[32];
    size_t i;
    int rc = sbi_tree_hash(source, hash, err);

    sbi_chain_add(&chain, hash, rc == SBX_OK ? sizeof(hash) : 0);
    if (rc == SBX_OK)
        rc = sbi_tree_hash(target, hash, err);
    if (rc < 0)
        return rc;
    sbi_chain_add(&chain, hash, sizeof(hash));
    sbi_chain_add_number(&chain, opts->flags);
    for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        hash_list(&chain, lists[i]);
    rc = sbi_chain_end(&chain, hash, err);
    if (rc == SBX_OK)
        to_hex(hash, out);
    return rc;
}

void sbi_plan_doubts_clear(struct sbi_plan_doubts *doubts)
{
    free(doubts->items);
    *doubts = (struct sbi_plan_doubts){0};
}

void sbi_plan_clear(struct sbi_plan *plan)
{
    free(plan->clear.items);
    free(plan->make.items);
    free(plan->remove.items);
    free(plan->finish.items);
    free(plan->skipped.items);
    *plan = (struct sbi_plan){0};
}
