/* session_shell_watch.c - tests of what a client tells its keeper of a run. */
#include "support/unit.h"

#include "session/shell_watch.h"

#include <string.h>

START_TEST(what_is_told_is_read_again)
{
    char words[SBI_SHELL_WATCH_SIZE], nonce[SBI_NONCE_SIZE];
    int64_t limit = -1;

    ck_assert_int_eq(sbi_shell_watch(90, "0123456789abcdef", words, NULL), SBX_OK);
    ck_assert(sbi_shell_read_watch(words, strlen(words), &limit, nonce));
    ck_assert_int_eq(limit, 90);
    ck_assert_str_eq(nonce, "0123456789abcdef");
}
END_TEST

START_TEST(words_of_another_version_or_of_nobody_are_passed_over)
{
    static const char *const bad[] = {"",       "0",        "0:",          ":ab:cd",
                                      "0::",    "0:ab:",    "0:ab:0123",   "x:ab:cd",
                                      "0:g h:", "0:$(id):", "-1:ab:cdefg", "0:ab"};
    char words[2 * SBI_SHELL_WATCH_SIZE], nonce[SBI_NONCE_SIZE];
    int64_t limit = 7;
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert(!sbi_shell_read_watch(bad[i], strlen(bad[i]), &limit, nonce));
    ck_assert_int_eq(sbi_shell_watch(0, "ab", words, NULL), SBX_OK);
    for (i = 0; i < strlen(words); i++)
        ck_assert(!sbi_shell_read_watch(words, i, &limit, nonce));
    (void)memset(words + strlen(words), '0', SBI_SHELL_WATCH_SIZE);
    ck_assert(!sbi_shell_read_watch(words, SBI_SHELL_WATCH_SIZE, &limit, nonce));
    ck_assert_int_eq(limit, 7);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, what_is_told_is_read_again);
    tcase_add_test(tests, words_of_another_version_or_of_nobody_are_passed_over);
}
