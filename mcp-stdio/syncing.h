/* syncing.h - what both a call and a transfer do to make two trees alike. */
#ifndef MCP_SYNCING_H
#define MCP_SYNCING_H

#include "text.h"
#include "tree.h"

#include <sandbox/sync.h>

/* Options read from a tree (delete, git, checksum, exclude, exclude_file, plan). */
struct syncing {
    sbx_sync_opts opts;
    struct words exclude;
    struct words exclude_from;
    int direction;
    const char *local;
    const char *remote;
};

void syncing_read(struct syncing *syncing, const tree *spec);
void syncing_clear(struct syncing *syncing);

int syncing_plan(const struct syncing *syncing, sbx_session *session, sbx_sync_plan **out,
                 sbx_error *err);

/* What syncing_plan would plan, done at once. */
int syncing_do(const struct syncing *syncing, sbx_session *session, sbx_sync_report **out,
               sbx_error *err);

/* Adds the numbers of a plan, and its first items. */
void syncing_add_plan(tree *out, const sbx_sync_plan *plan);

/* The same of what was done. */
void syncing_add_report(tree *out, const sbx_sync_report *report);

#endif
