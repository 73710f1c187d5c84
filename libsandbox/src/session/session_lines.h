/*
 * session_lines.h - how the session layer gets a process on a session's place: over the
 * line it has, over a further one where the server allows no more on that, over
 * a new one where it died.
 */
#ifndef SANDBOX_SESSION_SESSION_LINES_H
#define SANDBOX_SESSION_SESSION_LINES_H

#include "session/shell.h"
#include "transport/transport.h"

#include <sandbox/session.h>

struct sbi_slot;

struct sbi_started {
    struct sbi_process *process;
    struct sbi_slot *slot;     /* its place on a line; given back by sbi_session_leave */
    bool watched;              /* the line's warden watches it */
    bool told;                 /* the warden knows of it; a watchdog keeps its time */
    bool wants_warden;         /* the line is to have one, once this has started */
    bool guarded_later;        /* and that only if it lasts: see sbi_session_guard */
    bool fresh;                /* set before the launch: it takes nothing started ahead */
    bool was_ready;            /* it had been started ahead of the call */
    char tag[SBI_RUN_ID_SIZE]; /* of its supervisor: of the launch, or what was ready */
    const char *run_id;        /* of a run that wants a warden; the caller's */
};

/* Waits for a place on a line. A cancel or the deadline end the wait. */
int sbi_session_take(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                     struct sbi_started *out, sbx_error *err);

/*
 * Gives a run that is about to start to the warden of its line. False: it needs a
 * watchdog of its own, as the first run on a line does, and the first ones where a
 * warden cannot be had.
 */
bool sbi_session_watch(sbx_session *session, struct sbi_started *started,
                       const char *run_id, int64_t limit_s);

/* True where a keeper has the line: it watches runs by itself, where it can. */
bool sbi_session_is_kept(const struct sbi_started *started);

/*
 * A run that is guarded later has lasted for SBI_GUARD_MS, and then for as long again
 * each time: it gets its warden now, or another where that one is gone. watchdog: its
 * own, which ends the run where no warden comes.
 */
#define SBI_GUARD_MS 300
void sbi_session_guard(sbx_session *session, struct sbi_started *started,
                       const char *run_id, int64_t pid, int64_t watchdog);

/*
 * Starts a process on the place that was taken; after a failure the place is given back.
 * A watched run without a terminal gets a supervisor that was started ahead of the call,
 * if there is one, and the next such run finds one: that takes the login shell's start
 * and ours off its way.
 */
int sbi_session_launch(sbx_session *session, struct sbi_started *started,
                       const struct sbi_process_spec *spec, sbx_error *err);

/* Both in one, for what needs no watching. */
int sbi_session_start(sbx_session *session, const struct sbi_process_spec *spec,
                      int64_t deadline, sbx_cancel *cancel, struct sbi_started *out,
                      sbx_error *err);

/* The pid of a run's command is known. */
void sbi_session_name(sbx_session *session, const struct sbi_started *started,
                      const char *run_id, int64_t pid);

/*
 * Frees the process and gives its place back. refused: the server would not open
 * one more on that line, which is remembered. True if others are on the line, or
 * were: then a refusal was one for want of room, and another start finds room elsewhere.
 */
bool sbi_session_leave(sbx_session *session, struct sbi_started *started, bool refused);

/*
 * The run has ended, or is confirmed dead: its warden lets it alone, its own watchdog
 * (0: none) is dismissed if the client takes its leave soon.
 */
void sbi_session_note_end(sbx_session *session, const struct sbi_started *started,
                          const char *run_id, int64_t watchdog);

/* From a call's start: when a connection, or the start of a command, has failed. */
int64_t sbi_session_connect_deadline(const sbx_session *session, int64_t deadline);

/* Connects one more line. With the lock held, and without it meanwhile. */
int sbi_session_add_line(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                         sbx_error *err);

/* A line that lives, with room for one more process; or one of any kind. NULL: none. */
struct sbi_slot *sbi_session_free_slot(sbx_session *session);
struct sbi_slot *sbi_session_live_slot(sbx_session *session);

#endif
