/*
 * scarce_sync_test.c - where memory fails, a sync says so, leaves nothing, and never that
 * trees are alike which are not.
 */
#include "support/scarce_calls.h"
#include "support/unit.h"

START_TEST(each_allocation_of_a_sync_may_fail)
{
    scarce_memory(&scarce_sync_calls[_i]);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, scarce_calls_begin, scarce_calls_end);
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, each_allocation_of_a_sync_may_fail, 0,
                        (int)scarce_sync_call_count);
}
