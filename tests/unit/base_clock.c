/* base_clock.c - tests of moments and what is left until them. */
#include "support/unit.h"

#include "base/clock.h"

#include <limits.h>

START_TEST(a_deadline_lies_as_far_ahead_as_was_said)
{
    int64_t before = sbi_now_ms();
    int64_t deadline = sbi_deadline(5000);

    ck_assert_int_ge(deadline, before + 5000);
    ck_assert_int_le(deadline, sbi_now_ms() + 5000);
    ck_assert_int_le(sbi_left_ms(deadline), 5000);
    ck_assert_int_gt(sbi_left_ms(deadline), 0);
}
END_TEST

START_TEST(never_is_never)
{
    ck_assert_int_eq(sbi_deadline(-1), SBI_NEVER);
    ck_assert_int_eq(sbi_deadline(INT64_MIN), SBI_NEVER);
    ck_assert_int_eq(sbi_deadline(INT64_MAX), SBI_NEVER);
    ck_assert_int_eq(sbi_left_ms(SBI_NEVER), -1);
}
END_TEST

START_TEST(what_has_passed_leaves_nothing)
{
    ck_assert_int_eq(sbi_left_ms(sbi_now_ms()), 0);
    ck_assert_int_eq(sbi_left_ms(0), 0);
    ck_assert_int_eq(sbi_left_ms(INT64_MIN / 2), 0);
}
END_TEST

START_TEST(what_poll_cannot_count_is_its_most)
{
    ck_assert_int_eq(sbi_left_ms(SBI_NEVER - 1), INT_MAX);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_deadline_lies_as_far_ahead_as_was_said);
    tcase_add_test(tests, never_is_never);
    tcase_add_test(tests, what_has_passed_leaves_nothing);
    tcase_add_test(tests, what_poll_cannot_count_is_its_most);
}
