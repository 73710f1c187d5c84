/*
 * interrupt.h - Ctrl-C and its kin: the first stops what runs over there, the
 * second ends the program at once.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "fault.h"

#include <sandbox/cancel.h>

/*
 * From here on SIGINT, SIGTERM and SIGHUP fire the token (unless the program was
 * started with them ignored), and SIGPIPE does nothing. program is borrowed.
 */
int interrupt_catch(const char *program, sbx_cancel *cancel, sbx_error *err);

/* Whether a signal can still fire it, to the end of the program: then it stays. */
bool interrupt_holds(const sbx_cancel *cancel);

/* Readable once a signal came; for poll. */
int interrupt_fd(void);

/* Whether one came. */
bool interrupt_came(void);

#endif
