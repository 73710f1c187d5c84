/*
 * shell_watch.h - what a client tells its keeper of a run, so that the keeper may give it
 * a supervisor of its own and have it watched by the warden of its connection.
 */
#ifndef SANDBOX_SESSION_SHELL_WATCH_H
#define SANDBOX_SESSION_SHELL_WATCH_H

#include "session/shell.h"

#define SBI_SHELL_WATCH_SIZE 80

/*
 * Its words: LIMIT_S:NONCE:DIGEST, of the header, and of the supervisor that reads such
 * headers. Only a keeper whose own has the same digest, as one of this version, heeds it.
 */
int sbi_shell_watch(int64_t limit_s, const char *nonce, char out[SBI_SHELL_WATCH_SIZE],
                    sbx_error *err);

/* False: they are of another version, or none. */
bool sbi_shell_read_watch(const char *words, size_t length, int64_t *limit_s,
                          char nonce[SBI_NONCE_SIZE]);

#endif
