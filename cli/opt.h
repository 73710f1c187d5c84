/*
 * opt.h - the options of a command: one row parses, checks, stores, helps and
 * completes.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include "fault.h"
#include "text.h"

#include <stdint.h>

enum opt_kind {
    OPT_FLAG = 1, /* int64_t: how often it was given */
    OPT_TEXT,     /* const char *: the last one given */
    OPT_LIST,     /* struct words: all that were given */
    OPT_SECONDS,  /* int64_t: positive, in milliseconds */
    OPT_BYTES,    /* int64_t: positive, with K, M or G behind the number */
    OPT_INT,      /* int64_t: from least to most */
    OPT_REFUSED   /* none: `help` is why, `argument` the way to go instead */
};

/* Looks at a value of OPT_TEXT or OPT_LIST: SBX_OK, or err says what is wrong. */
typedef int (*opt_check_fn)(const char *value, sbx_error *err);

struct opt {
    char letter;          /* 0: none */
    const char *name;     /* without the "--"; NULL ends a table */
    const char *argument; /* "SECONDS"; NULL for a flag */
    int kind;             /* an opt_kind */
    size_t at;            /* offset of the value in the command's struct */
    const char *help;     /* a sentence without its end */
    opt_check_fn check;
    int64_t least; /* OPT_INT */
    int64_t most;
    const char *completes; /* "file", "dir", or the words it takes: "strict ask" */
};

#define OPT_END                                                                          \
    {                                                                                    \
        .name = NULL                                                                     \
    }

/* A table, and the struct that its values go to. */
struct opt_set {
    const struct opt *table;
    void *values;
};

/* How far to read: to the last word, or to the first that is no option. */
enum opt_stop { OPT_ALL = 0, OPT_TO_FIRST_WORD = 1 };

/*
 * Reads argv, NULL-ended, by two tables at once; the words that are no options go
 * to operands. Fails with SBX_ERR_INVALID, naming what is wrong.
 */
int opt_parse(const struct opt_set sets[2], int stop, char *const *argv,
              struct words *operands, sbx_error *err);

/* What the lists of a struct hold is given back. */
void opt_clear(const struct opt_set *set);

/* The row of a word of the command line ("--name", "--name=value"), or NULL. */
const struct opt *opt_named(const struct opt *table, const char *name, size_t length);
const struct opt *opt_lettered(const struct opt *table, char letter);

/* Adds lines of help for a table. */
void opt_help(const struct opt *table, struct text *help);

/* Adds text broken into lines of at most 78 columns, each but the first indented. */
void opt_help_wrapped(struct text *help, const char *words, size_t indent);

/* Stores the text of one value as its row says; in opt_value.c. */
int opt_store(const struct opt *opt, const char *shown, const char *value, void *values,
              sbx_error *err);

/* A check for OPT_LIST: NAME=VALUE, where NAME can be a variable's. */
int opt_check_variable(const char *value, sbx_error *err);

/* A check for OPT_TEXT: not empty. */
int opt_check_filled(const char *value, sbx_error *err);

#endif
