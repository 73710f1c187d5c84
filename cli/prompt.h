/* prompt.h - asks the person at the terminal what the library needs to know. */
#ifndef CLI_PROMPT_H
#define CLI_PROMPT_H

#include <stddef.h>

/*
 * An sbx_prompt_fn: asks on /dev/tty, or through the program that SSH_ASKPASS
 * names, and says -1 at once where there is neither. One question at a time.
 */
int prompt_ask(const char *question, int echo, char *answer, size_t room, void *userdata);

#endif
