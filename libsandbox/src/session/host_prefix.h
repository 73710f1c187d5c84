/*
 * host_prefix.h - the words before each command of a place that lies behind a prefix,
 * through all the places that it stands on.
 */
#ifndef SANDBOX_SESSION_HOST_PREFIX_H
#define SANDBOX_SESSION_HOST_PREFIX_H

#include "session/host_computer.h"
#include "session/host_list.h"

#include <sandbox/host.h>

/* All zero: the place lies behind none. */
struct sbi_host_prefix {
    char **words;    /* the outermost first */
    char **terminal; /* the same before a command that has a terminal */
    char *on;        /* the place that the place itself stands on, for messages */
    char *own;       /* its own words with blanks between, for messages */
    bool computer;   /* PLACE/NAME: its words are a script of ours */
    struct sbi_host_engine engine; /* the way into one that stands on the base itself */
};

/*
 * The prefix of host, and in *base the place without one that all of it stands on, which
 * is host itself where there is no prefix.
 */
int sbi_host_prefix(sbx_hosts *hosts, const sbx_host *host, struct sbi_host_prefix *out,
                    const sbx_host **base, sbx_error *err);

void sbi_host_prefix_clear(struct sbi_host_prefix *prefix);

/* Refuses a list in which a place stands, in the end, on itself. */
int sbi_host_prefix_check(const struct sbi_host_list *list, sbx_error *err);

#endif
