/*
 * doctor.h - looks a place over, from its name to its GPUs, and says what mends
 * what is wrong.
 *
 * One call makes a connection of its own and one script's round trip, and judges
 * what they showed by a table of checks, in a fixed order that docs/doctor.md
 * tells. Each check that could not be made says so: unknown is never ok.
 */
#ifndef SANDBOX_DOCTOR_H
#define SANDBOX_DOCTOR_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef enum sbx_doctor_state {
    SBX_DOCTOR_OK = 1,
    SBX_DOCTOR_WARN = 2, /* works, and something will be slow, missing or short */
    SBX_DOCTOR_FAIL = 3, /* something does not work */
    SBX_DOCTOR_UNKNOWN = 4,
    SBX_DOCTOR_SKIPPED = 5 /* does not apply, or an earlier failure is in its way */
} sbx_doctor_state;

/* Zero is the default of each. */
typedef struct sbx_doctor_opts {
    size_t size;
    int64_t timeout_ms; /* of the whole, default 30 s */
    sbx_prompt_fn prompt;
    void *userdata; /* for prompt */
    sbx_cancel *cancel;
} sbx_doctor_opts;

/* Read-only; it may grow at its end. */
typedef struct sbx_doctor_check {
    const char *name; /* "host-key"; the same word as in sbx_error.check */
    int32_t state;    /* an sbx_doctor_state */
    int32_t reserved;
    const char *seen; /* one line */
    const char *fix;  /* a command or setting, or "" */
} sbx_doctor_check;

/* Owned by the caller, made and freed by the library; it may grow at its end. */
typedef struct sbx_doctor_report {
    const char *place;
    const sbx_doctor_check *const *checks; /* every one, in order */
    size_t check_count;
    int32_t failed;    /* how many of them */
    int32_t connected; /* 1: a session was opened */
    int64_t duration_ms;
    const char *facts; /* as sbx_session_facts_json, or NULL */
    sbx_error error;   /* why no session was opened, else zero */
} sbx_doctor_report;

/*
 * A place that cannot be reached is a report, not an error. Fails with
 * SBX_ERR_INVALID on what can be no place, with SBX_ERR_CANCELLED and
 * SBX_ERR_NO_MEMORY.
 */
SBX_API int sbx_doctor(sbx_hosts *hosts, const char *place, const sbx_doctor_opts *opts,
                       sbx_doctor_report **out, sbx_error *err);

/* "ok", "warn", "fail", "unknown" or "skipped"; never NULL. */
SBX_API const char *sbx_doctor_state_name(int state);

/* One object; its keys are in docs/doctor.md. */
SBX_API char *sbx_doctor_json(const sbx_doctor_report *report);

SBX_API void sbx_doctor_report_free(sbx_doctor_report *report);

SBX_END_DECLS
#endif
