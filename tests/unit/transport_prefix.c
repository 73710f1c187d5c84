/* transport_prefix.c - tests of the words that stand before a command. */
#include "support/says.h"
#include "support/unit.h"

#include "base/cleanup.h"
#include "transport/prefix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOW "exec /bin/sh -c 'printf \"%s|\" \"$A\" \"$B\"'"

START_TEST(each_word_of_a_prefix_arrives_as_it_stands)
{
    static const char hard[] =
        "'x  y'\"%s%%\n$HOME\\ `id` !! * ~ {a,b} # \\047 \377;|&<>";
    static const char *const shells[] = {"sh", "bash"};
    char first[512], answer[512], want[512];
    char *words[] = {(char[]){"env"}, first, (char[]){"B="}, NULL};
    size_t i;

    (void)snprintf(first, sizeof(first), "A=%s", hard);
    (void)snprintf(want, sizeof(want), "%s||", hard);
    for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        SBI_AUTOFREE char *command = NULL;

        ck_assert_int_eq(sbi_prefix_command(words, SHOW, &command, NULL), SBX_OK);
        ck_assert_ptr_null(strchr(command, '\n'));
        (void)shell_says(shells[i], command, answer, sizeof(answer));
        ck_assert_str_eq(answer, want);
    }
}
END_TEST

START_TEST(what_is_no_script_of_ours_is_refused)
{
    char *words[] = {(char[]){"env"}, NULL};
    SBI_AUTOFREE char *command = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_prefix_command(words, "rm -rf /", &command, &err),
                     SBX_ERR_INTERNAL);
    ck_assert_ptr_null(command);
}
END_TEST

START_TEST(words_without_end_are_refused)
{
    char *word = calloc(1, 200000);
    char *words[] = {word, NULL};
    SBI_AUTOFREE char *command = NULL;

    memset(word, 'x', 199999);
    ck_assert_int_eq(sbi_prefix_command(words, SHOW, &command, NULL), SBX_ERR_LIMIT);
    free(word);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, each_word_of_a_prefix_arrives_as_it_stands);
    tcase_add_test(tests, what_is_no_script_of_ours_is_refused);
    tcase_add_test(tests, words_without_end_are_refused);
}
