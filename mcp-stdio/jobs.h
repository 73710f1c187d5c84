/* jobs.h - what the tools that start and watch jobs share. */
#ifndef MCP_JOBS_H
#define MCP_JOBS_H

#include "fleet.h"

#include <sandbox/job.h>

/* What ends a wait besides the job's own end and the time. */
struct jobs_wait {
    int64_t from; /* of the log: only what comes behind it counts */
    int64_t wait_ms;
    const char *pattern; /* POSIX extended; NULL: none */
    bool any_line;       /* the first whole line */
};

/* Waits; *hit: the pattern, or a line, came. That time is up is no failure. */
int jobs_await(struct call *call, sbx_session *session, const char *id,
               const struct jobs_wait *wait, bool *hit, sbx_error *err);

/* SBX_ERR_INVALID where it is no regular expression. */
int jobs_check_pattern(const char *pattern, sbx_error *err);

/* Adds job_id, state, and what tells of its end. */
void jobs_add(tree *out, const sbx_job *job);

/* What to do about its state, or NULL. */
const char *jobs_advice(const sbx_job *job);

/*
 * Adds a piece of its log, cleaned: from an offset on, or where that is negative the last
 * lines; with where to go on.
 */
int jobs_add_log(struct call *call, sbx_session *session, const char *id, int64_t from,
                 int64_t lines, size_t characters, tree *out, sbx_error *err);

/* Runs a command as a job for so long as a call may wait; then it is a job to be asked
 * for. */
struct jobs_run {
    const char *command;
    const char *cwd;
    const char *const *env;
    int64_t limit_ms;
    int64_t wait_ms;
    size_t characters;
};
int jobs_run(struct call *call, sbx_session *session, const struct jobs_run *run,
             tree *out, sbx_error *err);

#endif
