#include "lost.h"

#include <time.h>

enum { TRIES = 5, ASK_MS = 10000 };

static const char *const unknown =
    "the connection was lost: whether it ended is not known; look at what it should have "
    "done before you run it again";

static const char *words_of(const sbx_outcome *outcome)
{
    switch (outcome->state) {
    case SBX_OUTCOME_KILLED:
        return outcome->confirmed_dead
                   ? "the connection was lost, and it was killed over there with all it "
                     "started: see how far it came, then run it again; start_job survives "
                     "that"
                   : "the connection was lost, and it was killed over there, but some of "
                     "it may still run: look with ps before you run it again";
    case SBX_OUTCOME_STARTING:
    case SBX_OUTCOME_RUNNING:
        return "the connection was lost, and it still runs over there: do not run it "
               "again before it has ended";
    case SBX_OUTCOME_ENDED:
        return "the connection was lost, and it has ended, how is not known; look at what "
               "it should have done before you run it again";
    default:
        return unknown;
    }
}

static int ask(const struct call *call, sbx_session *session,
               const sbx_exec_result *result, const char **words)
{
    const sbx_outcome_opts opts = {
        .size = sizeof(opts), .timeout_ms = ASK_MS, .cancel = call->cancel};
    sbx_outcome *outcome = NULL;
    int state = 0;

    if (sbx_exec_outcome(session, result->run_id, &opts, &outcome, NULL) == SBX_OK) {
        state = outcome->state;
        *words = words_of(outcome);
    }
    sbx_outcome_free(outcome);
    return state;
}

const char *lost_advice(const struct call *call, sbx_session *session,
                        const sbx_exec_result *result)
{
    const struct timespec second = {.tv_sec = 1};
    const char *words = unknown;
    int tries, state;

    for (tries = 0; tries < TRIES; tries++) {
        state = ask(call, session, result, &words);
        if ((state != SBX_OUTCOME_RUNNING && state != SBX_OUTCOME_STARTING) ||
            sbx_cancel_fired(call->cancel))
            break;
        (void)nanosleep(&second, NULL);
    }
    return words;
}
