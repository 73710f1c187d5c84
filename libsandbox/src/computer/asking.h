/* asking.h - who asks for what: the options of a call, with their defaults. */
#ifndef SANDBOX_COMPUTER_ASKING_H
#define SANDBOX_COMPUTER_ASKING_H

#include "base/error.h"
#include "base/who.h"

#include <sandbox/computer.h>

#define SBI_ASKING_DAY_S ((int64_t)24 * 3600)

struct sbi_asking {
    const char *action; /* "pause": for the text of an error */
    const char *name;   /* NULL: of none in particular */
    bool pulls;         /* it may take the time that an image does */
    const char *place;
    sbx_computer_opts opts;
    char self[SBI_WHO_SIZE]; /* opts.owner, where none was told */
};

/* Reads theirs, and refuses a name or an owner that is none. It must not move then. */
int sbi_asking_read(struct sbi_asking *asking, sbx_session *session,
                    const sbx_computer_opts *theirs, sbx_error *err);

#endif
