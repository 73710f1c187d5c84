/* file_run.h - what the `file` commands share: from words to places, from errors to an
 * exit status. */
#ifndef CLI_FILE_RUN_H
#define CLI_FILE_RUN_H

#include "address.h"
#include "app.h"

#include <sandbox/file.h>

/* One file of one place, and what was asked for. */
struct file_job {
    struct app *app;
    const void *values;
    const struct words *operands;
    sbx_session *session;
    const char *path;
    const char *other; /* the second name, where there is one */
};

/* Does it and prints what it prints. */
typedef int (*file_fn)(const struct file_job *job, sbx_error *err);

/* For each operand, one after the other, also when one fails. The highest status. */
int file_each(struct app *app, const void *values, const struct words *operands,
              file_fn fn);

/* For the first operand; the others are fn's own. */
int file_first(struct app *app, const void *values, const struct words *operands,
               file_fn fn);

/* For two operands that name the same place. */
int file_both(struct app *app, const void *values, const struct words *operands,
              file_fn fn);

/* With --json: that it was done, for what has no more to tell. */
void file_say_done(const struct file_job *job);

/* Adds the name as it may be shown: on a terminal without what a terminal obeys. */
void file_add_name(struct text *line, const char *name);

/* Checks, for OPT_TEXT: an octal mode; 64 hex digits. */
int file_check_mode(const char *value, sbx_error *err);
int file_check_hash(const char *value, sbx_error *err);

/* The number of a mode that was checked; 0 for NULL. */
int64_t file_mode(const char *value);

#endif
