/* base_log.c - tests of the diary and of who gets to read it. */
#include "support/unit.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

struct heard {
    int count;
    int level;
    char line[2048];
};

static void hear(int level, const char *line, void *userdata)
{
    struct heard *heard = userdata;

    heard->count++;
    heard->level = level;
    (void)snprintf(heard->line, sizeof(heard->line), "%s", line);
}

START_TEST(nobody_hears_where_nobody_listens)
{
    ck_assert(!sbi_log_wanted(SBX_LOG_WARN));
    sbi_log(SBX_LOG_WARN, "into the dark");
    sbx_log_to(NULL, SBX_LOG_DEBUG, NULL);
    ck_assert(!sbi_log_wanted(SBX_LOG_WARN));
}
END_TEST

START_TEST(lines_up_to_the_level_are_heard)
{
    struct heard heard = {0};

    sbx_log_to(hear, SBX_LOG_INFO, &heard);
    ck_assert(sbi_log_wanted(SBX_LOG_INFO));
    ck_assert(!sbi_log_wanted(SBX_LOG_DEBUG));
    sbi_log(SBX_LOG_DEBUG, "too much");
    ck_assert_int_eq(heard.count, 0);
    sbi_log(SBX_LOG_INFO, "%s %d", "one", 2);
    ck_assert_int_eq(heard.count, 1);
    ck_assert_int_eq(heard.level, SBX_LOG_INFO);
    ck_assert_str_eq(heard.line, "one 2");
    sbx_log_to(NULL, 0, NULL);
    sbi_log(SBX_LOG_WARN, "silence");
    ck_assert_int_eq(heard.count, 1);
}
END_TEST

START_TEST(a_line_is_one_line_of_bounded_length)
{
    struct heard heard = {0};
    char word[3000];

    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    sbx_log_to(hear, SBX_LOG_DEBUG, &heard);
    sbi_log(SBX_LOG_WARN, "a\nb\tc\033");
    ck_assert_str_eq(heard.line, "a b c ");
    sbi_log(SBX_LOG_WARN, "%s", word);
    ck_assert_uint_eq(strlen(heard.line), 1023);
    sbx_log_to(NULL, 0, NULL);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, nobody_hears_where_nobody_listens);
    tcase_add_test(tests, lines_up_to_the_level_are_heard);
    tcase_add_test(tests, a_line_is_one_line_of_bounded_length);
}
