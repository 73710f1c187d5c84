/* sync_told.h - a plan and a report as the caller sees them. */
#ifndef SANDBOX_SYNC_SYNC_TOLD_H
#define SANDBOX_SYNC_SYNC_TOLD_H

#include "sync/sync_state.h"

struct sbx_sync_plan {
    struct sbi_sync sync;
    sbx_sync_opts opts; /* as they were asked for; their lists are these: */
    char **exclude;
    char **exclude_from;
    char **include;
    bool applied;
    sbx_sync_summary summary;
    char here_hash[65];
    char there_hash[65];
};

/* Fills in the summary of a plan that was made. */
int sbi_sync_sum_up(sbx_sync_plan *plan, sbx_error *err);

/* Tells of what was carried out; the notes are the report's then. */
int sbi_sync_report(struct sbi_sync *sync, sbx_sync_report **out, sbx_error *err);

void sbi_sync_plan_clear(sbx_sync_plan **plan);

#endif
