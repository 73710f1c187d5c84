/* path.h - the folders of this user, and files that are written whole. */
#ifndef SANDBOX_BASE_PATH_H
#define SANDBOX_BASE_PATH_H

#include "base/error.h"

/* $HOME, else the home folder in passwd. */
int sbi_path_home(char **out, sbx_error *err);

enum sbi_path_root {
    SBI_PATH_CONFIG = 1, /* $XDG_CONFIG_HOME, else ~/.config */
    SBI_PATH_STATE = 2,  /* $XDG_STATE_HOME, else ~/.local/state */
    SBI_PATH_RUNTIME = 3 /* $XDG_RUNTIME_DIR, else ~/.local/state */
};

/* ROOT/sbx/tail; makes nothing. */
int sbi_path_user(int root, const char *tail, char **out, sbx_error *err);

/* Makes a folder and those above it, each new one 0700. */
int sbi_path_make_folders(const char *path, sbx_error *err);

/* Likewise those above a file; one that is named without a folder needs none. */
int sbi_path_make_parents(const char *path, sbx_error *err);

/*
 * The whole of a file of at most limit bytes, with a NUL behind it. No such file
 * is SBX_ERR_NOT_FOUND, a longer one SBX_ERR_LIMIT.
 */
int sbi_path_read(const char *path, size_t limit, char **out, size_t *length,
                  sbx_error *err);

/* The same of a file that is open, from where it stands; path is for the error. */
int sbi_path_read_fd(int fd, const char *path, size_t limit, char **out, size_t *length,
                     sbx_error *err);

/*
 * SBX_ERR_CONFIG for a file with secrets that is of another user, but root, or has one of
 * these bits in its mode.
 */
int sbi_path_guard(const char *path, unsigned forbidden, sbx_error *err);

/*
 * Writes a file aside, fsyncs, renames: it is replaced whole or not at all. Where
 * path is a symbolic link, what it points to is replaced.
 */
int sbi_path_write(const char *path, const void *data, size_t length, unsigned mode,
                   sbx_error *err);

#endif
