/*
 * mux_state.h - a process on a master's connection: what mux_process.c (its life) and
 * mux_after.c (its end) share.
 */
#ifndef SANDBOX_TRANSPORT_MUX_STATE_H
#define SANDBOX_TRANSPORT_MUX_STATE_H

#include "base/cleanup.h"
#include "base/ring.h"
#include "transport/mux_line.h"

enum sbi_mux_stage { SBI_MUX_GREETING = 0, SBI_MUX_ASKED, SBI_MUX_RUNNING, SBI_MUX_OVER };

struct sbi_mux_process {
    struct sbi_process base;
    struct sbi_mux_master *master;
    enum sbi_mux_stage stage;
    struct sbi_mux_talk talk;
    struct sbi_mux_talk witness;
    bool asked_witness;
    bool whole;  /* all that it wrote has come, or is in the pipes */
    bool broken; /* it has ended, and the rest of what it wrote will not come */
    struct sbi_mux_knock knock;
    int quiet;
    bool late; /* its streams did not end with it */
    int timer;
    int in; /* -1 once it is closed, or has ended; so are these: */
    int out[2];
    int far[3]; /* until they are passed on */
    bool waits; /* counts as not sent, until it is written to */
    struct sbi_ring input;
    bool close_input;
    bool pty;
    bool aside;
    char env[64];
    char watch[128]; /* or "" */
    char *command;
    char *term;
    char *connect_host;
    int connect_port;
    struct sbi_end end;
};

static inline void sbi_mux_close(int *fd)
{
    sbi_close_fd(fd);
    *fd = -1;
}

static inline bool sbi_mux_has_ended(const struct sbi_mux_process *process)
{
    return process->end.kind != SBI_END_NONE;
}

/* Its streams end where they are: no more is to be known. */
static inline bool sbi_mux_is_settled(const struct sbi_mux_process *process)
{
    return process->whole || process->broken || process->stage == SBI_MUX_OVER;
}

/* The way there broke; no more is started over that master. */
void sbi_mux_lose(struct sbi_mux_process *process, const char *why);

/* One timer, which is there until it has run out. */
bool sbi_mux_start_timer(struct sbi_mux_process *process, long after_ms);
bool sbi_mux_is_timed_out(struct sbi_mux_process *process);

/* The session is gone, or its streams are: then the witness is asked, once. */
void sbi_mux_ask_witness(struct sbi_mux_process *process);

/* Takes up what the witness and a knock have to say. */
void sbi_mux_hear_after(struct sbi_mux_process *process);

bool sbi_mux_is_drained(struct sbi_mux_process *process);

#endif
