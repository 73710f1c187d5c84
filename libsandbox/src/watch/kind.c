#include "watch/kind.h"

#include <stddef.h>
#include <string.h>

/* No text that came from over there is in a prompt: it could give orders. */
static const struct sbi_kind_row rows[] = {
    {"", false, false, false, ""},
    {"started", false, false, false, "Nothing has to be done about it."},
    {"progress", false, false, false, "Nothing has to be done about it."},
    {"unreachable", false, false, false,
     "Find out whether the host is down or the way to it is, and what can be done."},
    {"reachable", false, false, false, "See whether the job still runs as it should."},
    {"completed", false, true, true,
     "Look at the end of its log, say what came out of it, and go on with what was "
     "waiting for it."},
    {"failed", true, true, true,
     "Read the end of its log, find out why it failed, and mend that or say what would "
     "mend it."},
    {"oom", true, true, true,
     "It needs more memory than there was: find out what took it, and how to need less."},
    {"interrupted", true, true, true,
     "It did not end by itself: find out what ended it, and whether it is to be started "
     "again from its last checkpoint."},
    {"resume_scheduled", false, false, false,
     "Nothing has to be done: it is resumed soon."},
    {"resume_started", false, false, true,
     "See in its log whether it goes on from its checkpoint."},
    {"resume_failed", true, true, false,
     "Find out why it could not be resumed; it is tried again."},
    {"crash_loop", true, true, true,
     "It ends soon after each start, and is not resumed any more: find the cause."},
    {"gave_up", true, true, true,
     "It was resumed as often as was allowed, and ended again: find the cause."},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct sbi_kind_row *sbi_kind(int kind)
{
    return &rows[kind > 0 && (size_t)kind < ROWS ? kind : 0];
}

int sbi_kind_named(const char *name)
{
    size_t i;

    for (i = 1; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return (int)i;
    return 0;
}
