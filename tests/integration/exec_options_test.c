/*
 * exec_options_test.c - the folder, the input and the numbers that a command is given:
 * the same on every place, and refused before anything runs where they cannot be.
 */
#include "support/ask.h"
#include "support/places.h"

#include "base/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Puts the folder's name in for each '%'. */
static void fill_in(struct sbi_str *text, const char *pattern, const char *folder)
{
    sbi_str_clear(text);
    for (; *pattern != '\0'; pattern++)
        if (*pattern == '%')
            sbi_str_add(text, folder);
        else
            sbi_str_add_bytes(text, pattern, 1);
}

START_TEST(a_command_starts_in_the_folder_that_was_named)
{
    static const struct {
        const char *cwd;
        const char *test; /* holds there */
    } rows[] = {
        {"/", "[ \"$PWD\" = / ]"},
        {"~", "[ . -ef ~ ]"},
        {"~/%", "[ . -ef ~/% ]"},
        {"%", "[ . -ef ~/% ]"},
        {"%/a b", "[ \"${PWD##*/}\" = 'a b' ]"},
        {"%/it's \"q\" $x `y`", "[ -e here ]"},
        {"%/n\nl", "[ -e here ]"},
        {"%/-", "[ -e here ]"},
        {"%/~", "[ -e here ]"},
        {"%/*", "[ -e here ]"},
    };
    sbx_session *session = place_open(_i);
    SBI_AUTO_STR cwd = {0};
    SBI_AUTO_STR command = {0};
    char folder[64];
    size_t i;

    if (place_is_here(
            _i)) /* where a relative folder is looked for is the caller's there */
        ck_assert_int_eq(chdir(getenv("HOME")), 0);
    (void)snprintf(folder, sizeof(folder), "sbxt.%d", (int)getpid());
    fill_in(&command,
            "cd && mkdir % && cd % && mkdir 'a b' \"it's \\\"q\\\" \\$x \\`y\\`\" "
            "'n\nl' ./- ./~ '*' && for f in ./*; do : >\"$f/here\"; done",
            folder);
    expect_holds(session, command.data);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fill_in(&cwd, rows[i].cwd, folder);
        fill_in(&command, rows[i].test, folder);
        expect_says(session, command.data, &SBX_OPTS(sbx_exec_opts, .cwd = cwd.data), "");
    }
    fill_in(&command, "rm -r ~/%", folder);
    expect_holds(session, command.data);
    sbx_session_free(session);
}
END_TEST

/* The command would have made a file: it must not be there. */
static void expect_cwd_refused(sbx_session *session, const char *cwd, int code)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    char command[128];
    int rc;

    (void)snprintf(command, sizeof(command), ": >/tmp/sbxt.ran.%d", (int)getpid());
    rc = sbx_exec_shell(session, command, &SBX_OPTS(sbx_exec_opts, .cwd = cwd), &result,
                        &err);
    ck_assert_msg(rc == code, "cwd '%s': %s, %s", cwd, sbx_code_name(rc), err.text);
    ck_assert_int_eq(err.code, rc);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_msg(strstr(err.text, cwd) != NULL, "the folder is named: %s", err.text);
    ck_assert_ptr_null(result);
    (void)snprintf(command, sizeof(command), "[ ! -e /tmp/sbxt.ran.%d ]", (int)getpid());
    expect_holds(session, command);
}

START_TEST(a_folder_that_cannot_be_entered_keeps_the_command_from_running)
{
    sbx_session *session = place_open(_i);
    char folder[64], command[128];

    (void)snprintf(folder, sizeof(folder), "/tmp/sbxt.cwd.%d", (int)getpid());
    expect_cwd_refused(session, "/no/such/folder", SBX_ERR_NOT_FOUND);
    expect_cwd_refused(session, "no such folder either", SBX_ERR_NOT_FOUND);
    expect_cwd_refused(session, "-", SBX_ERR_NOT_FOUND);
    expect_cwd_refused(session, "/dev/null", SBX_ERR_NOT_FOUND);
    if (!place_is_root(_i)) {
        (void)snprintf(command, sizeof(command), "mkdir -m 0 %s", folder);
        expect_holds(session, command);
        expect_cwd_refused(session, folder, SBX_ERR_IO);
        (void)snprintf(command, sizeof(command), "rmdir %s", folder);
        expect_holds(session, command);
    }
    expect_says(session, "printf on", NULL, "on");
    sbx_session_free(session);
}
END_TEST

START_TEST(standard_input_is_empty_or_the_bytes_that_were_given)
{
    static const char bytes[] = "a\0b\nsbx:\377 no newline";
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .input = bytes, .input_length = sizeof(bytes) - 1);
    sbx_exec_result *result;

    expect_says(session, "cat; printf end", NULL, "end");
    expect_says(session, "read x || printf none", NULL, "none");
    result = ask(session, "cat", &opts);
    expect_exit(result, 0);
    expect_bytes(result, bytes, sizeof(bytes) - 1);
    sbx_exec_result_free(result);
    expect_says(session, "exec <&-; printf closed", &opts, "closed");
    expect_says(session, "head -c 1 >/dev/null; printf one", &opts, "one");
    sbx_session_free(session);
}
END_TEST

