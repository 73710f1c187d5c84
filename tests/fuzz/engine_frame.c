/* engine_frame.c - any bytes as frames of two streams. */
#include "transport/engine_frame.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data;
    struct sbi_engine_frame frame = {0};
    size_t count, start;
    int stream;

    while ((count = sbi_engine_frame_next(&frame, at, size, &start, &stream)) > 0) {
        if (start + count > size || stream < 0 || stream > 1)
            abort();
        at += start + count;
        size -= start + count;
    }
    return 0;
}
