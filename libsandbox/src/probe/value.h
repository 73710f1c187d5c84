/*
 * value.h - numbers as the tools print them, with units, and what stands in their place:
 * "[N/A]", "ERR!", "[GPU requires reset]".
 */
#ifndef SANDBOX_PROBE_VALUE_H
#define SANDBOX_PROBE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum sbi_unit {
    SBI_UNIT_COUNT = 1,
    SBI_UNIT_BYTES,   /* of "81559 MiB", "34342961152", "196592 MB" */
    SBI_UNIT_PERCENT, /* of "65 %" */
    SBI_UNIT_CELSIUS, /* of "45.0", "27 C"; rounded */
    SBI_UNIT_MILLI    /* thousandths of "39.17 W", "0.25" */
};

/* False where text is no such number, or none that can be. Blanks around it are fine. */
bool sbi_value(const char *text, int unit, int64_t *out);

#endif
