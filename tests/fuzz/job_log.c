/* job_log.c - the last lines of a log: how far it got, and what was last to be seen. */
#include "job/collapse.h"

#include <sandbox/job.h>

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbx_job_progress progress = {.size = sizeof(progress)};
    struct sbi_collapse collapse = {0};
    SBI_AUTO_STR out = {0};

    (void)sbx_job_progress_read((const char *)data, size, &progress, NULL);
    sbi_collapse_feed(&collapse, (const char *)data, size / 2, &out);
    sbi_collapse_feed(&collapse, (const char *)data + size / 2, size - size / 2, &out);
    sbi_collapse_end(&collapse, &out);
    return 0;
}
