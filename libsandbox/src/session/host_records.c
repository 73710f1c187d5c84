#include "session/host_records.h"

#include "base/array.h"

int sbi_host_records_append(struct sbi_host_records *records,
                            struct sbi_host_record *record, sbx_error *err)
{
    int rc = sbi_array_reserve(&records->at, sizeof(*records->at), records->count + 1,
                               &records->capacity, err);

    if (rc == SBX_OK)
        rc = sbi_names_add(&records->places, record->place, records->count, err);
    if (rc < 0) {
        sbi_host_record_free(record);
        return rc;
    }
    records->at[records->count++] = record;
    return SBX_OK;
}

struct sbi_host_record *sbi_host_records_find(const struct sbi_host_records *records,
                                              const char *place)
{
    const struct sbi_name *found = sbi_names_find(&records->places, place);

    return found == NULL ? NULL : records->at[found->number];
}

void sbi_host_records_clear(struct sbi_host_records *records)
{
    size_t i;

    for (i = 0; i < records->count; i++)
        sbi_host_record_free(records->at[i]);
    free(records->at);
    sbi_names_clear(&records->places);
    *records = (struct sbi_host_records){0};
}
