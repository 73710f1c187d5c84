/* outcome_read.c - any bytes as what a look over there says of a run. */
#include "session/outcome_read.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sbi_outcome out;

    if (sbi_outcome_read((const char *)data, size, &out, NULL) < 0)
        return 0;
    if (out.state < SBX_OUTCOME_NO_TRACE || out.state > SBX_OUTCOME_ENDED ||
        out.left_count > SBI_OUTCOME_MOST || out.exit_code < -1 || out.exit_code > 255 ||
        (out.state == SBX_OUTCOME_EXITED && out.exit_code < 0) ||
        (out.state == SBX_OUTCOME_SIGNALED && out.signal <= 0) ||
        (out.cause != 0 && out.state != SBX_OUTCOME_KILLED))
        abort();
    return 0;
}
