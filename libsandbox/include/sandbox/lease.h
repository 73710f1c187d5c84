/*
 * lease.h - who has taken which GPU of a host, for all users of it to see.
 *
 * A lease is a file over there, in a folder of its user's own: /var/tmp/sbx-leases-UID.
 * Others can read it, and can neither forge, extend nor remove it. It dies with its
 * holder: when the process is gone, the machine was started anew, or its time is over.
 * It keeps nobody off a GPU who does not ask: sbx_probe tells of leases, and sbx_pick
 * takes no GPU that has one. Needs flock(1) over there to take one.
 */
#ifndef SANDBOX_LEASE_H
#define SANDBOX_LEASE_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef enum sbx_lease_state {
    SBX_LEASE_LIVE = 1,
    SBX_LEASE_GONE = 2,    /* its process runs no more */
    SBX_LEASE_REBOOT = 3,  /* the machine was started anew since */
    SBX_LEASE_EXPIRED = 4, /* its time is over */
    SBX_LEASE_UNKNOWN = 5  /* the file says what is not understood */
} sbx_lease_state;

/* It may grow at its end. */
typedef struct sbx_lease {
    const char *gpu;     /* UUID, of a MIG instance too; AMD: unique id or PCI address */
    const char *user;    /* its name over there, else its number */
    const char *purpose; /* "" where none was told */
    int64_t uid;         /* that owns the file */
    int64_t pid; /* of the holder over there; 0: there is none, time alone counts */
    int64_t taken_at_s;   /* by the clock over there, since 1970 */
    int64_t renewed_at_s; /* the same */
    int64_t expires_at_s; /* 0: not before its holder */
    int32_t state;        /* an sbx_lease_state */
    int32_t mine;         /* 1: it is this account's */
} sbx_lease;

/* The leases of a place. */
typedef struct sbx_lease_list {
    const char *place;
    const sbx_lease *items;
    size_t count;
} sbx_lease_list;

/* Zero is the default of each. */
typedef struct sbx_lease_opts {
    size_t size;
    int64_t count;       /* take: so many of the GPUs named; default: all of them */
    const char *purpose; /* one line, at most 200 bytes */
    int64_t pid;         /* take, renew: the holder over there; it has to be alive */
    int64_t for_s; /* take, renew: the time it has from now; default: without end with a
                      pid, else an hour */
    int64_t timeout_ms; /* of the call; default 30 s */
    sbx_cancel *cancel;
} sbx_lease_opts;

/* All leases there, those of the dead too. */
SBX_API int sbx_lease_all(sbx_session *session, const sbx_lease_opts *opts,
                          sbx_lease_list **out, sbx_error *err);

/*
 * Takes opts.count of the GPUs named (a NULL-ended list, at most 64), in that order, or
 * none: SBX_ERR_CONFLICT says who has the others. Of many that ask at once each GPU goes
 * to one. A GPU's number is no name of it: SBX_ERR_INVALID. out: those that were taken.
 */
SBX_API int sbx_lease_take(sbx_session *session, const char *const *gpus,
                           const sbx_lease_opts *opts, sbx_lease_list **out,
                           sbx_error *err);

/*
 * Gives leases of this account's a holder or a new end. SBX_ERR_CONFLICT where one is
 * no longer this account's; then none is changed.
 */
SBX_API int sbx_lease_renew(sbx_session *session, const char *const *gpus,
                            const sbx_lease_opts *opts, sbx_lease_list **out,
                            sbx_error *err);

/* Gives up leases of this account's; gpus NULL: all of them. out: those given up. */
SBX_API int sbx_lease_release(sbx_session *session, const char *const *gpus,
                              const sbx_lease_opts *opts, sbx_lease_list **out,
                              sbx_error *err);

/* Removes the dead ones of this account's; for root everybody's. out: those removed. */
SBX_API int sbx_lease_collect(sbx_session *session, const sbx_lease_opts *opts,
                              sbx_lease_list **out, sbx_error *err);

/* "live", "gone", "reboot", "expired", "unknown"; never NULL. */
SBX_API const char *sbx_lease_state_name(int state);

/* One object; its keys are in docs/gpus.md. */
SBX_API char *sbx_lease_json(const char *place, const sbx_lease *lease);

SBX_API void sbx_lease_list_free(sbx_lease_list *list);

SBX_END_DECLS
#endif
