/*
 * scarce_calls.h - calls of the library that are made while something is scarce.
 *
 * Each tells SBX_OK only where what it did is right: what says that it is done, and is
 * not, is WRONG.
 */
#ifndef TESTS_SUPPORT_SCARCE_CALLS_H
#define TESTS_SUPPORT_SCARCE_CALLS_H

#include "support/scarce.h"

#include <sandbox/session.h>

#include <stdbool.h>
#include <stddef.h>

#define SCARCE_WRONG (-9999) /* no code of the library's */

struct scarce_call {
    const char *name;
    void (*prepare)(void); /* NULL: nothing. Memory and system are whole */
    int (*call)(sbx_error *err);
};

extern const struct scarce_call scarce_calls[];
extern const size_t scarce_call_count;
extern const struct scarce_call scarce_sync_calls[];
extern const size_t scarce_sync_call_count;

/* What they work on. */
struct scarce_bed {
    char base[32];              /* a folder for all */
    char here[64];              /* a tree in it */
    char there[64], single[64]; /* names of a folder and a file, for each turn anew */
    sbx_session *session;       /* to this machine */
};
extern struct scarce_bed scarce_bed;

/* A folder and a session to this machine for all of them, and away with both. */
void scarce_calls_begin(void);
void scarce_calls_end(void);

/* Whether a command of this machine's shell ends well; must: it has to. */
bool scarce_holds(const char *format, ...) __attribute__((format(printf, 1, 2)));
void scarce_must(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Each way in which a call asks for memory fails once, and the call says so. */
void scarce_memory(const struct scarce_call *call);

/* SBX_OK where it is so; else WRONG, and what is wrong. */
int scarce_calls_right(bool so, const char *what, sbx_error *err);

/* Makes the call, with files of its own, while that fails (scarce_from_here). */
int scarce_calls_make(const struct scarce_call *call, enum scarce_what what, long at,
                      sbx_error *err);

#endif
