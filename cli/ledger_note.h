/* ledger_note.h - what the program did that lasts, noted in the user's ledger. */
#ifndef CLI_LEDGER_NOTE_H
#define CLI_LEDGER_NOTE_H

#include "app.h"

/*
 * Adds an entry; detail is a JSON object or NULL. That it cannot be noted is told, and
 * is no failure of what was done.
 */
void ledger_note(const char *kind, const char *place, const char *subject,
                 const char *detail);

#endif
