/* job_away.h - the jobs of a place that cannot be asked, as a watchdog saw them last. */
#ifndef CLI_JOB_AWAY_H
#define CLI_JOB_AWAY_H

#include "app.h"

/*
 * Prints each job of the place that is watched and had not ended (word NULL), or those of
 * that id: unreachable, and since when. Returns how many that were.
 */
size_t job_away_print(const struct app *app, const char *place, const char *word,
                      const sbx_error *why);

#endif
