/* keyring.h - passwords in the desktop's keyring, by way of secret-tool(1). */
#ifndef CLI_KEYRING_H
#define CLI_KEYRING_H

#include "text.h"

#include <sandbox/error.h>

/*
 * Has secret-tool store the password of a place: it asks on the terminal, or reads
 * standard input. The password never passes through this program.
 */
int keyring_store(const char *place, sbx_error *err);

/* The command that prints it, for the entry of the place. */
void keyring_command(struct text *command, const char *place);

#endif
