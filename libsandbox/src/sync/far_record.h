/* far_record.h - records as sbi_far_list_script prints them, made into a manifest. */
#ifndef SANDBOX_SYNC_FAR_RECORD_H
#define SANDBOX_SYNC_FAR_RECORD_H

#include "base/str.h"
#include "sync/manifest.h"

enum sbi_far_form { SBI_FORM_GNU = 1, SBI_FORM_STAT, SBI_FORM_BSD };

/* Starts with form, mark (but for GNU) and manifest set; cleared by the caller's two. */
struct sbi_far_records {
    int form;         /* an sbi_far_form */
    const char *mark; /* what each record begins with, without a newline */
    const char *name; /* of a root that is a single file; else "" */
    struct sbi_manifest_reader *manifest;
    struct sbi_str partial; /* of a record that has not come whole */
};

int sbi_far_records_feed(struct sbi_far_records *records, const void *data, size_t length,
                         sbx_error *err);

/* No more comes; the manifest is to be finished next. */
int sbi_far_records_end(struct sbi_far_records *records, sbx_error *err);

#endif
