/* host_list.h - the JSON text of a list of hosts as entries: text in, structs out. */
#ifndef SANDBOX_SESSION_HOST_LIST_H
#define SANDBOX_SESSION_HOST_LIST_H

#include "base/names.h"
#include "session/host_entry.h"

/* All zero is the empty list. */
struct sbi_host_list {
    struct sbi_host_entry **entries;
    size_t count, capacity;
    struct sbi_names names;
};

#define SBI_AUTO_HOST_LIST SBI_CLEANUP(sbi_host_list_clear) struct sbi_host_list

/*
 * An array of objects, or one object. The error names entry and key; the caller
 * puts in front where the text is from. file may be NULL.
 */
int sbi_host_list_parse(const char *text, size_t length, int source, const char *file,
                        struct sbi_host_list *out, sbx_error *err);

const struct sbi_host_entry *sbi_host_list_find(const struct sbi_host_list *list,
                                                const char *name);

/* Takes the entry, also where it fails. */
int sbi_host_list_append(struct sbi_host_list *list, struct sbi_host_entry *entry,
                         sbx_error *err);

void sbi_host_list_clear(struct sbi_host_list *list);

#endif
