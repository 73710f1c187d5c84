/* engine_http.c - any bytes as an engine's answer: whole, and in two pieces. */
#include "transport/engine_http.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where it is cut makes no difference. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data;
    size_t cut = size / 2, used, first;
    struct sbi_engine_http whole = {0}, cut_up = {0};

    used = sbi_engine_http_take(&whole, at, size);
    first = sbi_engine_http_take(&cut_up, at, cut);
    if (first == cut)
        first += sbi_engine_http_take(&cut_up, at + cut, size - cut);
    if (used > size || (whole.stage == SBI_HTTP_DONE && first != used) ||
        (whole.stage != cut_up.stage && whole.stage != SBI_HTTP_BROKEN &&
         cut_up.stage != SBI_HTTP_BROKEN) ||
        whole.body.length > size)
        abort();
    if (whole.stage == SBI_HTTP_DONE && whole.body.length != cut_up.body.length)
        abort();
    sbi_engine_http_end(&whole);
    if (whole.stage != SBI_HTTP_DONE && whole.stage != SBI_HTTP_BROKEN)
        abort();
    sbi_engine_http_clear(&whole);
    sbi_engine_http_clear(&cut_up);
    return 0;
}
