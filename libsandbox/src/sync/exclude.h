/*
 * exclude.h - which paths of a tree stay behind: rules as git reads them.
 *
 * A rule is a line of gitignore(5): '*', '?', '[...]', '**', a leading or inner '/' that
 * anchors it to its folder, a trailing '/' for folders alone, '!' that takes back, '\'
 * that makes literal. Rules come from levels; the highest level in which some rule
 * matches decides, and within a level the deepest folder, then the last line.
 *
 *   --include  >  --exclude, --exclude-from  >  .sbxignore  >  .gitignore
 *              >  .git/info/exclude  >  core.excludesFile
 *
 * What is in a folder that stays behind stays behind too, whatever a rule says of it: to
 * take one file out of build/, exclude "build/" + "*" and include the file. Paths are
 * relative to the root of the tree, as in tree.h. Matching only reads: it may be done
 * from many threads at once. Time is linear in pattern times path, for any pattern.
 */
#ifndef SANDBOX_SYNC_EXCLUDE_H
#define SANDBOX_SYNC_EXCLUDE_H

#include "base/cleanup.h"
#include "base/error.h"
#include "sync/exclude_level.h"

struct sbi_exclude;

#define SBI_AUTO_EXCLUDE SBI_CLEANUP(sbi_exclude_clear) struct sbi_exclude *

int sbi_exclude_new(struct sbi_exclude **out, sbx_error *err);

/*
 * Adds one rule, below the root. SBX_ERR_INVALID on what can never match anything: an
 * empty one, or one that starts with '!' for SBI_EXCLUDE_INCLUDE.
 */
int sbi_exclude_add(struct sbi_exclude *exclude, int level, const char *rule,
                    sbx_error *err);

/*
 * Adds the lines of an ignore file that lies in folder ("" for the root). Lines that
 * cannot match do nothing, as with git. The same folder and level a second time is
 * added behind.
 */
int sbi_exclude_add_text(struct sbi_exclude *exclude, int level, const char *folder,
                         const char *text, size_t length, sbx_error *err);

/* The same from a file of rules for the root: --exclude-from. */
int sbi_exclude_add_file(struct sbi_exclude *exclude, int level, const char *path,
                         sbx_error *err);

/*
 * --git: makes ".git" stay behind everywhere, and reads what git reads besides the
 * ignore files in the tree: those of the folders above root up to the top of the
 * repository, its info/exclude, and the file that core.excludesFile of the user or
 * the repository names. root: a folder of this machine; it need not be in a repository.
 */
int sbi_exclude_add_git(struct sbi_exclude *exclude, const char *root, sbx_error *err);

/* Whether an entry stays behind, given that the folders above it do not. */
bool sbi_exclude_entry(const struct sbi_exclude *exclude, const char *path, size_t length,
                       bool is_folder);

/* Whether an entry stays behind, for itself or for a folder above it. */
bool sbi_exclude_path(const struct sbi_exclude *exclude, const char *path, size_t length,
                      bool is_folder);

/* Whether there is any rule at all. */
bool sbi_exclude_is_empty(const struct sbi_exclude *exclude);

void sbi_exclude_free(struct sbi_exclude *exclude);
void sbi_exclude_clear(struct sbi_exclude **exclude);

#endif
