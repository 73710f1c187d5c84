/* exclude_git_config.h - one setting of git's configuration: core.excludesFile. */
#ifndef SANDBOX_SYNC_EXCLUDE_GIT_CONFIG_H
#define SANDBOX_SYNC_EXCLUDE_GIT_CONFIG_H

#include "base/error.h"

/*
 * The path that core.excludesFile names: the repository's own setting (git: its folder,
 * or NULL), else the user's, else git's default. It may not exist. *out stays NULL where
 * there is none at all, as for a relative path or ~somebody.
 */
int sbi_git_excludes_file(const char *git, char **out, sbx_error *err);

/* The last value of core.excludesFile in a configuration text, or NULL; pure. */
int sbi_git_config_excludes(const char *text, size_t length, char **out, sbx_error *err);

#endif
