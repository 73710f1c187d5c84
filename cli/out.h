/* out.h - what the program prints: bytes as they are, and one-line notes. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include "text.h"

#include <sandbox/error.h>

/* The name that notes begin with; borrowed. */
void out_set_program(const char *program);

/*
 * Writes all of it, past stdio. Returns 0, or the errno of what kept it from that;
 * EINTR when a Ctrl-C came while the reader was not reading.
 */
int out_write(int fd, const void *bytes, size_t length);

/* "PROGRAM: TEXT" as one line on stderr, control characters made visible. */
void out_note(const char *form, ...) PRINTF(1, 2);

/* Text that calls the program `sbx`, as ours and the library's do, or <P>: by its name.
 */
void out_add_named(struct text *out, const char *text);

/* "PROGRAM: try: FIX", and the check of doctor that explains it; nothing without both. */
void out_try(const sbx_error *err);

/* The error as a note, and out_try below. */
void out_error(const sbx_error *err);

/* Frees a line of JSON (sbx_free) once it is printed on stdout; NULL is no memory. */
void out_json(char *json);

/* The exit status for an error: 2 where the user's own words are at fault, else 255. */
int out_status(int code);

#endif
