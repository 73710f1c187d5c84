/* session_account.c - tests of what is made of an account's words. */
#include "support/unit.h"

#include "session/account.h"

#include <string.h>

static void explain(const char *output, const char *errors, int code, sbx_error *err)
{
    SBI_AUTO_STR out = {0};
    SBI_AUTO_STR other = {0};
    const struct sbi_account_words words = {.said = {&out, &other}, .exit_code = code};

    if (output != NULL)
        sbi_str_add(&out, output);
    if (errors != NULL)
        sbi_str_add(&other, errors);
    ck_assert_int_eq(sbi_account_explain("gpu1", &words, err), SBX_ERR_REMOTE);
    ck_assert_str_eq(err->check, "login-shell");
    ck_assert_str_ne(err->fix, "");
}

START_TEST(what_an_account_says_is_known_for_what_it_means)
{
    static const struct {
        const char *output, *errors;
        int code;
        const char *text;
    } cases[] = {
        {"This account is currently not available.\n", NULL, 1,
         "start a command on 'gpu1': the account has no login shell; it says 'This account "
         "is currently not available.'"},
        {NULL, "This service allows sftp connections only.\n", 1,
         "start a command on 'gpu1': the account is for sftp alone; it says 'This service "
         "allows sftp connections only.'"},
        {"welcome\n", "rbash: line 1: exec: restricted\n", 1,
         "start a command on 'gpu1': the account's shell is a restricted one; it says "
         "'rbash: line 1: exec: restricted'"},
        {NULL, "sbx: no header\n", 255,
         "start a command on 'gpu1': a start-up file of its login shell reads standard "
         "input; it says 'sbx: no header'"},
        {NULL, NULL, 1,
         "start a command on 'gpu1': the login shell ended with 1 and ran nothing"},
        {"Access is restricted to staff\n", NULL, 1,
         "start a command on 'gpu1': the login shell ended with 1 and ran nothing, saying "
         "'Access is restricted to staff'"},
        {"\r\n  hello\r\nworld\n", NULL, 0,
         "start a command on 'gpu1': the server ran one of its own instead, which says "
         "'hello'"},
        {NULL, NULL, 0,
         "start a command on 'gpu1': the server ran one of its own instead"},
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sbx_error err = {0};

        explain(cases[i].output, cases[i].errors, cases[i].code, &err);
        ck_assert_str_eq(err.text, cases[i].text);
    }
}
END_TEST

START_TEST(a_long_word_is_cut_and_the_error_stays_whole)
{
    char words[4096];
    sbx_error err = {0};

    memset(words, 'x', sizeof(words));
    words[sizeof(words) - 1] = '\0';
    explain(NULL, words, 3, &err);
    ck_assert_ptr_nonnull(strstr(err.text, "ended with 3 and ran nothing, saying 'xxx"));
    ck_assert_int_eq(err.text[strlen(err.text) - 1], '\'');
}
END_TEST

START_TEST(the_advice_names_the_place)
{
    sbx_error err = {0};

    explain("Your password has expired.\n", NULL, 1, &err);
    ck_assert_str_eq(err.fix, "log in by `ssh gpu1` in a terminal, and set a new one");
}
END_TEST

START_TEST(what_an_engine_says_of_a_computer_is_known_for_what_it_means)
{
    static const struct {
        const char *errors;
        int code;
        const char *text, *fix;
    } cases[] = {
        {"Error response from daemon: No such container: sbx-box\n", SBX_ERR_NOT_FOUND,
         "start a command on 'gpu1/box': there is no such computer",
         "sbx computer create gpu1/box"},
        {"Error: no container with name or ID \"sbx-box\" found: no such container\n",
         SBX_ERR_NOT_FOUND, "start a command on 'gpu1/box': there is no such computer",
         "sbx computer create gpu1/box"},
        {"Error response from daemon: Container 1 is paused, unpause the container\n",
         SBX_ERR_CONFLICT, "start a command on 'gpu1/box': it is paused",
         "sbx computer resume gpu1/box"},
        {"Error response from daemon: container 1 is not running\n", SBX_ERR_CONFLICT,
         "start a command on 'gpu1/box': it does not run",
         "sbx computer restart gpu1/box"},
        {"sbx: not a computer\n", SBX_ERR_CONFLICT,
         "start a command on 'gpu1/box': the container of that name is none of ours",
         "take another name"},
        {"the sky falls\n", SBX_ERR_REMOTE,
         "start a command on 'gpu1/box': the engine on 'gpu1' ended with 1, saying 'the "
         "sky falls'",
         ""},
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        SBI_AUTO_STR out = {0};
        SBI_AUTO_STR said = {0};
        const struct sbi_account_words words = {.said = {&out, &said},
                                                .exit_code = 1,
                                                .prefix = "a script",
                                                .on = "gpu1",
                                                .computer = true};
        sbx_error err = {0};

        sbi_str_add(&said, cases[i].errors);
        ck_assert_int_eq(sbi_account_explain("gpu1/box", &words, &err), cases[i].code);
        ck_assert_str_eq(err.text, cases[i].text);
        ck_assert_str_eq(err.fix, cases[i].fix);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, what_an_engine_says_of_a_computer_is_known_for_what_it_means);
    tcase_add_test(tests, what_an_account_says_is_known_for_what_it_means);
    tcase_add_test(tests, a_long_word_is_cut_and_the_error_stays_whole);
    tcase_add_test(tests, the_advice_names_the_place);
}
