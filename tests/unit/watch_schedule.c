/* watch_schedule.c - when a place is looked at again, whatever the clocks do. */
#include "support/unit.h"

#include "watch/schedule.h"

#define MINUTE INT64_C(60000)

START_TEST(an_interval_is_a_tenth_more_or_less)
{
    ck_assert_int_eq(sbi_schedule_next(1000, 300000, 0, 0), 1000 + 270000);
    ck_assert_int_eq(sbi_schedule_next(1000, 300000, 0, 500), 1000 + 300000);
    ck_assert_int_eq(sbi_schedule_next(1000, 300000, 0, 1000), 1000 + 330000);
}
END_TEST

START_TEST(a_place_that_fails_is_asked_more_and_more_seldom_and_never_given_up)
{
    static const struct {
        int64_t failures, minutes;
    } rows[] = {{0, 5},  {1, 5},  {2, 5},  {3, 10},
                {4, 20}, {5, 30}, {6, 30}, {1000000, 30}};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_int_eq(sbi_schedule_next(0, 5 * MINUTE, rows[i].failures, 500),
                         rows[i].minutes * MINUTE);
    ck_assert_int_eq(sbi_schedule_next(0, 60 * MINUTE, 9, 500), 60 * MINUTE);
}
END_TEST

/* A laptop that slept all night looks once, and then goes on from there. */
START_TEST(after_a_long_sleep_one_look_is_due_and_not_a_hundred)
{
    int64_t now = 0, due = sbi_schedule_next(now, 5 * MINUTE, 0, 500);
    int looks = 0;

    now = 10 * 60 * MINUTE;
    while (due <= now) {
        looks++;
        due = sbi_schedule_next(now, 5 * MINUTE, 0, 500);
    }
    ck_assert_int_eq(looks, 1);
}
END_TEST

START_TEST(a_delivery_is_tried_again_after_longer_and_longer)
{
    ck_assert_int_eq(sbi_schedule_retry(1), 1000);
    ck_assert_int_eq(sbi_schedule_retry(2), 2000);
    ck_assert_int_eq(sbi_schedule_retry(5), 16000);
    ck_assert_int_eq(sbi_schedule_retry(12), 30 * MINUTE);
    ck_assert_int_eq(sbi_schedule_retry(1000000), 30 * MINUTE);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, an_interval_is_a_tenth_more_or_less);
    tcase_add_test(tests,
                   a_place_that_fails_is_asked_more_and_more_seldom_and_never_given_up);
    tcase_add_test(tests, after_a_long_sleep_one_look_is_due_and_not_a_hundred);
    tcase_add_test(tests, a_delivery_is_tried_again_after_longer_and_longer);
}
