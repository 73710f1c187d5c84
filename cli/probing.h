/* probing.h - probes of many places, side by side, within one limit each. */
#ifndef CLI_PROBING_H
#define CLI_PROBING_H

#include "places.h"

#include <sandbox/probe.h>

struct probed {
    const char *place;
    sbx_probe_report *report; /* NULL: see error */
    sbx_error error;
};

struct probing {
    struct probed *all;
    size_t count;
};

#define AUTO_PROBING CLEANUP(probing_clear) struct probing

/*
 * Probes each place, all at once; limit_ms, with the connecting, 0: as the library has
 * it. folder may be NULL. Needs app_open_pool.
 */
void probing_run(struct probing *probing, struct app *app, const struct places *places,
                 int64_t limit_ms, const char *folder);

void probing_clear(struct probing *probing);

/* "44.4G", "812M", or "?" for SBX_UNKNOWN. */
void probing_add_size(struct text *text, int64_t bytes);

/* Prints the failures of a JSON run: {"place","ok":false,"error"}. */
void probing_print_error(const struct probed *probed);

#endif
