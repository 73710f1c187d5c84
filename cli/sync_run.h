/* sync_run.h - `sync push`, `sync pull` and `cp`: options, the call, and what is told of
 * it. */
#ifndef CLI_SYNC_RUN_H
#define CLI_SYNC_RUN_H

#include "app.h"

#include <sandbox/sync.h>

struct sync_values {
    int64_t remove;
    int64_t force;
    int64_t dry_run;
    int64_t checksum;
    int64_t git;
    int64_t follow;
    const char *plan;
    struct words exclude;
    struct words exclude_from;
    struct words include;
};

extern const struct opt sync_options[];

/* Carries local to or from a place, or tells what it would do. Returns the status. */
int sync_run(struct app *app, const struct sync_values *values, int direction,
             const char *place, const char *local, const char *remote);

/* In sync_say.c: what is printed. */
int sync_say_progress(const sbx_sync_progress *progress, void *userdata);
void sync_say_plan(const struct app *app, const sbx_sync_plan *plan, bool removals_only);
void sync_say_report(const struct app *app, const sbx_sync_report *report);

/* Takes the line of progress away, if there is one. */
void sync_end_progress(void);

#endif
