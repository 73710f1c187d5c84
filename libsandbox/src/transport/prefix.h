/*
 * prefix.h - the transport to what lies behind a command on another place: inside a
 * container, another namespace, another user's account.
 *
 * A process behind the prefix is one of the line below whose command is the prefix's
 * words and then /bin/sh -c SCRIPT. So all that a line can do is done by that line, and
 * many prefixes, one behind the other, are one longer prefix.
 */
#ifndef SANDBOX_TRANSPORT_PREFIX_H
#define SANDBOX_TRANSPORT_PREFIX_H

#include "transport/transport.h"

/*
 * Takes below, also where it fails. The words are NULL-ended, not empty; those of
 * terminal stand before a command that has one.
 */
int sbi_prefix_open(struct sbi_line *below, char *const *words, char *const *terminal,
                    struct sbi_line **out, sbx_error *err);

/* What the login shell below reads, in place of command. Free *out. */
int sbi_prefix_command(char *const *words, const char *command, char **out,
                       sbx_error *err);

#endif
