/* job_record.c - what a far side tells of jobs, made into results and into JSON. */
#include "job/record_parse.h"
#include "job/result.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SBI_AUTO_RECORDS records = {0};
    size_t i;

    if (sbi_records_parse((const char *)data, size, &records, NULL) < 0)
        return 0;
    for (i = 0; i < records.count; i++) {
        sbx_job *job = NULL;

        if (sbi_result_make("place", &records, &records.items[i], &job, NULL) == SBX_OK)
            sbx_free(sbx_job_json(job));
        (void)sbx_job_status(job);
        sbx_job_free(job);
    }
    return 0;
}
