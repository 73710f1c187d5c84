/*
 * host_record.h - one host of a set: what is stated of it, and the struct that
 * callers see of it once it is resolved.
 */
#ifndef SANDBOX_SESSION_HOST_RECORD_H
#define SANDBOX_SESSION_HOST_RECORD_H

#include "session/host_entry.h"
#include "transport/ssh_config.h"
#include "transport/ssh_target.h"

#include <sandbox/host.h>

struct sbi_host_record {
    sbx_host seen; /* first: its address is the record's; set once, by resolving */
    const struct sbi_host_entry *stated; /* NULL: this machine */
    struct sbi_host_entry *own;          /* stated, where the record owns it */
    char *place;                         /* "gpu1", or "root@gpu1" */
    char *as_user;                       /* the "root" of that */
    char *address, *user, *jump;         /* what `seen` points to */
    bool asked;
    bool resolved;
};

/* Every sbx_host of a set is the first member of its record. */
static inline const struct sbi_host_record *sbi_host_record_of(const sbx_host *host)
{
    return (const struct sbi_host_record *)host;
}

/*
 * Takes own, also where it fails; NULL with stated NULL: this machine. A stated
 * entry of another record must outlive this one.
 */
int sbi_host_record_new(const char *place, struct sbi_host_entry *own,
                        const struct sbi_host_entry *stated, const char *as_user,
                        struct sbi_host_record **out, sbx_error *err);

/*
 * Fills in `seen`, the first time; under the lock of the set. Where ssh_config
 * fails it holds what is stated, and every call says why.
 */
int sbi_host_record_resolve(struct sbi_host_record *record,
                            struct sbi_ssh_config *ssh_config, sbx_error *err);

/* A fresh target; SBX_ERR_INVALID for what SSH does not reach. Needs no lock. */
int sbi_host_record_target(const struct sbi_host_record *record,
                           struct sbi_ssh_config *ssh_config, struct sbi_ssh_target **out,
                           sbx_error *err);

void sbi_host_record_free(struct sbi_host_record *record);

#endif
