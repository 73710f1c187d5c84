/* base_far_quote.c - tests of words quoted for a shell over there. */
#include "support/says.h"
#include "support/unit.h"

#include "base/far_quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_quoted_word_is_one_line_and_reads_as_it_was)
{
    static const char *const words[] = {
        "",      "plain", "it's",  "''",     "\n",       "a\nb\n",    "$x `y` \\ \"z\" !",
        "-n",    "~",     "*",     "\\n",    "'\n'\n''", "#",         "\377\376\t\r\033",
        "a;b&c", "\\",    "\\'\\", "sbx_N=", "$sbx_N",   "\"$sbx_N\""};
    char answer[256];
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        SBI_AUTO_STR text = {0};

        sbi_str_add(&text, "sbx_N='\n'; set -- ");
        sbi_far_quote(&text, words[i]);
        ck_assert_ptr_null(strchr(text.data + 11, '\n'));
        sbi_str_add(&text, "; printf '%s/%s' \"$#\" \"$1\"");
        (void)sh_says(text.data, answer, sizeof(answer));
        ck_assert_int_eq(strncmp(answer, "1/", 2), 0);
        ck_assert_str_eq(answer + 2, words[i]);
    }
}
END_TEST

START_TEST(every_byte_but_nul_survives_its_quotes)
{
    SBI_AUTO_STR text = {0};
    char all[256], answer[512];
    int i;

    for (i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    all[255] = '\0';
    sbi_str_add(&text, "sbx_N='\n'; printf '%s' ");
    sbi_far_quote(&text, all);
    ck_assert_uint_eq(sh_says(text.data, answer, sizeof(answer)), 255);
    ck_assert_mem_eq(answer, all, 255);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_quoted_word_is_one_line_and_reads_as_it_was);
    tcase_add_test(tests, every_byte_but_nul_survives_its_quotes);
}
