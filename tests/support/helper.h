/*
 * helper.h - a program beside a test, its standard input and output in our hands.
 *
 *     helper_start(&proxy, (const char *const[]){program, "0", NULL});
 *     helper_say(&proxy, "cut");
 *     helper_hear(&proxy, line, sizeof(line));
 *     helper_end(&proxy);
 *
 * A helper ends with its standard input. What fails ends the test.
 */
#ifndef TESTS_SUPPORT_HELPER_H
#define TESTS_SUPPORT_HELPER_H

#include <stddef.h>
#include <sys/types.h>

struct helper {
    pid_t pid;
    int in;
    int out;
};

/* argv is NULL-ended; the program is looked for on the PATH. */
void helper_start(struct helper *helper, const char *const *argv);

/* The path of a program of support/prog_*.c, in a buffer that the next call reuses. */
const char *helper_program(const char *name);

/* A line to it, and the next line from it without its end, cut to the room. */
void helper_say(const struct helper *helper, const char *line);
void helper_hear(const struct helper *helper, char *line, size_t room);

/* Has it said something that was not heard yet? */
int helper_has_said(const struct helper *helper);

/* Closes its standard input and waits for its end. */
void helper_end(struct helper *helper);

#endif
