/*
 * shell_keys.h - the keyboard of a shell over there: a thread of its own reads it, so
 * that ~. is heard whatever else hangs.
 */
#ifndef CLI_SHELL_KEYS_H
#define CLI_SHELL_KEYS_H

#include "fault.h"

#include <sandbox/cancel.h>

#include <stdbool.h>

struct shell_keys;

/*
 * Reads standard input, a terminal that is raw, until it is closed. ~. fires cancel,
 * and so does the end of the terminal.
 */
int shell_keys_open(sbx_cancel *cancel, struct shell_keys **out, sbx_error *err);

/* What is typed for the shell comes out here. */
int shell_keys_fd(const struct shell_keys *keys);

/* Takes NULL. True if the user left by ~. */
bool shell_keys_close(struct shell_keys *keys);

#endif
