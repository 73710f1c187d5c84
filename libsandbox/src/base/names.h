/*
 * names.h - numbers by name: a table that finds them without going over all of it.
 *
 * All zero is the empty table. The names are the caller's, and outlive the table.
 */
#ifndef SANDBOX_BASE_NAMES_H
#define SANDBOX_BASE_NAMES_H

#include "base/cleanup.h"
#include "base/error.h"

struct sbi_name {
    const char *name;
    size_t number;
    size_t next; /* in its chain: the place of another in `items`, from 1; 0: none */
};

struct sbi_names {
    struct sbi_name *items;
    size_t count, capacity;
    size_t *chains; /* the newest of each, as `next` has it */
    size_t chain_count;
};

#define SBI_AUTO_NAMES SBI_CLEANUP(sbi_names_clear) struct sbi_names

/* A name may be there several times. */
int sbi_names_add(struct sbi_names *names, const char *name, size_t number,
                  sbx_error *err);

/* The one that was added last, and those of the same name before it; NULL: none. */
const struct sbi_name *sbi_names_find(const struct sbi_names *names, const char *name);
const struct sbi_name *sbi_names_before(const struct sbi_names *names,
                                        const struct sbi_name *found);

/* The table is then empty. */
void sbi_names_clear(struct sbi_names *names);

#endif
