#include "shell_escape.h"

/* The order behind a tilde, or none: then the key is the shell's, as ssh has it. */
static int order_of(char key)
{
    switch (key) {
    case '.':
        return SHELL_LEAVE;
    case '?':
        return SHELL_HELP;
    default:
        return SHELL_GO_ON;
    }
}

size_t shell_escape_read(struct shell_escape *state, const char *keys, size_t length,
                         char *sent, size_t *sent_length, int *order)
{
    size_t count = 0;
    size_t at;

    *order = SHELL_GO_ON;
    for (at = 0; at < length && *order == SHELL_GO_ON; at++) {
        char key = keys[at];

        if (!state->tilde && !state->in_line && key == '~') {
            state->tilde = true;
            continue;
        }
        if (state->tilde) {
            state->tilde = false;
            *order = order_of(key);
            if (*order != SHELL_GO_ON)
                continue;
            if (key != '~')
                sent[count++] = '~';
        }
        sent[count++] = key;
        state->in_line = key != '\r' && key != '\n';
    }
    *sent_length = count;
    return at;
}
