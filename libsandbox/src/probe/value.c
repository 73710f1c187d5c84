#include "probe/value.h"

#include <stddef.h>
#include <string.h>

#define MOST ((int64_t)1 << 53)

/* What a unit's word multiplies by, and what may come out. */
static const struct {
    int unit;
    const char *word;
    int64_t times;
    int64_t least;
    int64_t most;
} units[] = {
    {SBI_UNIT_COUNT, "", 1, 0, MOST},          {SBI_UNIT_BYTES, "", 1, 0, MOST},
    {SBI_UNIT_BYTES, "B", 1, 0, MOST},         {SBI_UNIT_BYTES, "KiB", 1 << 10, 0, MOST},
    {SBI_UNIT_BYTES, "MiB", 1 << 20, 0, MOST}, {SBI_UNIT_BYTES, "GiB", 1 << 30, 0, MOST},
    {SBI_UNIT_BYTES, "KB", 1 << 10, 0, MOST}, /* amd-smi's MB is 1024 times 1024 too */
    {SBI_UNIT_BYTES, "MB", 1 << 20, 0, MOST},  {SBI_UNIT_BYTES, "GB", 1 << 30, 0, MOST},
    {SBI_UNIT_BYTES, "K", 1 << 10, 0, MOST},   {SBI_UNIT_BYTES, "M", 1 << 20, 0, MOST},
    {SBI_UNIT_BYTES, "G", 1 << 30, 0, MOST},   {SBI_UNIT_PERCENT, "", 1, 0, 100},
    {SBI_UNIT_PERCENT, "%", 1, 0, 100},        {SBI_UNIT_CELSIUS, "", 1, 0, 200},
    {SBI_UNIT_CELSIUS, "C", 1, 0, 200},        {SBI_UNIT_MILLI, "", 1000, 0, MOST},
    {SBI_UNIT_MILLI, "W", 1000, 0, MOST},
};

/* Digits with a fraction, times `times`, rounded; false where there is none. */
static bool read_decimal(const char **at, int64_t times, int64_t *out)
{
    int64_t whole = 0, part = 0, worth = 1;

    if (**at < '0' || **at > '9')
        return false;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        whole = whole * 10 + (**at - '0');
        if (whole > MOST / times)
            return false;
    }
    if (**at == '.')
        for ((*at)++; **at >= '0' && **at <= '9'; (*at)++)
            if (worth < 1000000) {
                part = part * 10 + (**at - '0');
                worth *= 10;
            }
    *out = whole * times + (part * times + worth / 2) / worth;
    return true;
}

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    text += strspn(text, " ");
    return strncmp(text, word, length) == 0 &&
           text[length + strspn(text + length, " ")] == '\0';
}

bool sbi_value(const char *text, int unit, int64_t *out)
{
    int64_t number;
    const char *at;
    size_t i;

    text += strspn(text, " ");
    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        at = text;
        if (units[i].unit == unit && read_decimal(&at, units[i].times, &number) &&
            is_word(at, units[i].word) && number >= units[i].least &&
            number <= units[i].most) {
            *out = number;
            return true;
        }
    }
    return false;
}
