/*
 * session_state.h - what the two halves of a session share: session_lines.c (its lines,
 * and who is on them) and session.c (its life).
 *
 * A slot is a line with the number of processes on it and how many the server was
 * found to allow.
 */
#ifndef SANDBOX_SESSION_SESSION_STATE_H
#define SANDBOX_SESSION_SESSION_STATE_H

#include "session/host.h"
#include "session/host_prefix.h"
#include "session/parting.h"
#include "session/warden.h"
#include "transport/ssh_care.h"

#include <pthread.h>
#include <stdatomic.h>

#include <sandbox/session.h>

#define SBI_MOST_LINES 16

struct sbi_slot {
    struct sbi_line *line; /* NULL: free */
    int busy;
    int capacity;
    bool served;  /* it has had a process: a refusal is for want of room */
    bool crowded; /* its warden is to go, as soon as it watches nothing */
    uint64_t runs;
    struct sbi_warden warden;
    struct sbi_process *ready; /* a supervisor that waits for its header, or NULL */
    char ready_tag[SBI_RUN_ID_SIZE];
    int64_t ready_at;
    bool ready_refused;
};

struct sbi_waiter {
    struct sbi_waiter *next;
    int fd;
};

struct sbx_session {
    atomic_int holders;
    char *place;
    int kind;
    struct sbi_ssh_target *target; /* NULL for this machine, and what stands on it */
    struct sbi_host_prefix prefix; /* its words are NULL where there is none */
    struct sbi_host_defaults defaults;
    int64_t connect_ms;
    struct sbi_ssh_care care;
    uint64_t flags; /* sbx_session_flags */
    sbx_prompt_fn prompt;
    void *userdata;
    atomic_bool asked; /* somebody has been */

    pthread_mutex_t lock;
    struct sbi_slot slots[SBI_MOST_LINES];
    struct sbi_line_facts facts; /* of the newest line */
    bool connecting;
    int64_t direct_until; /* a master failed us: no other is tried for a while */
    uint64_t attempts;    /* ended ones */
    bool attempt_failed;  /* the last of them */
    sbx_error attempt_error;
    struct sbi_waiter *waiters;
    struct sbi_partings partings;
};

#endif
