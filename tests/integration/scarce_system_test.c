/*
 * scarce_system_test.c - where the system refuses something, each call says what and why,
 * never that all is done when it is not, and works when it is asked again.
 *
 * Each call is made once for each way in which it asks for a descriptor, a file, a
 * process or a thread, and that fails.
 */
#include "support/scarce.h"
#include "support/scarce_calls.h"
#include "support/unit.h"

static void each_is_told(const struct scarce_call *call)
{
    sbx_error err = {0};
    long count, at;
    int rc;

    ck_assert_msg(scarce_calls_make(call, SCARCE_SYSTEM, 0, &err) == SBX_OK, "%s: %s",
                  call->name, err.text);
    count = scarce_count();
    for (at = 1; at <= count; at++) {
        rc = scarce_calls_make(call, SCARCE_SYSTEM, at, &err);
        ck_assert_msg(rc != SCARCE_WRONG, "%s, with %s refused (%ld of %ld): %s",
                      call->name, scarce_failed(), at, count, err.text);
        ck_assert_msg(rc == SBX_OK || (err.code == rc && err.text[0] != '\0'),
                      "%s, with %s refused, does not say why", call->name,
                      scarce_failed());
    }
    ck_assert_msg(scarce_calls_make(call, SCARCE_SYSTEM, 0, &err) == SBX_OK, "%s: %s",
                  call->name, err.text);
}

START_TEST(each_refusal_is_told)
{
    each_is_told(&scarce_calls[_i]);
}
END_TEST

START_TEST(each_refusal_within_a_sync_is_told)
{
    each_is_told(&scarce_sync_calls[_i]);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, scarce_calls_begin, scarce_calls_end);
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, each_refusal_is_told, 0, (int)scarce_call_count);
    tcase_add_loop_test(tests, each_refusal_within_a_sync_is_told, 0,
                        (int)scarce_sync_call_count);
}
