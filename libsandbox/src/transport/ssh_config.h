/*
 * ssh_config.h - what ssh_config(5) says of a host, as `ssh -G` would print it.
 *
 * libssh reads these files too, but passes over half of their keywords, so the
 * reader is ours. A keyword we do not know is skipped; a condition that cannot
 * be evaluated makes its block not match, with a warning in the result.
 */
#ifndef SANDBOX_TRANSPORT_SSH_CONFIG_H
#define SANDBOX_TRANSPORT_SSH_CONFIG_H

#include "transport/ssh_config_options.h"

/*
 * The files, read when they are first asked for, and again once one of them is another
 * than it was: so a change holds from the next question on, and a thousand questions in a
 * row are one reading. Any thread may ask.
 */
struct sbi_ssh_config;

/*
 * user_file NULL: ~/.ssh/config (home by passwd, as ssh), which need not be there, and
 * then system_file, of which NULL is /etc/ssh/ssh_config. Any other user_file is the only
 * one (ssh -F), and must be there; "none": no file at all. Opens nothing yet.
 */
int sbi_ssh_config_new(const char *user_file, const char *system_file,
                       struct sbi_ssh_config **out, sbx_error *err);
void sbi_ssh_config_free(struct sbi_ssh_config *config);

/* The user_file as it was given, as `ssh -F` takes it. */
const char *sbi_ssh_config_user_file(const struct sbi_ssh_config *config);

/* *out is freed with sbi_ssh_options_free. */
int sbi_ssh_config_resolve(struct sbi_ssh_config *config,
                           const struct sbi_ssh_asked *asked,
                           struct sbi_ssh_options **out, sbx_error *err);

/* The names on Host lines that are no patterns, each once, in order, through Include. */
int sbi_ssh_config_names(struct sbi_ssh_config *config, char ***out, sbx_error *err);

#endif
