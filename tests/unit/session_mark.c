/* session_mark.c - tests of how a script's word is found among any bytes. */
#include "support/unit.h"

#include "session/mark.h"

#include <string.h>

#define NONCE "0123456789abcdef"

static int find(const char *text, struct sbi_mark *mark)
{
    return sbi_mark_find(text, strlen(text), NONCE, mark);
}

START_TEST(a_mark_is_found_among_noise)
{
    static const struct {
        const char *text;
        int found;
        size_t start;
        const char *words;
    } rows[] = {
        {"sbx:" NONCE ":start 12 34;", SBI_MARK_WHOLE, 0, "start 12 34"},
        {"noise\n\033[0msbx:" NONCE ":dead;rest;", SBI_MARK_WHOLE, 10, "dead"},
        {"sbx:" NONCE ":;", SBI_MARK_WHOLE, 0, ""},
        {"sbx:fedcba9876543210:dead;sbx:" NONCE ":alive 7;", SBI_MARK_WHOLE, 26,
         "alive 7"},
        {"sbx:sbx:" NONCE ":dead;", SBI_MARK_WHOLE, 4, "dead"},
        {"sbx:" NONCE ":start 12", SBI_MARK_PARTIAL, 0, NULL},
        {"x sbx:" NONCE ":", SBI_MARK_PARTIAL, 2, NULL},
        {"sbx:" NONCE, SBI_MARK_NONE, 0, NULL},
        {"sbx:0123456789abcdee:dead;", SBI_MARK_NONE, 0, NULL},
        {"", SBI_MARK_NONE, 0, NULL},
    };
    struct sbi_mark mark;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_int_eq(find(rows[i].text, &mark), rows[i].found);
        if (rows[i].found != SBI_MARK_NONE)
            ck_assert_uint_eq(mark.start, rows[i].start);
        if (rows[i].found != SBI_MARK_WHOLE)
            continue;
        ck_assert(sbi_mark_is(&mark, rows[i].words));
        ck_assert(!sbi_mark_is(&mark, "other"));
        ck_assert_int_eq(rows[i].text[mark.start + mark.length - 1], ';');
    }
}
END_TEST

START_TEST(a_mark_behind_nul_bytes_is_found)
{
    static const char text[] = "a\0b\0sbx:" NONCE ":dead;\0";
    struct sbi_mark mark;

    ck_assert_int_eq(sbi_mark_find(text, sizeof(text) - 1, NONCE, &mark), SBI_MARK_WHOLE);
    ck_assert_uint_eq(mark.start, 4);
    ck_assert_int_eq(sbi_mark_find(NULL, 0, NONCE, &mark), SBI_MARK_NONE);
}
END_TEST

START_TEST(a_mark_in_any_two_pieces_is_whole_with_the_second)
{
    static const char text[] = "noise;sbx:" NONCE ":start 12 34;";
    struct sbi_mark mark;
    size_t cut;

    for (cut = 0; cut < sizeof(text) - 1; cut++)
        ck_assert_int_ne(sbi_mark_find(text, cut, NONCE, &mark), SBI_MARK_WHOLE);
    ck_assert_int_eq(find(text, &mark), SBI_MARK_WHOLE);
}
END_TEST

START_TEST(numbers_are_read_and_anything_else_is_not_a_number)
{
    static const struct {
        const char *words;
        int count; /* -1: it cannot be read */
    } rows[] = {{"start 12 34", 2},
                {"start", 0},
                {"start 0", 1},
                {"start 999999999999999999", 1},
                {"start 1234567890123456789", -1},
                {"start 1 2 3", -1},
                {"start  1", -1},
                {"start 1 ", -1},
                {"start -1", -1},
                {"start +1", -1},
                {"start 0x1", -1},
                {"start 1x", -1},
                {"started 1", -1},
                {"star", -1},
                {"", -1}};
    int64_t numbers[2];
    struct sbi_mark mark;
    size_t count, i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        mark = (struct sbi_mark){.words = rows[i].words,
                                 .words_length = strlen(rows[i].words)};
        count = 99;
        ck_assert_msg(sbi_mark_read(&mark, "start", numbers, 2, &count) ==
                          (rows[i].count >= 0),
                      "'%s'", rows[i].words);
        if (rows[i].count >= 0)
            ck_assert_uint_eq(count, (size_t)rows[i].count);
    }
    mark = (struct sbi_mark){.words = "start 12 34", .words_length = 11};
    ck_assert(sbi_mark_read(&mark, "start", numbers, 2, &count));
    ck_assert_int_eq(numbers[0], 12);
    ck_assert_int_eq(numbers[1], 34);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_mark_is_found_among_noise);
    tcase_add_test(tests, a_mark_behind_nul_bytes_is_found);
    tcase_add_test(tests, a_mark_in_any_two_pieces_is_whole_with_the_second);
    tcase_add_test(tests, numbers_are_read_and_anything_else_is_not_a_number);
}
