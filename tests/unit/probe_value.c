/* probe_value.c - numbers with units, and what stands in their place. */
#include "support/unit.h"

#include "probe/value.h"

static const struct {
    const char *text;
    int unit;
    int64_t number; /* -1: none */
} values[] = {
    {"81559 MiB", SBI_UNIT_BYTES, (int64_t)81559 << 20},
    {"34342961152", SBI_UNIT_BYTES, 34342961152},
    {"196592.000 MB", SBI_UNIT_BYTES, (int64_t)196592 << 20},
    {"2048.00M", SBI_UNIT_BYTES, (int64_t)2048 << 20},
    {"0.5 GiB", SBI_UNIT_BYTES, (int64_t)512 << 20},
    {" 12 KiB ", SBI_UNIT_BYTES, 12288},
    {"99999999999999 GiB", SBI_UNIT_BYTES, -1},
    {"5 parsecs", SBI_UNIT_BYTES, -1},
    {"65 %", SBI_UNIT_PERCENT, 65},
    {"65", SBI_UNIT_PERCENT, 65},
    {"101 %", SBI_UNIT_PERCENT, -1},
    {"45.0", SBI_UNIT_CELSIUS, 45},
    {"44.5 C", SBI_UNIT_CELSIUS, 45},
    {"39.17 W", SBI_UNIT_MILLI, 39170},
    {"0.25", SBI_UNIT_MILLI, 250},
    {"1.0004", SBI_UNIT_MILLI, 1000},
    {"12", SBI_UNIT_COUNT, 12},
    {"12 MiB", SBI_UNIT_COUNT, -1},
    {"-1", SBI_UNIT_COUNT, -1},
    {"max", SBI_UNIT_COUNT, -1},
    {"9223372036854771712", SBI_UNIT_COUNT, -1},
    {"[N/A]", SBI_UNIT_PERCENT, -1},
    {"ERR!", SBI_UNIT_MILLI, -1},
    {"", SBI_UNIT_COUNT, -1},
    {"1,5", SBI_UNIT_MILLI, -1},
};

static void check_value(size_t at)
{
    int64_t number = -7;
    bool found = sbi_value(values[at].text, values[at].unit, &number);

    ck_assert_msg(found == (values[at].number >= 0), "'%s'", values[at].text);
    ck_assert_msg(number == (found ? values[at].number : -7), "'%s': %lld",
                  values[at].text, (long long)number);
}

START_TEST(a_value_is_the_number_in_its_unit_or_none)
{
    size_t i;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        check_value(i);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_value_is_the_number_in_its_unit_or_none);
}
