/*
 * output.h - reads again what a command printed.
 *
 * exec.h returns the head and the tail of a long output; the whole of it, up to
 * a cap, lies in a file of this user's for a week ($XDG_STATE_HOME/sbx/output,
 * 0600) and is read here by range, by line or by regular expression.
 */
#ifndef SANDBOX_OUTPUT_H
#define SANDBOX_OUTPUT_H

#include <sandbox/exec.h>

SBX_BEGIN_DECLS

typedef struct sbx_output_opts {
    size_t size;
    int64_t stream;     /* an sbx_exec_stream; default standard output */
    int64_t max_bytes;  /* of the answer, default 1 MiB; more is `truncated` */
    const char *folder; /* default: $XDG_STATE_HOME/sbx/output */
} sbx_output_opts;

/* Bytes are the command's own, unchanged. Lines end in '\n' and count from 1. */
typedef struct sbx_output {
    const char *data; /* a NUL follows the last byte */
    size_t length;
    uint64_t offset;    /* of data[0] in the stream; 0 for a search */
    uint64_t stored;    /* bytes of the stream that are stored */
    uint64_t total;     /* bytes that the command printed */
    int64_t first_line; /* number of the first line in data; 0 for a range */
    int64_t line_count; /* lines in data */
    int32_t truncated;  /* 1: max_bytes left something out */
    int32_t complete;   /* 0: the command was still running, or died with its client */
} sbx_output;

/* length -1: to the end; a negative start counts from the end. */
SBX_API int sbx_output_range(const char *run_id, int64_t start, int64_t length,
                             const sbx_output_opts *opts, sbx_output **out,
                             sbx_error *err);

/* Lines first to last, both included; last -1: to the end; first -N: the last N lines. */
SBX_API int sbx_output_lines(const char *run_id, int64_t first, int64_t last,
                             const sbx_output_opts *opts, sbx_output **out,
                             sbx_error *err);

/*
 * The lines that match a POSIX extended regular expression, each as
 * "NUMBER:LINE". A line over 64 KiB is searched in its first 64 KiB.
 */
SBX_API int sbx_output_grep(const char *run_id, const char *pattern,
                            const sbx_output_opts *opts, sbx_output **out,
                            sbx_error *err);

/* A stored output, and what it is of. */
typedef struct sbx_output_run {
    const char *run_id;
    const char *place;     /* NULL where it is not known */
    const char *command;   /* the head of the command's text, or of its words; or NULL */
    int64_t started;       /* seconds since 1970 */
    uint64_t stdout_bytes; /* that the command printed */
    uint64_t stderr_bytes;
    int32_t complete; /* 0: the command was still running, or died with its client */
    int32_t reserved;
} sbx_output_run;

/* The newest first. Owned as a whole: sbx_output_runs_free. */
typedef struct sbx_output_runs {
    const sbx_output_run *items;
    size_t count;
} sbx_output_runs;

/* What is stored, at most so many (-1: all). One whose index is damaged is left out. */
SBX_API int sbx_output_list(int64_t most, const char *folder, sbx_output_runs **out,
                            sbx_error *err);
SBX_API char *sbx_output_run_json(const sbx_output_run *run);
SBX_API void sbx_output_runs_free(sbx_output_runs *runs);

/* Removes stored outputs older than that many seconds (negative: a week). */
SBX_API int sbx_output_expire(int64_t age_s, const char *folder, sbx_error *err);

SBX_API char *sbx_output_json(const sbx_output *output);
SBX_API void sbx_output_free(sbx_output *output);

SBX_END_DECLS
#endif
