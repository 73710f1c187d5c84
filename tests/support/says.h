/* says.h - what a script says to /bin/sh here. */
#ifndef TESTS_SUPPORT_SAYS_H
#define TESTS_SUPPORT_SAYS_H

#include <stddef.h>

/* What it prints, at most room - 1 bytes and a NUL; its length. It ends with 0. */
size_t sh_says(const char *script, char *answer, size_t room);

#endif
