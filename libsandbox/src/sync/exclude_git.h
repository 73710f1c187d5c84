/* exclude_git.h - finds the ignore files that git reads besides those in the tree. */
#ifndef SANDBOX_SYNC_EXCLUDE_GIT_H
#define SANDBOX_SYNC_EXCLUDE_GIT_H

#include "base/error.h"

/*
 * Takes one ignore file: its level (sbi_exclude_level), and the way from the folder it
 * speaks of down to the root, "" where that is the root.
 */
typedef int (*sbi_exclude_git_fn)(int level, const char *way, const char *text,
                                  size_t length, void *userdata, sbx_error *err);

/*
 * Reads, for a root in a repository or not: the .gitignore of each folder above it up
 * to the top of the repository, nearest first; info/exclude; the file that
 * core.excludesFile names, or git's default of it. Of configuration only the user's
 * files and the repository's are read, without includes.
 */
int sbi_exclude_git_read(const char *root, sbi_exclude_git_fn take, void *userdata,
                         sbx_error *err);

#endif
