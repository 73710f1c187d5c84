/* host_records.h - the records of a set of hosts, in order, each found by its word. */
#ifndef SANDBOX_SESSION_HOST_RECORDS_H
#define SANDBOX_SESSION_HOST_RECORDS_H

#include "base/names.h"
#include "session/host_record.h"

/* All zero is none. */
struct sbi_host_records {
    struct sbi_host_record **at;
    size_t count, capacity;
    struct sbi_names places;
};

/* Takes record, also where it fails. */
int sbi_host_records_append(struct sbi_host_records *records,
                            struct sbi_host_record *record, sbx_error *err);

/* NULL: there is none. */
struct sbi_host_record *sbi_host_records_find(const struct sbi_host_records *records,
                                              const char *place);

void sbi_host_records_clear(struct sbi_host_records *records);

#endif
