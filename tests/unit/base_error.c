/* base_error.c - tests of how a failure is told. */
#include "support/unit.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

START_TEST(an_error_reads_from_the_outside_in)
{
    sbx_error err = {0};

    errno = EACCES;
    ck_assert_int_eq(sbi_fail_errno(&err, SBX_ERR_IO, "open '%s'", "key"), SBX_ERR_IO);
    ck_assert_int_eq(sbi_wrap(&err, SBX_ERR_AUTH, "log in to '%s'", "gpu1"),
                     SBX_ERR_AUTH);
    ck_assert_str_eq(err.text, "log in to 'gpu1': open 'key': Permission denied");
    ck_assert_int_eq(err.code, SBX_ERR_AUTH);
    ck_assert_int_eq(err.sys_errno, EACCES);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
}
END_TEST

START_TEST(a_new_error_forgets_the_last)
{
    sbx_error err = {0};

    errno = EACCES;
    (void)sbi_fail_errno(&err, SBX_ERR_IO, "one");
    (void)sbi_fix(&err, SBX_ERR_IO, "check", "chmod");
    (void)sbi_executed(&err, SBX_ERR_IO, SBX_EXECUTED_YES);
    (void)sbi_fail(&err, SBX_ERR_CONNECT, "two");
    ck_assert_str_eq(err.text, "two");
    ck_assert_str_eq(err.fix, "");
    ck_assert_str_eq(err.check, "");
    ck_assert_int_eq(err.sys_errno, 0);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_int_eq(err.retryable, 1);
}
END_TEST

START_TEST(a_failure_of_the_way_there_names_the_check_that_explains_it)
{
    static const int ways[] = {SBX_ERR_CONFIG, SBX_ERR_CONNECT,      SBX_ERR_TIMEOUT,
                               SBX_ERR_AUTH,   SBX_ERR_DISCONNECTED, SBX_ERR_HOST_KEY,
                               SBX_ERR_LIMIT};
    sbx_error err;
    size_t i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        (void)sbi_fail(&err, ways[i], "x");
        ck_assert_int_eq(sbi_explain(&err, ways[i]), ways[i]);
        ck_assert_str_ne(err.check, "");
    }
    (void)sbi_fail(&err, SBX_ERR_AUTH, "x");
    (void)sbi_fix(&err, SBX_ERR_AUTH, "nearer", "y");
    (void)sbi_explain(&err, SBX_ERR_AUTH);
    ck_assert_str_eq(err.check, "nearer");
    (void)sbi_fail(&err, SBX_ERR_NO_MEMORY, "x");
    (void)sbi_explain(&err, SBX_ERR_NO_MEMORY);
    ck_assert_str_eq(err.check, "");
    ck_assert_int_eq(sbi_explain(NULL, SBX_ERR_AUTH), SBX_ERR_AUTH);
}
END_TEST

START_TEST(the_innermost_fix_stays)
{
    sbx_error err = {0};

    (void)sbi_fail(&err, SBX_ERR_AUTH, "no key");
    (void)sbi_fix(&err, SBX_ERR_AUTH, "inner", "ssh-add %s", "key");
    (void)sbi_fix(&err, SBX_ERR_AUTH, "outer", "give up");
    ck_assert_str_eq(err.fix, "ssh-add key");
    ck_assert_str_eq(err.check, "inner");
}
END_TEST

START_TEST(an_error_is_one_line_and_is_cut_not_overrun)
{
    sbx_error err = {0};
    char word[1000];
    int i;

    (void)sbi_fail(&err, SBX_ERR_REMOTE, "server said '%s'", "a\nb\r\033[0m\177");
    ck_assert_str_eq(err.text, "server said 'a b  [0m '");
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    for (i = 0; i < 3; i++) {
        (void)sbi_wrap(&err, SBX_ERR_REMOTE, "%s", word);
        (void)sbi_fix(&err, SBX_ERR_REMOTE, word, "%s", word);
    }
    ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
    ck_assert_uint_eq(strlen(err.fix), sizeof(err.fix) - 1);
    ck_assert_uint_eq(strlen(err.check), sizeof(err.check) - 1);
}
END_TEST

START_TEST(memory_that_the_system_has_not_is_told_as_such_by_whoever_asked)
{
    sbx_error err = {0};

    errno = ENOMEM;
    ck_assert_int_eq(sbi_fail_errno(&err, SBX_ERR_IO, "start"), SBX_ERR_NO_MEMORY);
    ck_assert_int_eq(err.code, SBX_ERR_NO_MEMORY);
    errno = ENOMEM;
    ck_assert_int_eq(sbi_fail_errno(NULL, SBX_ERR_IO, "start"), SBX_ERR_NO_MEMORY);
}
END_TEST

START_TEST(nobody_need_listen)
{
    ck_assert_int_eq(sbi_fail(NULL, SBX_ERR_LIMIT, "x"), SBX_ERR_LIMIT);
    errno = EIO;
    ck_assert_int_eq(sbi_fail_errno(NULL, SBX_ERR_IO, "x"), SBX_ERR_IO);
    ck_assert_int_eq(sbi_wrap(NULL, SBX_ERR_IO, "x"), SBX_ERR_IO);
    ck_assert_int_eq(sbi_fix(NULL, SBX_ERR_IO, "x", "y"), SBX_ERR_IO);
    ck_assert_int_eq(sbi_executed(NULL, SBX_ERR_IO, SBX_EXECUTED_YES), SBX_ERR_IO);
}
END_TEST

START_TEST(names_are_names_for_any_number)
{
    ck_assert_str_eq(sbx_code_name(SBX_OK), "SBX_OK");
    ck_assert_str_eq(sbx_code_name(SBX_ERR_UNSUPPORTED), "SBX_ERR_UNSUPPORTED");
    ck_assert_str_eq(sbx_code_name(SBX_ERR_CONFLICT), "SBX_ERR_CONFLICT");
    ck_assert_str_eq(sbx_code_name(-1000), "SBX_ERR_UNKNOWN");
    ck_assert_str_eq(sbx_executed_name(SBX_EXECUTED_NO), "no");
    ck_assert_str_eq(sbx_executed_name(SBX_EXECUTED_UNKNOWN), "unknown");
    ck_assert_str_eq(sbx_executed_name(-1), "unknown");
    ck_assert_str_eq(sbx_executed_name(99), "unknown");
}
END_TEST

START_TEST(the_struct_has_the_size_that_callers_were_built_with)
{
    ck_assert_uint_eq(sizeof(sbx_error), 512);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, an_error_reads_from_the_outside_in);
    tcase_add_test(tests, a_new_error_forgets_the_last);
    tcase_add_test(tests, the_innermost_fix_stays);
    tcase_add_test(tests, a_failure_of_the_way_there_names_the_check_that_explains_it);
    tcase_add_test(tests, an_error_is_one_line_and_is_cut_not_overrun);
    tcase_add_test(tests,
                   memory_that_the_system_has_not_is_told_as_such_by_whoever_asked);
    tcase_add_test(tests, nobody_need_listen);
    tcase_add_test(tests, names_are_names_for_any_number);
    tcase_add_test(tests, the_struct_has_the_size_that_callers_were_built_with);
}
