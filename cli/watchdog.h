/* watchdog.h - a watchdog that runs beside this program, or by the system's service. */
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

#include "app.h"

#include <sandbox/watch.h>

enum watchdog_system { WATCHDOG_SYSTEMD = 1, WATCHDOG_LAUNCHD = 2 };

/* The one of this machine. */
int watchdog_system(void);

/* The path of this program's own file. */
void watchdog_own_program(const struct app *app, struct text *path);

/* The file that installs it, and what is in it. */
int watchdog_unit_path(int system, struct text *path, sbx_error *err);
void watchdog_unit_text(int system, const struct app *app, struct text *text);

/*
 * Runs a program of this machine, of 10 seconds at most, its first line of complaint in
 * said. Its status, as a shell tells it; -1: see err.
 */
int watchdog_call(struct app *app, const char *const *argv, struct text *said,
                  sbx_error *err);

/* Sees to it that one works on this ledger; says in a line where none can. */
void watchdog_ensure(const struct app *app, sbx_ledger *ledger);

#endif
