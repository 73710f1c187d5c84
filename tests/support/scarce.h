/*
 * scarce.h - memory that fails the caller once, at the allocation that is named.
 *
 * Only of the library's own objects: a program links with --wrap of each allocator.
 */
#ifndef TESTS_SUPPORT_SCARCE_H
#define TESTS_SUPPORT_SCARCE_H

#include <stdbool.h>

/* From here on the at-th allocation fails, the first is 1; 0: none does. */
void scarce_from_here(long at);

/* How many there were since; none fails any more. */
long scarce_count(void);

#endif
