/* session_shell.c - tests of the texts that shells over there get to read. */
#include "support/says.h"
#include "support/unit.h"

#include "session/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONCE "0123456789abcdef"
#define RUN "00112233445566778899aabbccddeeff"

static const struct sbi_shell_kind plain_kind = {.tag = RUN};
static const struct sbi_shell_kind terminal_kind = {.tag = RUN, .pty = true};
static const struct sbi_shell_kind watched_kind = {.tag = RUN, .watched = true};
static const struct sbi_shell_kind prefixed_kind = {
    .tag = RUN, .pty = true, .prefixed = true};

/*
 * No quote, backslash or newline, so that each login shell passes it on; and no '!' but
 * before a blank, where csh leaves it alone.
 */
static void expect_tame(const char *text)
{
    static const char opening[] = "exec /bin/sh -c '";
    size_t length = strlen(text), i;

    ck_assert_int_eq(strncmp(text, opening, sizeof(opening) - 1), 0);
    ck_assert_int_eq(text[length - 1], '\'');
    ck_assert_uint_lt(length, 32 * 1024);
    for (i = sizeof(opening) - 1; i < length - 1; i++)
        ck_assert_msg(strchr("'\\\n", text[i]) == NULL && (unsigned char)text[i] < 0x7f &&
                          (text[i] != '!' || text[i + 1] == ' '),
                      "'%.20s'", text + i);
}

