/* burial.h - kills all that belongs to a run over there, and looks. */
#ifndef SANDBOX_SESSION_BURIAL_H
#define SANDBOX_SESSION_BURIAL_H

#include "session/session.h"

struct sbi_burial {
    const char *run_id;
    const char *tag;  /* of its supervisor */
    int64_t pid;      /* of the command; -1 where it is not known */
    int64_t watchdog; /* 0 where it is not known */
    int64_t kill_after_ms;
    int64_t world; /* of its supervisor: an undertaker elsewhere has no word on it */
    bool outside;  /* of a prefix: what brought it there is buried, by its tag */
};

struct sbi_buried {
    bool asked;         /* an answer came */
    int64_t *survivors; /* pids that could not be killed; free() them */
    size_t count;
};

/*
 * Runs the undertaker on a channel of its own, with the deadline for all of it. No
 * error: where no answer came, `asked` is false, and why stands in the log.
 */
void sbi_bury(sbx_session *session, const struct sbi_burial *burial, int64_t deadline,
              struct sbi_buried *out);

#endif
