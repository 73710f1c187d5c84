/* fields.h - the numbers and texts of a report, by name: one row a field. */
#ifndef SANDBOX_PROBE_FIELDS_H
#define SANDBOX_PROBE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum sbi_field_kind {
    SBI_FIELD_TEXT = 1,
    SBI_FIELD_NUMBER,
    SBI_FIELD_MILLI, /* an int64_t in thousandths, told as a number with a fraction */
    SBI_FIELD_BOOL   /* an int64_t */
};

struct sbi_field {
    const char *key; /* in the JSON; NULL ends a table */
    size_t at;
    int kind;
};

extern const struct sbi_field sbi_report_fields[];
extern const struct sbi_field sbi_disk_fields[];
extern const struct sbi_field sbi_gpu_fields[];
extern const struct sbi_field sbi_process_fields[];

/* Sets all that are numbers to SBX_UNKNOWN. */
void sbi_fields_unknown(const struct sbi_field *fields, void *of);

int64_t sbi_field_number(const struct sbi_field *field, const void *of);

#endif
