/* local_fresh.h - a program that begins with every signal as a fresh process has it. */
#ifndef SANDBOX_TRANSPORT_LOCAL_FRESH_H
#define SANDBOX_TRANSPORT_LOCAL_FRESH_H

#include <spawn.h>
#include <sys/types.h>

struct sbi_fresh {
    char **argv;        /* the first word is looked for by PATH */
    char **environment; /* NULL: ours, without the secrets that it may hold */
    short flags;        /* POSIX_SPAWN_SETSID, POSIX_SPAWN_SETPGROUP */
    int (*wire)(posix_spawn_file_actions_t *actions, const void *ends);
    const void *ends;
};

/* 0, or an errno. */
int sbi_local_fresh(const struct sbi_fresh *fresh, pid_t *pid);

#endif
