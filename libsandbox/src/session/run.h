/*
 * run.h - one command from its header to its end: the loop that moves its three
 * streams, and what is done when it must be stopped.
 */
#ifndef SANDBOX_SESSION_RUN_H
#define SANDBOX_SESSION_RUN_H

#include "session/run_opts.h"

/* Fails only where nothing was started. out is cleared with sbi_ran_clear. */
int sbi_run(sbx_session *session, const struct sbi_run_opts *opts, struct sbi_ran *out,
            sbx_error *err);

void sbi_ran_clear(struct sbi_ran *ran);

#endif
