/*
 * computer.h - named machines in containers, on any place that has docker or podman.
 *
 * A computer is a container with a name and a life. It is made through the session of the
 * place that it stands on, by the engine over there, which is asked by its HTTP API or by
 * its command line: nothing else is needed. Inside, all that works on a place works on
 * it: its address is PLACE/NAME, for sbx_session_open and wherever else a place is named.
 *
 * Labels on the container are its record. It is changed by its owner alone; anybody who
 * may use the engine can look at it and enter it. A temporary one ends with the process
 * that holds it, or when its time is over: sbx_computer_collect looks. See
 * docs/computers.md.
 */
#ifndef SANDBOX_COMPUTER_H
#define SANDBOX_COMPUTER_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef enum sbx_computer_state {
    SBX_COMPUTER_RUNNING = 1,
    SBX_COMPUTER_PAUSED = 2,
    SBX_COMPUTER_STOPPED = 3,
    SBX_COMPUTER_OTHER = 4 /* being made, or taken away */
} sbx_computer_state;

/* Whether the life of one is over, as far as it can be told from here. */
typedef enum sbx_computer_due {
    SBX_COMPUTER_DUE_NO = 0,
    SBX_COMPUTER_DUE_HOLDER = 1, /* the process that held it is gone */
    SBX_COMPUTER_DUE_TIME = 2    /* its time is over */
} sbx_computer_due;

/* It may grow at its end. */
typedef struct sbx_computer {
    const char *place;    /* that it stands on */
    const char *name;     /* a to z, 0 to 9 and '-', at most 63 */
    const char *address;  /* "PLACE/NAME" */
    const char *engine;   /* "docker", "podman" */
    const char *image;    /* as it was asked for */
    const char *owner;    /* "user@machine" of who made it, or what was told instead */
    const char *instance; /* another for each container of that name */
    const char *shell;    /* "" where none was told */
    const char *user;
    const char *network;   /* "" for the engine's own; "none" */
    const char *cpus;      /* "1.5"; "": no limit */
    const char *settings;  /* a JSON object: all that it was made with */
    int64_t memory;        /* bytes; -1: no limit */
    int64_t pids;          /* the same */
    int64_t created_at_s;  /* by the clock over there, since 1970 */
    int64_t expires_at_s;  /* 0: it has no time limit */
    int32_t state;         /* an sbx_computer_state */
    int32_t permanent;     /* 0: it ends with its holder */
    int32_t mine;          /* 1: its owner is the one of the call */
    int32_t made;          /* of create: 0, it was there */
    int32_t due;           /* an sbx_computer_due */
    int32_t out_of_memory; /* 1: a process of it was killed for lack of memory */
} sbx_computer;

/* Computers of one place. */
typedef struct sbx_computer_list {
    const char *place;
    const sbx_computer *const *items;
    size_t count;
} sbx_computer_list;

/* A line of what the engine tells while it pulls an image; on the caller's thread. */
typedef void (*sbx_computer_progress_fn)(const char *line, void *userdata);

enum sbx_computer_flags {
    SBX_COMPUTER_PERMANENT = 1,  /* it ends when it is removed, or its time is over */
    SBX_COMPUTER_NO_NETWORK = 2, /* but for its own loopback */
    SBX_COMPUTER_READ_ONLY = 4   /* all but /tmp, /run, /dev/shm and mounts */
};

/*
 * For all calls; what is no matter of a call is not looked at by it. Zero is the default
 * of each.
 */
typedef struct sbx_computer_opts {
    size_t size;
    uint64_t flags;     /* sbx_computer_flags; create */
    const char *engine; /* "docker" or "podman"; default: docker, if it is there and
                           answers */
    const char *owner;  /* default: "user@machine" of this process */

    const char *image;         /* create: default "debian:stable-slim" */
    const char *shell;         /* its commands are for this; default: bash, else sh */
    const char *user;          /* "NAME", "UID" or "UID:GID"; default: the image's; with
                                  mounts: such that new files are the account's */
    const char *network;       /* one of the engine's */
    const char *cpus;          /* "1.5"; default: no limit */
    const char *gpus;          /* "all", a count, or UUIDs with commas between */
    const char *const *env;    /* "NAME=value", NULL-ended */
    const char *const *mounts; /* "/there:/inside" or "/there:/inside:ro", NULL-ended */
    const char *const *ports;  /* "THERE:INSIDE", on that place's loopback, or with an
                                  "ADDRESS:" in front; NULL-ended */
    int64_t memory;            /* bytes, default 4 GiB; -1: no limit */
    int64_t pids;              /* default 2048; -1: no limit */
    int64_t ttl_s;      /* create: default none for a permanent one, else a day; -1: none;
                           renew: default a day */
    int64_t holder;     /* create: the process of this machine that a temporary one ends
                           with; default: this one; -1: none, its time alone counts */
    int64_t timeout_ms; /* of the call; default 10 min where an image may be pulled, else
                           a minute */
    sbx_computer_progress_fn progress;
    void *userdata;
    sbx_cancel *cancel;
} sbx_computer_opts;

