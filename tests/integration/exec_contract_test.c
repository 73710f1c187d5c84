/*
 * exec_contract_test.c - the same questions get the same answers on every place:
 * how commands end, and that bytes, words, text and environment arrive unharmed.
 */
#include "support/ask.h"
#include "support/places.h"

#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(every_code_is_a_plain_exit)
{
    static const int codes[] = {0, 1, 3, 124, 126, 127, 128, 130, 137, 141, 143, 255};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    char command[32];
    size_t i;

    for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        (void)snprintf(command, sizeof(command), "exit %d", codes[i]);
        result = ask(session, command, NULL);
        expect_exit(result, codes[i]);
        expect_text(result, "");
        ck_assert_int_eq(result->signal, 0);
        ck_assert_ptr_null(result->signal_name);
        ck_assert_int_eq(sbx_exec_status(result), codes[i]);
        sbx_exec_result_free(result);
    }
    sbx_session_free(session);
}
END_TEST

/* bash and BusyBox's ash ignore SIGQUIT for themselves, but the sleep that they become
 * does not: so the signal is sent until it has been heeded. */
START_TEST(a_signal_is_told_by_its_name)
{
    static const char *const names[] = {"HUP",  "INT",  "QUIT", "ABRT", "KILL",
                                        "USR1", "SEGV", "PIPE", "ALRM", "TERM"};
    const char *argv[] = {"sh", "-c", NULL, NULL};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    char command[128];
    size_t i;

    argv[2] = command;
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(
            command, sizeof(command),
            "ulimit -c 0; (while kill -%s $$; do sleep 0.1; done) </dev/null >/dev/null "
            "2>&1 & exec sleep 20",
            names[i]);
        result = ask_argv(session, argv, NULL);
        ck_assert_msg(result->end == SBX_EXEC_SIGNALED, "SIG%s: %s %d '%s'", names[i],
                      sbx_exec_end_name(result->end), result->exit_code, result->errors);
        ck_assert_str_eq(result->signal_name, names[i]);
        ck_assert_int_gt(result->signal, 0);
        ck_assert_int_eq(sbx_exec_status(result), 128 + result->signal);
        ck_assert_int_eq(result->exit_code, -1);
        sbx_exec_result_free(result);
    }
    sbx_session_free(session);
}
END_TEST

START_TEST(a_missing_program_is_an_exit_with_127)
{
    const char *const argv[] = {"/no/such/program", NULL};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = ask_argv(session, argv, NULL);

    expect_exit(result, 127);
    ck_assert_uint_gt(result->errors_length, 0);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(each_byte_arrives_on_its_own_stream)
{
    static const struct {
        const char *command;
        const char *output;
        size_t output_length;
        const char *errors;
        size_t errors_length;
    } rows[] = {
        {"printf 'a\\000b\\377\\376\\n\\303('", "a\0b\377\376\n\303(", 8, "", 0},
        {"printf 'out'; printf 'err\\000' >&2", "out", 3, "err\0", 4},
        {"printf '\\r\\n\\033[0m\\n\\n'", "\r\n\033[0m\n\n", 8, "", 0},
        {"printf '' >&2; :", "", 0, "", 0},
        {"printf 'only errors' >&2", "", 0, "only errors", 11},
    };
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        result = ask(session, rows[i].command, NULL);
        expect_exit(result, 0);
        ck_assert_uint_eq(result->output_length, rows[i].output_length);
        ck_assert_mem_eq(result->output, rows[i].output, rows[i].output_length);
        ck_assert_msg(result->errors_length == rows[i].errors_length, "%zu: stderr '%s'",
                      i, result->errors);
        ck_assert_mem_eq(result->errors, rows[i].errors, rows[i].errors_length);
        ck_assert_int_eq(result->output_truncated, 0);
        ck_assert_int_eq(result->holds_output, 0);
        sbx_exec_result_free(result);
    }
    sbx_session_free(session);
}
END_TEST

static const char *const hard_words[] = {
    "",
    " ",
    "  two  blanks ",
    "'",
    "''",
    "\"",
    "`id`",
    "\n",
    "a\nb\n",
    "$HOME",
    "$(id)",
    "\\",
    "\\n",
    "a\\",
    "!",
    "!!",
    "*",
    "?",
    "[a-z]",
    "-n",
    "--help",
    "~",
    "~root",
    "{a,b}",
    "a;b&c|d<e>f",
    "#",
    "%s%n",
    "\t\r\v",
    "\001\033\177",
    "\377\376\200",
    "\303\251\n",
    "=",
    "a=b",
    "it's \"so\" $x `y` \\z !w\n'",
    "\\012",
    "\\\\0101",
    "^a^b",
    "sbx_n=1",
    "${IFS}",
};

