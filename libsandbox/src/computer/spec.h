/*
 * spec.h - what a computer is made with: as options of a call, as JSON in a label,
 * and as words of the engine's command line.
 */
#ifndef SANDBOX_COMPUTER_SPEC_H
#define SANDBOX_COMPUTER_SPEC_H

#include "base/json.h"
#include "base/strv.h"

#include <sandbox/computer.h>

/* Fills in the defaults and refuses what no computer can be made with. */
int sbi_spec_check(sbx_computer_opts *opts, sbx_error *err);

/* The options as JSON: image, shell, user, network, cpus, gpus, memory, pids, env... */
int sbi_spec_print(const sbx_computer_opts *opts, char **out, sbx_error *err);

/* Options again, whose texts are the tree's, and lists owned by *lists. */
struct sbi_spec_lists {
    const char **env, **mounts, **ports;
};
int sbi_spec_read(const cJSON *json, sbx_computer_opts *out, struct sbi_spec_lists *lists,
                  sbx_error *err);
void sbi_spec_lists_clear(struct sbi_spec_lists *lists);

/* Adds the engine's words for them. */
int sbi_spec_words(const sbx_computer_opts *opts, char ***list, sbx_error *err);

/* Whether new files are to be the account's over there: "caller", or "". */
const char *sbi_spec_as(const sbx_computer_opts *opts);

#endif
