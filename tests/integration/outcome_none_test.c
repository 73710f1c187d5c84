/* outcome_none_test.c - tests of asking what became of a run, where nothing tells. */
#include "support/unit.h"

#include <sandbox/exec.h>

#include <string.h>

#define RUN "0123456789abcdef0123456789abcdef"

static sbx_session *session;

static void open_session(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_hosts *hosts = NULL;

    ck_assert_int_eq(sbx_hosts_parse("[]", 2, &opts, &hosts, NULL), SBX_OK);
    ck_assert_int_eq(sbx_session_open(hosts, "local", NULL, &session, NULL), SBX_OK);
    sbx_hosts_free(hosts);
}

static void close_session(void)
{
    sbx_session_free(session);
}

START_TEST(a_run_that_never_was_left_no_trace)
{
    sbx_outcome *outcome = NULL;
    sbx_error err = {0};
    char *json;

    ck_assert_msg(sbx_exec_outcome(session, RUN, NULL, &outcome, &err) == SBX_OK, "%s",
                  err.text);
    ck_assert_int_eq(outcome->state, SBX_OUTCOME_NO_TRACE);
    ck_assert_int_eq(outcome->exit_code, -1);
    ck_assert_uint_eq(outcome->survivor_count, 0);
    json = sbx_outcome_json(outcome);
    ck_assert_ptr_nonnull(strstr(json, "\"state\":\"no_trace\""));
    sbx_free(json);
    sbx_outcome_free(outcome);
}
END_TEST

START_TEST(what_cannot_be_asked_is_refused)
{
    static const char *const ids[] = {"", "0123", RUN "0",
                                      "0123456789ABCDEFG123456789abcdef", NULL};
    static const int64_t limits[] = {-1, INT64_MAX};
    sbx_outcome *outcome = NULL;
    size_t i;

    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        ck_assert_int_eq(sbx_exec_outcome(session, ids[i], NULL, &outcome, NULL),
                         SBX_ERR_INVALID);
    for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        ck_assert_int_eq(
            sbx_exec_outcome(session, RUN,
                             &SBX_OPTS(sbx_outcome_opts, .timeout_ms = limits[i]),
                             &outcome, NULL),
            SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_exec_outcome(NULL, RUN, NULL, &outcome, NULL), SBX_ERR_INVALID);
    ck_assert_ptr_null(outcome);
}
END_TEST

START_TEST(one_who_asks_no_more_is_told_nothing)
{
    sbx_outcome_opts opts = {.size = sizeof(opts)};
    sbx_outcome *outcome = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbx_cancel_new(&opts.cancel, NULL), SBX_OK);
    sbx_cancel_fire(opts.cancel);
    ck_assert_int_eq(sbx_exec_outcome(session, RUN, &opts, &outcome, &err),
                     SBX_ERR_CANCELLED);
    ck_assert_int_eq(err.code, SBX_ERR_CANCELLED);
    ck_assert_ptr_null(outcome);
    sbx_cancel_free(opts.cancel);
}
END_TEST

START_TEST(every_state_has_a_name)
{
    ck_assert_str_eq(sbx_outcome_state_name(SBX_OUTCOME_NO_TRACE), "no_trace");
    ck_assert_str_eq(sbx_outcome_state_name(SBX_OUTCOME_ENDED), "ended");
    ck_assert_str_eq(sbx_outcome_state_name(0), "unknown");
    ck_assert_str_eq(sbx_outcome_state_name(99), "unknown");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_session, close_session);
    tcase_add_test(tests, a_run_that_never_was_left_no_trace);
    tcase_add_test(tests, what_cannot_be_asked_is_refused);
    tcase_add_test(tests, one_who_asks_no_more_is_told_nothing);
    tcase_add_test(tests, every_state_has_a_name);
}
