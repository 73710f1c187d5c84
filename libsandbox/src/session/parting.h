/*
 * parting.h - how a client takes its leave.
 *
 * A watchdog looks once a second. One that finds both its command and the client's
 * connection gone cannot tell a client that left after the end from a line that
 * broke; so a client that leaves soon after an end dismisses that watchdog, and what
 * the command started in the background lives on.
 */
#ifndef SANDBOX_SESSION_PARTING_H
#define SANDBOX_SESSION_PARTING_H

#include "transport/transport.h"

#define SBI_PARTINGS 128

/* All zero: none. The caller has the lock. */
struct sbi_partings {
    struct {
        int64_t watchdog;
        int64_t ended_at;
    } recent[SBI_PARTINGS];
    size_t next;
};

/* The command of this watchdog has ended by itself. */
void sbi_parting_note(struct sbi_partings *partings, int64_t watchdog);

/* Dismisses those that may not have seen it yet; waits only until it is sent. */
void sbi_parting_say(const struct sbi_partings *partings, struct sbi_line *line);

enum sbi_parting_until {
    SBI_UNTIL_ASKED, /* the request that starts it may have left */
    SBI_UNTIL_SENT,  /* all that was written to it has left */
    SBI_UNTIL_ENDED
};

/* Waits for that, or its end, at most a second. */
void sbi_parting_await(struct sbi_process *process, enum sbi_parting_until until);

#endif
