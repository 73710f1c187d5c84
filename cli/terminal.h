/* terminal.h - changes how a terminal behaves, and always changes it back. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One terminal at a time. false: fd is no terminal, or another one is changed
 * now; nothing is done then. Should the program crash, the terminal is put back.
 */
bool terminal_set_raw(int fd);
bool terminal_set_silent(int fd); /* what is typed does not show */

/* Async-signal-safe; nothing happens where nothing was changed. */
void terminal_restore(void);

/*
 * Ends what a program that was cut off may have left switched on, if fd is a terminal:
 * the second screen, mouse reports, colours; and begins a new line.
 */
void terminal_settle(int fd);

/* The window's size, or 0 and 0 where fd is no terminal. */
void terminal_size(int fd, int64_t *rows, int64_t *columns);

#endif