START_TEST(a_script_has_nothing_that_a_login_shell_could_harm)
{
    const int64_t watchdogs[] = {12, 345678};
    SBI_AUTOFREE char *supervisor = NULL;
    SBI_AUTOFREE char *terminal = NULL;
    SBI_AUTOFREE char *watched = NULL;
    SBI_AUTOFREE char *prefixed = NULL;
    SBI_AUTOFREE char *warden = NULL;
    SBI_AUTOFREE char *undertaker = NULL;
    SBI_AUTOFREE char *farewell = NULL;

    ck_assert_int_eq(sbi_shell_supervisor(&plain_kind, &supervisor, NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_supervisor(&terminal_kind, &terminal, NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_supervisor(&watched_kind, &watched, NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_supervisor(&prefixed_kind, &prefixed, NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_warden(&warden, NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_undertaker(RUN, &undertaker, NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_farewell(watchdogs, 2, &farewell, NULL), SBX_OK);
    expect_tame(supervisor);
    expect_tame(terminal);
    expect_tame(watched);
    expect_tame(prefixed);
    expect_tame(warden);
    expect_tame(undertaker);
    expect_tame(farewell);
    ck_assert_str_ne(supervisor, terminal);
    ck_assert_ptr_nonnull(strstr(farewell, "345678"));
}
END_TEST

static void expect_readable(const char *script)
{
    SBI_AUTO_STR text = {0};
    char answer[64];

    sbi_str_add(&text, "sh -n -c ");
    sbi_str_add(&text, script + strlen("exec /bin/sh -c "));
    sbi_str_add(&text, " && printf ok");
    (void)sh_says(text.data, answer, sizeof(answer));
    ck_assert_str_eq(answer, "ok");
}

START_TEST(a_script_is_one_that_sh_can_read)
{
    SBI_AUTOFREE char *supervisor = NULL;
    SBI_AUTOFREE char *warden = NULL;

    ck_assert_int_eq(sbi_shell_supervisor(&plain_kind, &supervisor, NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_warden(&warden, NULL), SBX_OK);
    expect_readable(supervisor);
    expect_readable(warden);
}
END_TEST

static bool is_of_name(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool calls(const char *script, const char *name)
{
    size_t length = strlen(name);
    const char *at = script;

    while ((at = strstr(at, name)) != NULL) {
        if (!is_of_name(at[-1]) && strchr("${", at[-1]) == NULL &&
            !is_of_name(at[length]) && strchr("=(", at[length]) == NULL)
            return true;
        at += length;
    }
    return false;
}

/* Each function that any of the scripts has. */
static void expect_defined(const char *script, const char *others)
{
    const char *at = others, *first;
    char name[40], definition[48];

    while ((at = strstr(at, "() {")) != NULL) {
        for (first = at; is_of_name(first[-1]); first--)
            continue;
        (void)snprintf(name, sizeof(name), "%.*s", (int)(at - first), first);
        (void)snprintf(definition, sizeof(definition), " %s() {", name);
        ck_assert_msg(!calls(script, name) || strstr(script, definition) != NULL,
                      "%s is not defined", name);
        at++;
    }
}

START_TEST(a_script_has_all_the_functions_that_it_calls)
{
    char *scripts[4];
    size_t i, j;

    ck_assert_int_eq(sbi_shell_supervisor(&plain_kind, &scripts[0], NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_supervisor(&watched_kind, &scripts[1], NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_warden(&scripts[2], NULL), SBX_OK);
    ck_assert_int_eq(sbi_shell_undertaker(RUN, &scripts[3], NULL), SBX_OK);
    ck_assert(calls(scripts[3], "sbx_list") && !calls(scripts[1], "sbx_list"));
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++)
            expect_defined(scripts[i], scripts[j]);
    for (i = 0; i < 4; i++)
        free(scripts[i]);
}
END_TEST

/* What a script under bash says, with the limit for a read that bash takes from TMOUT. */
static void say_under_tmout(const char *script, const char *before, const char *after,
                            char *answer, size_t room)
{
    SBI_AUTO_STR text = {0};

    sbi_str_addf(&text, "{ printf '%s'; sleep 1.3; printf '%s'; echo late >&2; } 2>&1 | ",
                 before, after);
    sbi_str_add(&text, "{ TMOUT=1 bash --posix -c ");
    sbi_str_add(&text, script + strlen("exec /bin/sh -c "));
    sbi_str_add(&text, " 2>/dev/null; cat; }");
    (void)sh_says(text.data, answer, room);
}

START_TEST(a_login_that_bounds_each_read_bounds_none_of_ours)
{
    SBI_AUTOFREE char *supervisor = NULL;
    SBI_AUTOFREE char *warden = NULL;
    char answer[256];

    ck_assert_int_eq(sbi_shell_warden(&warden, NULL), SBX_OK);
    say_under_tmout(warden, "sbx_n=x\n", "", answer, sizeof(answer));
    ck_assert_str_eq(answer, "sbx:x:ready;");
    ck_assert_int_eq(sbi_shell_supervisor(&watched_kind, &supervisor, NULL), SBX_OK);
    say_under_tmout(supervisor, "",
                    "sbx_n=x sbx_r=y sbx_q=0 sbx_c=; sbx_env() { :; }; set -- echo ran\n",
                    answer, sizeof(answer));
    ck_assert_msg(strstr(answer, ";ran\n") != NULL, "%s", answer);
}
END_TEST

START_TEST(what_is_no_header_is_not_evaluated)
{
    SBI_AUTOFREE char *supervisor = NULL;
    char answer[256];

    ck_assert_int_eq(sbi_shell_supervisor(&watched_kind, &supervisor, NULL), SBX_OK);
    say_under_tmout(supervisor, "echo ran\n", "", answer, sizeof(answer));
    ck_assert_str_eq(answer, "late\n");
}
END_TEST

/* Evaluates a header as the supervisor does and prints what came of it. */
static void expect_header(const struct sbi_shell_run *run, const char *script,
                          const char *want)
{
    SBI_AUTOFREE char *header = NULL;
    SBI_AUTO_STR text = {0};
    size_t length = 0;
    char answer[1024];

    ck_assert_int_eq(sbi_shell_header(run, &header, &length, NULL), SBX_OK);
    ck_assert_uint_eq(strlen(header), length);
    ck_assert_ptr_eq(strchr(header, '\n'), header + length - 1);
    sbi_str_add(&text, "sbx_N='\n'; ");
    sbi_str_add(&text, header);
    sbi_str_add(&text, script);
    (void)sh_says(text.data, answer, sizeof(answer));
    ck_assert_str_eq(answer, want);
}

START_TEST(a_header_is_one_line_that_says_all_of_a_run)
{
    const char *const argv[] = {"printf", "it's\n", "", NULL};
    const char *const env[] = {"A=x\n'y'", "B=", NULL};
    struct sbi_shell_run run = {.nonce = NONCE,
                                .run_id = RUN,
                                .cwd = "a b\n",
                                .env = env,
                                .argv = argv,
                                .limit_s = 77,
                                .detach = true};

    expect_header(&run,
                  "sbx_env; printf '%s|' \"$sbx_n\" \"$sbx_r\" $sbx_t $sbx_d $sbx_q "
                  "\"$sbx_c\" \"$A\" \"$B\" \"$@\"",
                  NONCE "|" RUN "|77|1|1|./a b\n|x\n'y'||printf|it's\n||");
    run = (struct sbi_shell_run){
        .nonce = NONCE, .run_id = RUN, .command = "echo 'x'\n", .interactive = true};
    expect_header(
        &run, "printf '%s|' $sbx_t $sbx_d $sbx_q \"$sbx_c\" \"${1##*/}\" \"$2\" \"$3\"",
        "0|0|0||bash|-c|echo 'x'\n|");
    run.shell = " ksh  -e ";
    expect_header(&run, "printf '%s|' \"$@\"", "ksh|-e|-c|echo 'x'\n|");
}
END_TEST

START_TEST(a_folder_is_never_read_as_more_than_a_folder)
{
    static const char *const rows[][2] = {
        {"/a", "/a"},   {"-", "./-"},      {"a", "./a"},           {"~x", "./~x"},
        {"~", "HOME"},  {"~/b", "HOME/b"}, {"./c", "././c"},       {"$HOME", "./$HOME"},
        {"..", "./.."}, {"-P", "./-P"},    {"~/it's", "HOME/it's"}};
    const char *const argv[] = {"true", NULL};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_shell_run run = {
            .nonce = NONCE, .run_id = RUN, .cwd = rows[i][0], .argv = argv};

        /* HOME is set ahead, where the header is read. */
        (void)setenv("HOME", "HOME", 1);
        expect_header(&run, "printf '%s' \"$sbx_c\"", rows[i][1]);
    }
}
END_TEST

START_TEST(a_burial_names_what_is_to_be_buried)
{
    struct sbi_shell_burial burial = {.nonce = NONCE,
                                      .run_id = RUN,
                                      .tag = NONCE,
                                      .pid = 1234,
                                      .watchdog = 0,
                                      .kill_after_ms = 2500,
                                      .world = 7};
    SBI_AUTOFREE char *header = NULL;
    size_t length = 0;

    ck_assert_int_eq(sbi_shell_burial_header(&burial, &header, &length, NULL), SBX_OK);
    ck_assert_str_eq(header, "sbx_n=" NONCE " sbx_r=" RUN " sbx_g=" NONCE
                             " sbx_m=1234 sbx_w=0 sbx_k=250 sbx_0=7\n");
    ck_assert_uint_eq(length, strlen(header));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_script_has_nothing_that_a_login_shell_could_harm);
    tcase_add_test(tests, a_script_is_one_that_sh_can_read);
    tcase_add_test(tests, a_script_has_all_the_functions_that_it_calls);
    tcase_add_test(tests, a_login_that_bounds_each_read_bounds_none_of_ours);
    tcase_add_test(tests, what_is_no_header_is_not_evaluated);
    tcase_add_test(tests, a_header_is_one_line_that_says_all_of_a_run);
    tcase_add_test(tests, a_folder_is_never_read_as_more_than_a_folder);
    tcase_add_test(tests, a_burial_names_what_is_to_be_buried);
}
