/* kind.h - the kinds of event, and what each means for those who are told. */
#ifndef SANDBOX_WATCH_KIND_H
#define SANDBOX_WATCH_KIND_H

#include <stdbool.h>

enum sbi_kind {
    SBI_KIND_STARTED = 1,
    SBI_KIND_PROGRESS,
    SBI_KIND_UNREACHABLE,
    SBI_KIND_REACHABLE,
    SBI_KIND_COMPLETED,
    SBI_KIND_FAILED,
    SBI_KIND_OOM,
    SBI_KIND_INTERRUPTED,
    SBI_KIND_RESUME_SCHEDULED,
    SBI_KIND_RESUME_STARTED,
    SBI_KIND_RESUME_FAILED,
    SBI_KIND_CRASH_LOOP,
    SBI_KIND_GAVE_UP
};

struct sbi_kind_row {
    const char *name;
    bool urgent;        /* on a desktop it stays until it is seen */
    bool wakes;         /* an agent is woken for it */
    bool noted;         /* it is an entry of the ledger, too */
    const char *prompt; /* what an agent is asked to do about it */
};

/* Never NULL; of what is no kind the row of "". */
const struct sbi_kind_row *sbi_kind(int kind);

/* 0 where there is none of that name. */
int sbi_kind_named(const char *name);

#endif
