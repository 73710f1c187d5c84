/*
 * output.h - where the bytes of a running command go: a head and a tail in
 * memory, and the whole, up to a cap, in a file beside its index.
 */
#ifndef SANDBOX_SESSION_OUTPUT_H
#define SANDBOX_SESSION_OUTPUT_H

#include "base/error.h"

#include <sandbox/output.h>

struct sbi_capture;

struct sbi_capture_opts {
    const char *run_id;  /* names the stored files; NULL: store nothing */
    const char *place;   /* noted in the index */
    int64_t limit;       /* bytes of a stream returned; -1: all */
    int64_t spool_limit; /* bytes of a stream stored; 0: store nothing; -1: all */
    const char *folder;  /* NULL: $XDG_STATE_HOME/sbx/output */
    const char *command; /* its head is noted in the index; or NULL */
};

/*
 * A store that cannot be written (no home, disk full) is no reason to fail a
 * command: storing stops, what was stored goes, and it is logged once.
 * Files are made on the first byte over `limit` (what is whole in memory needs no
 * file before the end) and closed by sbi_capture_finish.
 */
int sbi_capture_new(const struct sbi_capture_opts *opts, struct sbi_capture **out,
                    sbx_error *err);

/* stream: an sbx_exec_stream. Memory stays flat whatever comes. */
void sbi_capture_add(struct sbi_capture *capture, int stream, const void *data,
                     size_t length);

/* The run is to be known by its id, with its place, though it prints nothing. */
void sbi_capture_note(struct sbi_capture *capture);

/* The command is over: what is stored is complete. */
void sbi_capture_finish(struct sbi_capture *capture);

struct sbi_captured {
    char *data; /* head, a line that tells how much is left out, tail; a NUL follows */
    size_t length;
    uint64_t total;
    bool truncated;
};

/* Never cuts a UTF-8 character in two where the bytes are UTF-8. Frees with free(). */
int sbi_capture_take(struct sbi_capture *capture, int stream, struct sbi_captured *out,
                     sbx_error *err);

/* Whether the output can be read by its run id, once sbi_capture_finish was called. */
bool sbi_capture_spooled(const struct sbi_capture *capture);

void sbi_capture_free(struct sbi_capture *capture);

#endif
