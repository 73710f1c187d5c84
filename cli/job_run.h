/* job_run.h - what the `job` commands share: from words to a job, from a job to words. */
#ifndef CLI_JOB_RUN_H
#define CLI_JOB_RUN_H

#include "app.h"
#include "text.h"

#include <sandbox/job.h>

/*
 * What the user called a job: its id, or else its name, which must then be that of one
 * job; a name costs a round trip. *id is for free().
 */
int job_find(struct app *app, sbx_session *session, const char *word, char **id,
             sbx_error *err);

/* The operands of such a command, in its row: PLACE and so many words, the rest JOBs. */
#define JOB_OPERANDS(words)                                                              \
    .least = 2, .most = (words), .operand = "PLACE", .second = "JOB", .completes = "place"

/* The session of the first operand, for sbx_session_free, and the job of the second. */
int job_open(struct app *app, const struct words *operands, sbx_session **session,
             char **id, sbx_error *err);

/* "exited 3", "killed by SIGKILL", "stopped by ada@laptop", "lost: ...". */
void job_add_state(struct text *line, const sbx_job *job);

/* That the place said no is 1; all else is told as with every command. */
int job_failed(struct app *app, const sbx_error *err);

/* One job, as JSON or as a line. */
void job_print(const struct app *app, const sbx_job *job);

/* For each word behind the first: the session of that place is open. */
typedef int (*job_fn)(struct app *app, sbx_session *session, const char *id,
                      const void *values, sbx_error *err);

/* PLACE JOB...: fn on each, also when one fails. The highest status. */
int job_each(struct app *app, const void *values, const struct words *operands,
             job_fn fn);

#endif