/*
 * Makes one and starts it; name NULL: a new name of its own. A missing image is pulled.
 * One of that name and owner that is there is the answer, started where it did not run,
 * and as lasting as it was; another owner's is SBX_ERR_CONFLICT. Whatever fails, nothing
 * of it is left. What sbx_computer_collect would remove there is removed as well; it is
 * looked for at most once a minute.
 */
SBX_API int sbx_computer_create(sbx_session *session, const char *name,
                                const sbx_computer_opts *opts, sbx_computer **out,
                                sbx_error *err);

/* One, whosever it is. */
SBX_API int sbx_computer_show(sbx_session *session, const char *name,
                              const sbx_computer_opts *opts, sbx_computer **out,
                              sbx_error *err);

/* All of a place. */
SBX_API int sbx_computer_all(sbx_session *session, const sbx_computer_opts *opts,
                             sbx_computer_list **out, sbx_error *err);

/*
 * These are for the owner: another's is SBX_ERR_CONFLICT, none at all SBX_ERR_NOT_FOUND.
 * out, where it is not NULL: the computer as it is then.
 */
SBX_API int sbx_computer_restart(sbx_session *session, const char *name,
                                 const sbx_computer_opts *opts, sbx_computer **out,
                                 sbx_error *err);
SBX_API int sbx_computer_pause(sbx_session *session, const char *name,
                               const sbx_computer_opts *opts, sbx_computer **out,
                               sbx_error *err);
SBX_API int sbx_computer_resume(sbx_session *session, const char *name,
                                const sbx_computer_opts *opts, sbx_computer **out,
                                sbx_error *err);

/* Gives it a new end, ttl_s from now. */
SBX_API int sbx_computer_renew(sbx_session *session, const char *name,
                               const sbx_computer_opts *opts, sbx_computer **out,
                               sbx_error *err);

/*
 * Makes it anew, from its own image and settings. The old one is removed when the new one
 * runs; where that fails the old one is as it was, but for having been started again.
 */
SBX_API int sbx_computer_reset(sbx_session *session, const char *name,
                               const sbx_computer_opts *opts, sbx_computer **out,
                               sbx_error *err);

/* Keeps its files, without mounts, as an image of that name there. */
SBX_API int sbx_computer_snapshot(sbx_session *session, const char *name,
                                  const char *image, const sbx_computer_opts *opts,
                                  sbx_error *err);

/* Ends it, with all that runs in it, and removes its files. */
SBX_API int sbx_computer_remove(sbx_session *session, const char *name,
                                const sbx_computer_opts *opts, sbx_error *err);

/*
 * Removes those whose time is over, of this owner's, and those whose holder is gone, if
 * that was a process of this machine. out: those removed.
 */
SBX_API int sbx_computer_collect(sbx_session *session, const sbx_computer_opts *opts,
                                 sbx_computer_list **out, sbx_error *err);

/*
 * The owner that whoever knows a secret is, for sbx_computer_opts: "agent-" and 24 hex
 * digits, which do not tell the secret. A secret has 32 bytes or more that nobody can
 * guess. For sbx_free.
 */
SBX_API int sbx_computer_owner(const char *secret, char **out, sbx_error *err);

/* "running", "paused", "stopped", "other"; never NULL. */
SBX_API const char *sbx_computer_state_name(int state);

/* One object; its keys are in docs/computers.md. */
SBX_API char *sbx_computer_json(const sbx_computer *computer);

SBX_API void sbx_computer_free(sbx_computer *computer);
SBX_API void sbx_computer_list_free(sbx_computer_list *list);

SBX_END_DECLS
#endif
