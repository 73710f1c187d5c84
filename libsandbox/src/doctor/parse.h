/* parse.h - what the script printed, read; see script.h for its form. */
#ifndef SANDBOX_DOCTOR_PARSE_H
#define SANDBOX_DOCTOR_PARSE_H

#include "base/error.h"

/* A line of a task has the task's name as its key. */
struct sbi_told_line {
    const char *key;
    const char *value; /* printable; UTF-8 is not looked at */
};

/* All zero is the report of a script that printed nothing. */
struct sbi_told {
    char *text;
    struct sbi_told_line *lines;
    size_t count;
};

/*
 * Reads at most 512 lines; what has no form is passed over. The text may be cut
 * anywhere: a last line without its end is not read.
 */
int sbi_told_parse(const char *text, size_t length, struct sbi_told *out, sbx_error *err);

void sbi_told_clear(struct sbi_told *told);

/* The value of the first line with that key, or NULL. */
const char *sbi_told(const struct sbi_told *told, const char *key);

/* That of the last one, or "". */
const char *sbi_told_last(const struct sbi_told *told, const char *key);

/* Whether there is a line of that key and value. */
bool sbi_told_has(const struct sbi_told *told, const char *key, const char *value);

enum sbi_task_end {
    SBI_TASK_NONE = 0, /* it was not begun */
    SBI_TASK_WELL,
    SBI_TASK_ILL,    /* an exit status that is not 0 */
    SBI_TASK_LATE,   /* given up */
    SBI_TASK_UNKNOWN /* the script ended before it did */
};

int sbi_told_task(const struct sbi_told *told, const char *name);

/*
 * A column of what `df -P` printed for a task: 1 the size, 2 used, 3 free. False
 * where it has no such number.
 */
bool sbi_told_df(const struct sbi_told *told, const char *task, int column,
                 int64_t *value);

#endif
