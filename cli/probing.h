/* probing.h - probes of many places, side by side, within one limit each. */
#ifndef CLI_PROBING_H
#define CLI_PROBING_H

#include "places.h"

#include <sandbox/pick.h>

struct probed {
    const char *place;
    const sbx_probe_report *report; /* NULL: see error */
    sbx_error error;
};

struct probing {
    sbx_pick_told *told; /* owns what the next show */
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
int probing_run(struct probing *probing, struct app *app, const struct places *places,
                const struct probing_opts *opts, sbx_error *err);

void probing_clear(struct probing *probing);

/* "44.4G", "812M", or "?" for SBX_UNKNOWN. */
void probing_add_size(struct text *text, int64_t bytes);

/* Prints the failures of a JSON run: {"place","ok":false,"error"}. */
void probing_print_error(const struct probed *probed);

#endif