/* A descriptor that was read to its end is told from one that failed. */
START_TEST(what_marks_the_end_of_an_input_comes_behind_a_whole_one_only)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INPUT_FD,
                                  .input_end = "END", .input_end_length = 3);
    int ends[2], folder;

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "bytes", 5), 5);
    (void)close(ends[1]);
    opts.input_fd = ends[0];
    expect_says(session, "cat", &opts, "bytesEND");
    expect_says(session, "cat", &opts, "END");
    (void)close(ends[0]);
    folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(folder, 0);
    opts.input_fd = folder;
    expect_says(session, "cat", &opts, "");
    (void)close(folder);
    sbx_session_free(session);
}
END_TEST

static void expect_invalid(sbx_session *session, const sbx_exec_opts *opts,
                           const char *name)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    char command[64];

    (void)snprintf(command, sizeof(command), ": >/tmp/sbxt.bad.%d", (int)getpid());
    ck_assert_msg(sbx_exec_shell(session, command, opts, &result, &err) ==
                      SBX_ERR_INVALID,
                  "%s is taken", name);
    ck_assert_int_eq(err.code, SBX_ERR_INVALID);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_int_eq(err.retryable, 0);
    ck_assert_msg(strstr(err.text, name) != NULL, "%s: %s", name, err.text);
    ck_assert_ptr_null(result);
}

START_TEST(bad_options_are_refused_before_anything_runs)
{
    static const char *const bad_env[][2] = {{"NOVALUE", NULL}, {"=x", NULL},
                                             {"1A=x", NULL},    {"A-B=x", NULL},
                                             {"A B=x", NULL},   {"sbx_n=x", NULL}};
    sbx_session *session = place_open(_i);
    char command[64];
    size_t i;

#define REFUSED(field, value)                                                            \
    expect_invalid(session, &SBX_OPTS(sbx_exec_opts, .field = (value)), #field)
    REFUSED(timeout_ms, -1);
    REFUSED(timeout_ms, INT64_MAX);
    REFUSED(timeout_ms, INT64_MIN);
    REFUSED(kill_after_ms, -1);
    REFUSED(kill_after_ms, INT64_MAX);
    REFUSED(grace_ms, -1);
    REFUSED(grace_ms, INT64_MAX);
    REFUSED(output_limit, -2);
    REFUSED(spool_limit, -2);
    REFUSED(pty_rows, -1);
    REFUSED(pty_columns, 65536);
#undef REFUSED
    expect_invalid(session,
                   &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INPUT_FD, .input_fd = -1),
                   "input_fd");
    expect_invalid(session,
                   &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INPUT_FD, .input_fd = 999),
                   "input_fd");
    expect_invalid(session,
                   &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INPUT_FD, .input_fd = 0,
                             .input = "x", .input_length = 1),
                   "input_fd");
    expect_invalid(session, &SBX_OPTS(sbx_exec_opts, .flags = UINT64_C(1) << 40),
                   "flags");
    for (i = 0; i < sizeof(bad_env) / sizeof(bad_env[0]); i++)
        expect_invalid(session, &SBX_OPTS(sbx_exec_opts, .env = bad_env[i]),
                       "environment");
    (void)snprintf(command, sizeof(command), "[ ! -e /tmp/sbxt.bad.%d ]", (int)getpid());
    expect_holds(session, command);
    sbx_session_free(session);
}
END_TEST

START_TEST(an_empty_command_is_refused)
{
    const char *const none[] = {NULL};
    const char *const empty[] = {"", NULL};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = NULL;

    ck_assert_int_eq(sbx_exec_shell(session, NULL, NULL, &result, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_exec_shell(session, "", NULL, &result, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_exec_argv(session, NULL, NULL, &result, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_exec_argv(session, none, NULL, &result, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_exec_argv(session, empty, NULL, &result, NULL), SBX_ERR_INVALID);
    ck_assert_ptr_null(result);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, SH);
    tcase_add_loop_test(tests, a_command_starts_in_the_folder_that_was_named, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests,
                        a_folder_that_cannot_be_entered_keeps_the_command_from_running,
                        LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, standard_input_is_empty_or_the_bytes_that_were_given,
                        LOCAL, SH);
    tcase_add_loop_test(tests,
                        what_marks_the_end_of_an_input_comes_behind_a_whole_one_only,
                        LOCAL, CHROOT);
    tcase_add_loop_test(tests, bad_options_are_refused_before_anything_runs, LOCAL,
                        CHROOT);
    tcase_add_loop_test(tests, an_empty_command_is_refused, LOCAL, CHROOT);
}
