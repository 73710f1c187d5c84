/* says.h - what a script says to a shell here. */
#ifndef TESTS_SUPPORT_SAYS_H
#define TESTS_SUPPORT_SAYS_H

#include <stddef.h>

/* What it prints, at most room - 1 bytes and a NUL; its length. It ends with 0. */
size_t shell_says(const char *shell, const char *script, char *answer, size_t room);
/* The same of /bin/sh. */
size_t sh_says(const char *script, char *answer, size_t room);

#endif
