/* openssh_start.h - the installed ssh as a child of ours, and why it ended. */
#ifndef SANDBOX_TRANSPORT_OPENSSH_START_H
#define SANDBOX_TRANSPORT_OPENSSH_START_H

#include "transport/ssh_target.h"

#include <signal.h>
#include <sys/types.h>

struct sbi_openssh_child {
    pid_t pid; /* 0: none */
    int guard; /* at its end without a line the child is ended */
    int said;  /* what it prints to its standard error, as a file */
};

/* A master at path. It shares our terminal, on which it may ask; Ctrl-C is not its. */
int sbi_openssh_start(const struct sbi_ssh_target *target, const char *path,
                      int64_t keepalive_ms, int64_t deadline,
                      struct sbi_openssh_child *out, sbx_error *err);

/* It has ended before it logged in: says why, by the last that it said. */
int sbi_openssh_explain(const struct sbi_openssh_child *child,
                        const struct sbi_ssh_target *target, const siginfo_t *end,
                        sbx_error *err);

#endif
