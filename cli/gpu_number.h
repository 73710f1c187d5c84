/* gpu_number.h - GPUs that a person names by their numbers, as `top` shows them. */
#ifndef CLI_GPU_NUMBER_H
#define CLI_GPU_NUMBER_H

#include "app.h"

#include <sandbox/probe.h>

/*
 * What is a number ("0", of a MIG instance "0.1") becomes the UUID of that GPU, for which
 * the place is asked; where none is a number nothing is asked, and *report stays NULL.
 * The words are borrowed from *report then, which the caller frees.
 */
int gpu_numbers_resolve(struct app *app, sbx_session *session, struct words *gpus,
                        sbx_probe_report **report, sbx_error *err);

#endif
