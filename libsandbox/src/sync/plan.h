/*
 * plan.h - what has to be done so that one tree becomes like another, and why.
 *
 * Both trees are sorted; nothing here touches a file. Files are the same when size and
 * mtime are, the mtime compared as far as both sides know it (a whole second may be all
 * that one side keeps), or, where a digest is set on both sides, when the digests are.
 * Nothing asks which side is newer, so a wrong clock neither hides nor repeats a change.
 *
 * - Links are compared by what they point to; their mode and mtime are not kept.
 * - A root that exists keeps its mode and mtime. A root of the other kind is an error.
 * - What is in the target alone stays, unless SBI_PLAN_DELETE is given.
 * - What is excluded (by exclude, or SBI_TREE_HIDDEN on either side) is neither sent nor
 *   deleted, nor is a folder deleted that holds any of it.
 * - What is SBI_TREE_UNREAD on either side is left alone, and all in it.
 * - A folder with content gives way to a file or link only with SBI_PLAN_DELETE.
 *   Anything else gives way: it is one entry, as in overwriting.
 * - Hard links of the source become hard links in the target.
 */
#ifndef SANDBOX_SYNC_PLAN_H
#define SANDBOX_SYNC_PLAN_H

#include "sync/plan_type.h"

#define SBI_AUTO_PLAN SBI_CLEANUP(sbi_plan_clear) struct sbi_plan

int sbi_plan_make(const struct sbi_tree *source, const struct sbi_tree *target,
                  const struct sbi_plan_opts *opts, struct sbi_plan *out, sbx_error *err);

/* Nothing is to be done; there may be skipped entries. */
bool sbi_plan_is_empty(const struct sbi_plan *plan);

/* Two files whose contents have to be compared, since size and mtime do not decide. */
struct sbi_plan_doubt {
    uint32_t source;
    uint32_t target;
};

struct sbi_plan_doubts {
    struct sbi_plan_doubt *items;
    size_t count;
    size_t capacity;
};

#define SBI_AUTO_PLAN_DOUBTS SBI_CLEANUP(sbi_plan_doubts_clear) struct sbi_plan_doubts

/*
 * The doubts of two trees: every pair of one size with SBI_PLAN_CHECKSUM, and the files
 * that memory says were replaced without a trace in size and mtime. Set the digests of
 * both with sbi_tree_set_digest before sbi_plan_make; what has none is sent.
 */
int sbi_plan_doubts(const struct sbi_tree *source, const struct sbi_tree *target,
                    const struct sbi_plan_opts *opts, struct sbi_plan_doubts *out,
                    sbx_error *err);

/* What the rails look at besides the plan. */
struct sbi_plan_rails {
    const char *source_name; /* for errors: "/home/me/proj", "gpu1:proj" */
    const char *target_name;
    const char *target_root; /* absolute, without links, as `pwd -P` says it over there */
    const char *home; /* the same for the home folder over there; NULL: not known */
    bool force;
};

/*
 * Whether a plan with SBI_PLAN_DELETE may be carried out; one made without it always may.
 * Each refusal is SBX_ERR_INVALID, with a fix where there is one:
 *
 *   source    it is missing, unreadable or not a folder
 *   above     the target is '/', or the home folder is in it
 *   home      the target is the home folder                             (force lifts it)
 *   part      something of the source could not be read
 *   mount     a folder that was a mount at the last sync is none now    (force lifts it)
 *   empty     the source holds nothing                                  (force lifts it)
 *   half      over half of the target would go                          (force lifts it)
 *
 * A plan that removes nothing passes the last four.
 */
int sbi_plan_check(const struct sbi_plan *plan, const struct sbi_tree *source,
                   const struct sbi_plan_opts *opts, const struct sbi_plan_rails *rails,
                   sbx_error *err);

/*
 * 64 hex digits that stand for this plan of these two trees; any change on either side
 * gives others.
 */
int sbi_plan_token(const struct sbi_plan *plan, const struct sbi_tree *source,
                   const struct sbi_tree *target, const struct sbi_plan_opts *opts,
                   char out[65], sbx_error *err);

/* "send", "another size"; never NULL. */
const char *sbi_plan_what_name(int what);
const char *sbi_plan_why_text(int why);

void sbi_plan_doubts_clear(struct sbi_plan_doubts *doubts);
void sbi_plan_clear(struct sbi_plan *plan);

#endif
