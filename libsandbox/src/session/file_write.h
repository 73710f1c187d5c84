/* file_write.h - a write of the whole file, for what builds on it. */
#ifndef SANDBOX_SESSION_FILE_WRITE_H
#define SANDBOX_SESSION_FILE_WRITE_H

#include <sandbox/file.h>

/* As sbx_file_write, with options that were read, and the action that errors name. */
int sbi_file_write(sbx_session *session, const char *action, const char *path,
                   const void *data, size_t length, const sbx_file_write_opts *opts,
                   sbx_file_written **out, sbx_error *err);

#endif
