/* lease_record.h - the lines that the script prints of leases, read. */
#ifndef SANDBOX_PROBE_LEASE_RECORD_H
#define SANDBOX_PROBE_LEASE_RECORD_H

#include "base/error.h"

#include <sandbox/lease.h>

/* More are left out: a host has 8 GPUs, or 7 instances of each. */
#define SBI_LEASE_MOST 1024

/*
 * Cuts one line, which ends in a NUL, into a lease whose texts lie in it. False where it
 * is none.
 */
bool sbi_lease_read(char *line, sbx_lease *out);

/* All lines of a text; the list owns a copy. A line that is no lease is passed over. */
int sbi_lease_list_read(const char *text, size_t length, const char *place,
                        sbx_lease_list **out, sbx_error *err);

#endif
