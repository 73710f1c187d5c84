/* run_env.h - the environment of a job that `run` starts: its GPUs, and the code's hash.
 */
#ifndef CLI_RUN_ENV_H
#define CLI_RUN_ENV_H

#include "picking.h"

struct run_env {
    struct words words; /* "NAME=VALUE" */
    struct text cuda, hip, driver, gpus, code;
};

#define AUTO_RUN_ENV CLEANUP(run_env_clear) struct run_env

/* gpus: ids of those taken on the place that was picked; code NULL: none was brought. */
void run_env_make(struct run_env *env, const struct picking *picking,
                  const struct words *gpus, const char *code, const struct words *others);
void run_env_clear(struct run_env *env);

#endif
