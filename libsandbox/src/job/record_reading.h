/* record_reading.h - what the files that read records share while they read. */
#ifndef SANDBOX_JOB_RECORD_READING_H
#define SANDBOX_JOB_RECORD_READING_H

#include "job/record.h"
#include "job/token.h"

struct sbi_reading {
    struct sbi_records *records;
    const char *base; /* borrowed from the text */
    size_t base_length;
    struct sbi_record *open; /* whose lines these are */
    int section;             /* whose lines come */
    bool begun;
    bool whole;
    bool no_memory;
};

/* The rest of a line, decoded; no memory is remembered. */
void sbi_reading_text(struct sbi_reading *reading, struct sbi_token line, char **out);

/*
 * Room for one more in an array of so many items, as sbi_array_reserve makes it; false:
 * there is no memory, which is remembered.
 */
bool sbi_reading_room(struct sbi_reading *reading, void *items, size_t size, size_t count,
                      size_t *room);

/* Reads "KEY ID GEN ..." where KEY is one of a generation's; false: it is none. */
bool sbi_reading_run(struct sbi_reading *reading, struct sbi_token key,
                     struct sbi_token line);

/* Lines of the section `stats`. */
void sbi_reading_stat(struct sbi_reading *reading, struct sbi_token line);
void sbi_reading_ps(struct sbi_reading *reading, struct sbi_token line);

/* All has been read. */
void sbi_reading_end(struct sbi_reading *reading);

/* The job of that id: the open one, or one behind it, as they come in the same order. */
struct sbi_record *sbi_reading_job(struct sbi_reading *reading, struct sbi_token id);

#endif
