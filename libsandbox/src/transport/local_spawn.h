/* local_spawn.h - pipes or a terminal for a child, and the child on them. */
#ifndef SANDBOX_TRANSPORT_LOCAL_SPAWN_H
#define SANDBOX_TRANSPORT_LOCAL_SPAWN_H

#include "transport/transport.h"

/* Our ends: non-blocking. On a terminal `out` is another descriptor of the same. */
struct sbi_streams {
    int in;
    int out[2]; /* by stream */
};

/*
 * Starts /bin/sh -c command in a session of its own, with every signal as a fresh
 * process has it and no descriptor of the host program's. On failure the streams
 * that were made are the caller's to close.
 */
int sbi_local_spawn(const struct sbi_process_spec *spec, struct sbi_streams *streams,
                    pid_t *pid, sbx_error *err);

/* The same with its standard input and output on one descriptor, and no errors. */
int sbi_local_spawn_on(const char *command, int fd, pid_t *pid, sbx_error *err);

/*
 * Starts a program, by PATH, that goes on by itself: in a session of its own, with
 * nothing to read, nowhere to write, and nobody to ask.
 */
int sbi_local_spawn_behind(char **argv, pid_t *pid, sbx_error *err);

/* Each is the caller's to close, also where it fails; ours is non-blocking. */
int sbi_local_pipe(int *ours, int *childs, bool child_reads, sbx_error *err);

/* A terminal of the spec's size: our end, and the name of the other. */
int sbi_local_terminal(const struct sbi_process_spec *spec, int *ours, char *name,
                       size_t room, sbx_error *err);

/* Sees to it that a child which is let go of does not stay a zombie. */
void sbi_local_bury(pid_t pid);

#endif
