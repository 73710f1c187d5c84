/*
 * shell_escape.h - finds what is typed for us among what is typed for the shell over
 * there: behind Enter, ~. leaves, ~? helps, ~~ is a tilde; anything else goes through.
 */
#ifndef CLI_SHELL_ESCAPE_H
#define CLI_SHELL_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

enum shell_order { SHELL_GO_ON = 0, SHELL_LEAVE, SHELL_HELP };

/* All zero: nothing was typed yet, which is as good as Enter. */
struct shell_escape {
    bool in_line;
    bool tilde; /* one is held back: the next key tells what it is */
};

/*
 * Reads keys up to the first order, and tells how many that were. What is for the
 * shell goes to sent, which has room for one more than length.
 */
size_t shell_escape_read(struct shell_escape *state, const char *keys, size_t length,
                         char *sent, size_t *sent_length, int *order);

#endif
