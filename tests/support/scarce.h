/*
 * scarce.h - memory, or a system, that fails the caller once, where it is named.
 *
 * Only of the library's own objects: a program links with --wrap of each function (the
 * lists are in scarce.c), and nothing it starts is touched.
 */
#ifndef TESTS_SUPPORT_SCARCE_H
#define TESTS_SUPPORT_SCARCE_H

enum scarce_what {
    SCARCE_MEMORY = 1, /* allocations */
    SCARCE_SYSTEM = 2  /* descriptors, processes, threads, files: what the kernel gives */
};

/*
 * From here on the at-th way to ask fails, the first time; the first is 1; 0: none does.
 * A way is the place in the code with those that led to it: turns of a loop are one.
 */
void scarce_from_here(enum scarce_what what, long at);

/* How many there were since; none fails any more. */
long scarce_count(void);

/* The function that failed, "malloc"; "" where none did. */
const char *scarce_failed(void);

#endif
