/* file_written.h - what is told of a file that was written. */
#ifndef SANDBOX_SESSION_FILE_WRITTEN_H
#define SANDBOX_SESSION_FILE_WRITTEN_H

#include "base/error.h"

#include <sandbox/file.h>

/* The hash of bytes as 64 hex digits and a NUL. */
int sbi_file_sum(const void *data, size_t length, char out[65], sbx_error *err);

/* Whether text is such a hash. */
bool sbi_file_is_sum(const char *text);

/* From "ok CREATED SIZE MODE [SUM]"; sum, if not NULL, is what we know of it ourselves.
 */
int sbi_file_written_read(const char *answer, const char *path, const char *sum,
                          sbx_file_written **out, sbx_error *err);

#endif
