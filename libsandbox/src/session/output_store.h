/*
 * output_store.h - the folder where outputs lie: of each run RUNID.out, RUNID.err
 * and its index RUNID.json.
 *
 * The index says `complete` once the command is over; a client that dies leaves it
 * without. A stream that printed nothing has no file.
 */
#ifndef SANDBOX_SESSION_OUTPUT_STORE_H
#define SANDBOX_SESSION_OUTPUT_STORE_H

#include "base/error.h"

#define SBI_RUN_ID_LENGTH 32
#define SBI_STORE_COMMAND 200

/* The run that a file of the folder belongs to; false where it is none of ours. */
bool sbi_store_run_of(const char *name, char run_id[SBI_RUN_ID_LENGTH + 1]);

/* Exactly 32 lower-case hex digits: it becomes a part of a file name. */
bool sbi_run_id_is_valid(const char *run_id);

/* folder NULL: $XDG_STATE_HOME/sbx/output. `make`: 0700, if it is not there. */
int sbi_store_open(const char *folder, bool make, int *out, sbx_error *err);

/* stream: an sbx_exec_stream. SBX_ERR_NOT_FOUND where there is no such file. */
int sbi_store_open_stream(int folder, const char *run_id, int stream, bool make, int *out,
                          sbx_error *err);

struct sbi_store_index {
    char *place;         /* or NULL */
    char *command;       /* its head, some SBI_STORE_COMMAND bytes, or NULL */
    int64_t started;     /* seconds since 1970 */
    int64_t spool_limit; /* bytes of a stream; -1: none */
    uint64_t stored[2];  /* of standard output, of standard error */
    uint64_t total[2];
    bool complete;
};

/* It is replaced whole or not at all; a power cut may lose it. */
int sbi_store_write_index(int folder, const char *run_id,
                          const struct sbi_store_index *index, sbx_error *err);
int sbi_store_read_index(int folder, const char *run_id, struct sbi_store_index *out,
                         sbx_error *err);
void sbi_store_index_clear(struct sbi_store_index *index);

/* Removes the files of a run, as far as they are there. */
void sbi_store_remove(int folder, const char *run_id);

/* Expires what is older than a week, if none of this user's did so within the hour. */
void sbi_store_expire_hourly(const char *folder);

#endif
