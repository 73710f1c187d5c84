/* exclude_level.h - where a rule comes from, which says how much it weighs. */
#ifndef SANDBOX_SYNC_EXCLUDE_LEVEL_H
#define SANDBOX_SYNC_EXCLUDE_LEVEL_H

/* From the lowest to the highest. */
enum sbi_exclude_level {
    SBI_EXCLUDE_GIT_USER = 0, /* core.excludesFile */
    SBI_EXCLUDE_GIT_REPO = 1, /* .git/info/exclude */
    SBI_EXCLUDE_GITIGNORE = 2,
    SBI_EXCLUDE_SBXIGNORE = 3,
    SBI_EXCLUDE_OPTION = 4, /* --exclude, --exclude-from */
    SBI_EXCLUDE_INCLUDE = 5 /* --include: a match means it comes along */
};

#define SBI_EXCLUDE_LEVELS 6

#endif
