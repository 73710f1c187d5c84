/* survey.h - asks several places at once how busy they are. */
#ifndef MCP_SURVEY_H
#define MCP_SURVEY_H

#include "fleet.h"

#include <sandbox/probe.h>

/* Of one place; report is NULL where it could not be asked, and error says why. */
struct survey {
    struct call *call;
    const sbx_host *host;
    sbx_probe_report *report;
    sbx_error error;
};

/* For survey_free. */
struct survey *survey_run(struct call *call, const sbx_host *const *hosts, size_t count);
void survey_free(struct survey *all, size_t count);

/* Adds an object for each: name, state, numbers. */
void survey_add(struct call *call, const sbx_host *const *hosts, size_t count,
                tree *list);

/* A place in a few words: system, CPUs, memory, GPUs, what is odd about it. */
void survey_card(struct text *out, const sbx_probe_report *report);

#endif