START_TEST(each_word_arrives_as_it_stands)
{
    size_t count = sizeof(hard_words) / sizeof(hard_words[0]);
    const char *argv[3 + sizeof(hard_words) / sizeof(hard_words[0])] = {"printf", "%s|"};
    SBI_AUTO_STR want = {0};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    size_t i;

    for (i = 0; i < count; i++) {
        argv[2 + i] = hard_words[i];
        sbi_str_addf(&want, "%s|", hard_words[i]);
    }
    result = ask_argv(session, argv, NULL);
    expect_exit(result, 0);
    expect_text(result, want.data);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* Linux takes 131071 bytes in one word. */
START_TEST(a_word_of_128_kilobytes_arrives_whole)
{
    char *word = malloc(131072);
    const char *const argv[] = {"printf", "%s", word, NULL};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    size_t i;

    for (i = 0; i < 131071; i++)
        word[i] = (char)(i % 64 == 63 ? '\n' : i % 61 == 7 ? '\'' : 'a' + i % 23);
    word[131071] = '\0';
    result = ask_argv(session, argv, &SBX_OPTS(sbx_exec_opts, .output_limit = -1));
    expect_exit(result, 0);
    expect_bytes(result, word, 131071);
    sbx_exec_result_free(result);
    sbx_session_free(session);
    free(word);
}
END_TEST

START_TEST(shell_text_is_read_as_a_shell_reads_it)
{
    static const struct {
        const char *command;
        const char *output;
    } rows[] = {
        {"cat <<'END'\none $two\n'three'\nEND\n", "one $two\n'three'\n"},
        {"cat <<END\n$((1 + 1))\nEND", "2\n"},
        {"printf '%s' 'it'\\''s'", "it's"},
        {"for i in 1 2 3; do\n  printf $i\ndone\n", "123"},
        {"x='a  b'; printf '%s|' \"$x\" $x", "a  b|a|b|"},
        {"printf a # a comment\nprintf b", "ab"},
        {"printf '%s' \"!x\" '\\' ; # it's\n", "!x\\"},
        {"printf '%s' \"$#\"", "0"},
        {"\n\nprintf ok", "ok"},
        {"(exit 3) || printf $?", "3"},
        {"set -e; false | true; printf on", "on"},
    };
    sbx_session *session = place_open(_i);
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        expect_says(session, rows[i].command, NULL, rows[i].output);
    sbx_session_free(session);
}
END_TEST

/* And leaves its standard input alone, for all that it is read in pieces. */
START_TEST(a_text_of_300_kilobytes_runs_whole)
{
    static const char input[] = "sbx_n=1; \n\377and\n\n";
    const sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .input = input, .input_length = strlen(input));
    SBI_AUTO_STR command = {0};
    sbx_session *session = place_open(_i);

    while (command.length < 300 * 1024)
        sbi_str_addf(&command, ": it\\'s line\303\266\377 %zu \"$x\"\n", command.length);
    sbi_str_add(&command, "printf \"%s|\" \"end:$#:$1:${LC_ALL-unset}\"; cat");
    expect_says(session, command.data, &opts, "end:0::unset|sbx_n=1; \n\377and\n\n");
    sbx_session_free(session);
}
END_TEST

START_TEST(the_environment_arrives_as_it_stands)
{
    const char *const env[] = {"A=",        "B= b  b ",   "C='\"`$x\\!",  "D=one\ntwo\n",
                               "E=a=b=c",   "F=\377\376", "PATH_X=$PATH", "_G1=*",
                               "PAGER=own", NULL};
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .env = env);

    expect_says(session,
                "printf '%s|' \"$A\" \"$B\" \"$C\" \"$D\" \"$E\" \"$F\" \"$PATH_X\" "
                "\"$_G1\" \"$PAGER\"",
                &opts, "| b  b |'\"`$x\\!|one\ntwo\n|a=b=c|\377\376|$PATH|*|own|");
    expect_says(session, "env | grep -c '^[A-FP_].*=' >/dev/null && env | grep '^E='",
                &opts, "E=a=b=c\n");
    sbx_session_free(session);
}
END_TEST

START_TEST(pagers_and_prompts_are_disarmed_unless_left)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INTERACTIVE_ENV);
    const char *command = "printf '%s' \"$PAGER,$GIT_PAGER,$GIT_TERMINAL_PROMPT\"";

    (void)unsetenv("PAGER");
    (void)unsetenv("GIT_PAGER");
    (void)unsetenv("GIT_TERMINAL_PROMPT");
    expect_says(session, command, NULL, "cat,cat,0");
    expect_says(session, command, &opts, ",,");
    sbx_session_free(session);
}
END_TEST

