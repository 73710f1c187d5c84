/* window.h - the size of this terminal's window, and word of each change. */
#ifndef CLI_WINDOW_H
#define CLI_WINDOW_H

#include <stdint.h>

/*
 * A descriptor that is readable once the size was changed, from the first call on,
 * or -1. It stays open to the end of the program.
 */
int window_changes(void);

/* The size, or 0 and 0 where there is no terminal; an sbx_exec_size_fn. */
void window_size(int64_t *rows, int64_t *columns, void *userdata);

#endif
