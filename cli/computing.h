/* computing.h - what the commands on computers share: addresses, options, how one is
 * told.
 */
#ifndef CLI_COMPUTING_H
#define CLI_COMPUTING_H

#include "app.h"

#include <sandbox/computer.h>

/* PLACE/NAME of the command line; a word without a slash is a name on this machine. */
struct computing_address {
    char *place;
    const char *name; /* borrowed from the word */
};

#define AUTO_COMPUTING_ADDRESS CLEANUP(computing_address_clear) struct computing_address

int computing_address_read(const char *word, struct computing_address *out,
                           sbx_error *err);
void computing_address_clear(struct computing_address *address);

/* The options that all of them take. */
struct computing_values {
    const char *engine;
    const char *owner;
};

/* The rows of options, where `struct values` has a computing_values `member`. */
/* clang-format off */
#define COMPUTING_AT(member, field)                                                      \
    offsetof(struct values, member) + offsetof(struct computing_values, field)
#define COMPUTING_ENGINE(member)                                                         \
    {0, "engine", "NAME", OPT_TEXT, COMPUTING_AT(member, engine),                        \
     "docker or podman; the first that is there by default", opt_check_filled, 0, 0,     \
     "docker podman"}
#define COMPUTING_OWNER(member)                                                          \
    {0, "owner", "TEXT", OPT_TEXT, COMPUTING_AT(member, owner),                          \
     "Whose it is; USER@MACHINE of this one by default", opt_check_filled, 0, 0, NULL}
/* clang-format on */

/* The library's options for a call. */
sbx_computer_opts computing_opts(const struct app *app,
                                 const struct computing_values *values);

/* One line of a list, or with --json its JSON. */
void computing_print(const struct app *app, const sbx_computer *computer);

#endif
