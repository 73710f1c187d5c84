/*
 * mux_line.h - what a line over a master shares with its processes, which may outlive it.
 */
#ifndef SANDBOX_TRANSPORT_MUX_LINE_H
#define SANDBOX_TRANSPORT_MUX_LINE_H

#include "transport/mux_talk.h"
#include "transport/transport.h"

#include <stdatomic.h>

#define SBI_MUX_HELLO_MS 2000 /* a master that says no hello for so long is frozen */

struct sbi_mux_master {
    atomic_int holders;
    atomic_bool dead;
    char path[108];
    pid_t pid; /* of who was greeted */
    atomic_bool lent;
    struct sbi_mux_talk greeting; /* by which it was found; nobody's once it is lent */
};

void sbi_mux_master_release(struct sbi_mux_master *master);

/* In mux_process.c. */
int sbi_mux_start(struct sbi_mux_master *master, const struct sbi_process_spec *spec,
                  struct sbi_process **out, sbx_error *err);

/*
 * A session that is opened and let go: its answer comes from over there, behind all that
 * was on its way from there.
 */
struct sbi_mux_knock {
    struct sbi_mux_talk talk;
    bool asked;
};

enum sbi_mux_knocked { SBI_MUX_WAITS = 0, SBI_MUX_ANSWERED, SBI_MUX_GONE };

int sbi_mux_knock_start(struct sbi_mux_knock *knock, const struct sbi_mux_master *master,
                        sbx_error *err);

/* Once it is not SBI_MUX_WAITS, the knock is cleared. */
int sbi_mux_knock_step(struct sbi_mux_knock *knock);

#endif
