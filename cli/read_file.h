/* read_file.h - a whole file of this machine that a user named. */
#ifndef CLI_READ_FILE_H
#define CLI_READ_FILE_H

#include "fault.h"
#include "text.h"

/* Adds what is in it, at most that many bytes. */
int read_file(const char *name, size_t most, struct text *text, sbx_error *err);

#endif
