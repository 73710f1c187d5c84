/* session_exec_json.c - how a command ended, as an error. */
#include "support/unit.h"

#include <sandbox/exec.h>

static const struct {
    sbx_exec_result result;
    int code;
    int executed;
    const char *text;
} ends[] = {
    {{.end = SBX_EXEC_EXITED, .exit_code = 3}, SBX_OK, SBX_EXECUTED_NO, ""},
    {{.end = SBX_EXEC_SIGNALED, .signal_name = "KILL"},
     SBX_ERR_REMOTE,
     SBX_EXECUTED_YES,
     "it was killed over there by KILL"},
    {{.end = SBX_EXEC_SIGNALED},
     SBX_ERR_REMOTE,
     SBX_EXECUTED_YES,
     "it was killed over there by a signal"},
    {{.end = SBX_EXEC_TIMED_OUT}, SBX_ERR_TIMEOUT, SBX_EXECUTED_YES, "not done in time"},
    {{.end = SBX_EXEC_CANCELLED}, SBX_ERR_CANCELLED, SBX_EXECUTED_YES, "cancelled"},
    {{.end = SBX_EXEC_LOST, .error = {.code = SBX_ERR_HOST_KEY, .text = "other key"}},
     SBX_ERR_HOST_KEY,
     SBX_EXECUTED_UNKNOWN,
     "other key"},
    {{.end = SBX_EXEC_LOST},
     SBX_ERR_DISCONNECTED,
     SBX_EXECUTED_UNKNOWN,
     "the connection broke"},
};

START_TEST(only_an_exit_is_no_error)
{
    sbx_error err = {0};

    ck_assert_int_eq(sbx_exec_check_end(&ends[_i].result, &err), ends[_i].code);
    ck_assert_str_eq(err.text, ends[_i].text);
    ck_assert_int_eq(err.executed, ends[_i].executed);
    ck_assert_int_eq(sbx_exec_check_end(&ends[_i].result, NULL), ends[_i].code);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, only_an_exit_is_no_error, 0,
                        (int)(sizeof(ends) / sizeof(ends[0])));
}
