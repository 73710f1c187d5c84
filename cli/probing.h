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

/* All zero is as the library has it. */
struct probing_opts {
    int64_t limit_ms; /* of one place, with the connecting */
    int64_t sample_ms;
    const char *folder;
};

/* Probes each place, all at once. Needs app_open_pool. */
void probing_run(struct probing *probing, struct app *app, const struct places *places,
                 const struct probing_opts *opts);

void probing_clear(struct probing *probing);

/* "44.4G", "812M", or "?" for SBX_UNKNOWN. */
void probing_add_size(struct text *text, int64_t bytes);

/* Prints the failures of a JSON run: {"place","ok":false,"error"}. */
void probing_print_error(const struct probed *probed);

#endif