/* SBX_RUN is how a run is found again; it is all that we add. */
START_TEST(nothing_of_ours_leaks_into_the_command)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    char want[64];

    expect_says(session, "env | grep ^sbx_; set | grep ^sbx_; :", NULL, "");
    expect_says(session, "alias; [ \"$#\" = 0 ] || echo words", NULL, "");
    result = ask(session, "printf '%s' \"$SBX_RUN\"", NULL);
    (void)snprintf(want, sizeof(want), "%s", result->run_id);
    expect_text(result, want);
    ck_assert_uint_eq(strlen(result->run_id), 32);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* Of those that a program may use: the C library keeps 32 and 33 for itself. */
START_TEST(no_signal_is_ignored_or_blocked_in_the_command)
{
    const char *const argv[] = {"grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status", NULL};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = ask_argv(session, argv, NULL);
    const char *at = result->output;
    int lines;

    expect_exit(result, 0);
    for (lines = 0; (at = strchr(at, '\t')) != NULL; lines++)
        ck_assert_msg((strtoull(++at, NULL, 16) & 0x7fffffff) == 0, "%s", result->output);
    ck_assert_int_eq(lines, 2);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(no_descriptor_but_the_three_streams_is_open)
{
    sbx_session *session = place_open(_i);

    expect_says(session,
                "for f in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$f ] || echo $f; done",
                NULL, "");
    sbx_session_free(session);
}
END_TEST

START_TEST(a_command_has_no_child_that_it_did_not_start)
{
    const char *const argv[] = {"sh", "-c", "read x </proc/$$/task/$$/children; echo $x",
                                NULL};
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = ask_argv(session, argv, NULL);

    expect_exit(result, 0);
    expect_text(result, "\n");
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* What a login shell could harm is the way there: all of it at once. */
START_TEST(a_login_shell_passes_all_on_unharmed)
{
    const char *const env[] = {"A='\"`$x\\!", "B=one\ntwo\n", NULL};
    const char *const argv[] = {"sh",
                                "-c",
                                "printf '%s|' \"$A\" \"$B\" \"$PWD\" \"$@\"; cat; "
                                "printf err >&2; exit 41",
                                "sh",
                                "!x '\n\"\\ $y * `z`",
                                "",
                                "-n",
                                NULL};
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .env = env, .cwd = "/dev",
                                  .input = "i\0n", .input_length = 3);
    static const char want[] = "'\"`$x\\!|one\ntwo\n|/dev|!x '\n\"\\ $y * `z`||-n|i\0n";
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = ask_argv(session, argv, &opts);

    expect_exit(result, 41);
    ck_assert_uint_eq(result->output_length, sizeof(want) - 1);
    ck_assert_mem_eq(result->output, want, sizeof(want) - 1);
    ck_assert_str_eq(result->errors, "err");
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(noise_of_a_login_shell_is_not_the_commands)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = ask(session, "kill -TERM $$", NULL);

    ck_assert_int_eq(result->end, SBX_EXEC_SIGNALED);
    ck_assert_str_eq(result->signal_name, "TERM");
    expect_bytes(result, "", 0);
    sbx_exec_result_free(result);
    expect_says(session, "printf ok", NULL, "ok");
    ck_assert_int_eq(sbx_exec_shell(session, "true",
                                    &SBX_OPTS(sbx_exec_opts, .cwd = "/no/such/folder"),
                                    &result, NULL),
                     SBX_ERR_NOT_FOUND);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, PLACES);
    tcase_add_loop_test(tests, every_code_is_a_plain_exit, LOCAL, SH);
    tcase_add_loop_test(tests, a_signal_is_told_by_its_name, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_missing_program_is_an_exit_with_127, LOCAL, SH);
    tcase_add_loop_test(tests, each_byte_arrives_on_its_own_stream, LOCAL, SH);
    tcase_add_loop_test(tests, each_word_arrives_as_it_stands, LOCAL, SH);
    tcase_add_loop_test(tests, a_word_of_128_kilobytes_arrives_whole, LOCAL, SH);
    tcase_add_loop_test(tests, shell_text_is_read_as_a_shell_reads_it, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_text_of_300_kilobytes_runs_whole, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, the_environment_arrives_as_it_stands, LOCAL, SH);
    tcase_add_loop_test(tests, pagers_and_prompts_are_disarmed_unless_left, LOCAL, SH);
    tcase_add_loop_test(tests, nothing_of_ours_leaks_into_the_command, LOCAL, SH);
    tcase_add_loop_test(tests, no_signal_is_ignored_or_blocked_in_the_command, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, no_descriptor_but_the_three_streams_is_open, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_command_has_no_child_that_it_did_not_start, LOCAL, SH);
    tcase_add_loop_test(tests, a_login_shell_passes_all_on_unharmed, SH, PLACES);
    tcase_add_loop_test(tests, noise_of_a_login_shell_is_not_the_commands, SH, PLACES);
}
