/* sync_notes.h - what a sync left undone, with reasons: kept to a limit, counted to the
 * end. */
#ifndef SANDBOX_SYNC_SYNC_NOTES_H
#define SANDBOX_SYNC_SYNC_NOTES_H

#include "base/error.h"

#include <sys/types.h>

enum sbi_note_kind { SBI_NOTE_SKIP = 0, SBI_NOTE_FAIL = 1 };

struct sbi_sync_note {
    int kind;
    char *path;
    char *reason;
};

/* Starts as all zero. */
struct sbi_sync_notes {
    struct sbi_sync_note *items; /* the first 10,000 of each kind */
    size_t count;
    size_t capacity;
    uint64_t totals[2]; /* by kind */
};

/* No memory: it is counted at least. */
void sbi_sync_note(struct sbi_sync_notes *notes, int kind, const char *path,
                   const char *reason);

/* A failure whose reason is an errno. */
void sbi_sync_note_errno(struct sbi_sync_notes *notes, const char *path, int failed);

/* Each line of a tool's standard error, as a failure. */
void sbi_sync_note_lines(struct sbi_sync_notes *notes, const char *lines);

void sbi_sync_notes_clear(struct sbi_sync_notes *notes);

#endif
