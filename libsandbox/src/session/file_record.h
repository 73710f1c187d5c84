/*
 * file_record.h - the records that scripts tell of files, as they arrive in pieces.
 *
 * A record is "FACTS\0NAME\0TARGET\0". FACTS are words by the tool that told them:
 *
 *     f KIND MODE SIZE MTIME UID GID LINKS    find -printf; MTIME "12.3400000000"
 *     c MODE SIZE MTIME UID GID LINKS DATE TIME ZONE    stat -c; MODE is hexadecimal
 *     b MODE SIZE MTIME UID GID LINKS         stat -f
 *     l MODE SIZE MTIME UID GID LINKS         ls -l; MODE "drwxr-xr-x", MTIME may be "-"
 */
#ifndef SANDBOX_SESSION_FILE_RECORD_H
#define SANDBOX_SESSION_FILE_RECORD_H

#include "base/str.h"

#include <sandbox/file.h>

struct sbi_file_records {
    sbx_file_info_fn on_info; /* non-zero ends it; info is alive until it returns */
    void *userdata;
    struct sbi_str rest; /* of a record that is not whole */
    bool ended;          /* by on_info */
};

/* What comes behind the end is passed over. SBX_ERR_REMOTE for what is no record. */
int sbi_file_records_add(struct sbi_file_records *records, const char *data,
                         size_t length, sbx_error *err);

/* Fails where a record is not whole. */
int sbi_file_records_end(const struct sbi_file_records *records, sbx_error *err);

void sbi_file_records_clear(struct sbi_file_records *records);

#endif
