/*
 * far.h - one of our scripts at work over there, with its two streams in our hands.
 *
 * It runs on a thread of its own, so that the caller can write to it or read from it
 * while it works. Every wait ends when it does, or when the cancel token fires.
 */
#ifndef SANDBOX_SYNC_FAR_H
#define SANDBOX_SYNC_FAR_H

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

#include <sandbox/exec.h>

struct sbi_far;

struct sbi_far_opts {
    const char *script;      /* constant POSIX sh */
    const char *const *args; /* its $1 and on, NULL-ended; copied */
    const void *input;       /* bytes of its standard input, alive until it is freed */
    size_t input_length;
    bool feeds; /* instead of input: sbi_far_put */
    bool reads; /* what it prints comes by sbi_far_get; else it is kept, to 1 MiB */
    sbx_cancel *cancel;
};

/* The session must live until it is freed. */
int sbi_far_start(sbx_session *session, const struct sbi_far_opts *opts,
                  struct sbi_far **out, sbx_error *err);

/*
 * Writes all of it. Where the script ended early that is a failure with the code
 * SBX_ERR_DISCONNECTED; sbi_far_finish knows why.
 */
int sbi_far_put(struct sbi_far *far, const void *data, size_t length, sbx_error *err);

/* Its standard input ends. */
void sbi_far_end_input(struct sbi_far *far);

/* What it printed: how many bytes, 0 at the end, or a failure. */
ssize_t sbi_far_get(struct sbi_far *far, void *buffer, size_t room, sbx_error *err);

/* All that it prints from now on, to its end, as text of at most 1 MiB. */
int sbi_far_get_rest(struct sbi_far *far, struct sbi_str *out, sbx_error *err);

/* Borrowed from the far side's run, until it is freed. */
struct sbi_far_end {
    int code;           /* with which the script exited */
    const char *output; /* unless it was read */
    size_t output_length;
    const char *errors; /* of standard error, head and tail */
    size_t errors_length;
};

/*
 * Waits for its end. A script that did not come to an exit of its own is a failure:
 * cancelled, lost, killed.
 */
int sbi_far_finish(struct sbi_far *far, struct sbi_far_end *out, sbx_error *err);

/* Bytes that went there and came back, so far. */
void sbi_far_bytes(const struct sbi_far *far, uint64_t *up, uint64_t *down);

enum sbi_far_flow_kind {
    SBI_FAR_FLOW_UNKNOWN = 0, /* too little went to tell */
    SBI_FAR_FLOW_FREE,        /* all went as fast as the caller made it, or took it */
    SBI_FAR_FLOW_HELD         /* the caller was waiting most of the time */
};

struct sbi_far_flow {
    int kind;      /* an sbi_far_flow_kind */
    uint64_t rate; /* if held: bytes a second, while all on the way was full */
};

/* How its input has gone (up), or what it printed, until now, which is the end of it. */
void sbi_far_flow(const struct sbi_far *far, bool up, struct sbi_far_flow *out);

/* Ends it by closing its streams, where it was not finished, and waits for that. */
void sbi_far_free(struct sbi_far *far);
void sbi_far_clear(struct sbi_far **far);

#define SBI_AUTO_FAR SBI_CLEANUP(sbi_far_clear) struct sbi_far *

#endif
