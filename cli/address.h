/*
 * address.h - PLACE:PATH, as words of the command line name files; see docs/files.md.
 *
 * PLACE ends at the first colon and may hold slashes ("gpu1/web:/app"); in brackets it
 * may hold colons ("[::1]:/app"). A word without a colon, or that begins with '/', '.'
 * or '~', is a path of this machine: "./a:b".
 */
#ifndef CLI_ADDRESS_H
#define CLI_ADDRESS_H

#include "fault.h"

#include <stdbool.h>

struct address {
    char *place;      /* NULL: the word names no place, it is a path of this machine */
    const char *path; /* borrowed from the word; maybe empty */
};

#define AUTO_ADDRESS CLEANUP(address_clear) struct address

/* Fails with SBX_ERR_INVALID where PLACE is empty, several places or a tag. */
int address_read(const char *word, struct address *out, sbx_error *err);

/* The same for a word that must name a place; says how to write it where it does not. */
int address_read_placed(const char *word, struct address *out, sbx_error *err);

void address_clear(struct address *address);

#endif
