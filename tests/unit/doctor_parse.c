/* doctor_parse.c - tests of reading what the doctor's script printed. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "doctor/parse.h"

#include <stdio.h>
#include <string.h>

static struct sbi_told told;

static void parse(const char *text)
{
    sbi_told_clear(&told);
    ck_assert_int_eq(sbi_told_parse(text, strlen(text), &told, NULL), SBX_OK);
}

static void clear(void)
{
    sbi_told_clear(&told);
}

START_TEST(a_line_is_a_key_and_a_value)
{
    parse("uid=0\nload=1=2 3\nempty=\ntool=tar\ntool=zstd\n");
    ck_assert_str_eq(sbi_told(&told, "uid"), "0");
    ck_assert_str_eq(sbi_told(&told, "load"), "1=2 3");
    ck_assert_str_eq(sbi_told(&told, "empty"), "");
    ck_assert_str_eq(sbi_told(&told, "tool"), "tar");
    ck_assert_str_eq(sbi_told_last(&told, "tool"), "zstd");
    ck_assert_str_eq(sbi_told_last(&told, "user"), "");
    ck_assert(sbi_told_has(&told, "tool", "zstd"));
    ck_assert(!sbi_told_has(&told, "tool", "tmux"));
    ck_assert_ptr_null(sbi_told(&told, "user"));
}
END_TEST

START_TEST(what_has_no_form_is_passed_over)
{
    parse("hello\n\n=value\nuid=0\n");
    ck_assert_uint_eq(told.count, 1);
    parse("");
    ck_assert_uint_eq(told.count, 0);
    ck_assert_ptr_null(sbi_told(&told, "uid"));
}
END_TEST

START_TEST(a_last_line_without_its_end_is_not_read)
{
    parse("uid=10\nuser=ad");
    ck_assert_str_eq(sbi_told(&told, "uid"), "10");
    ck_assert_ptr_null(sbi_told(&told, "user"));
}
END_TEST

START_TEST(control_characters_become_blanks)
{
    parse("user=a\033[31mb\177\r\n");
    ck_assert_str_eq(sbi_told(&told, "user"), "a [31mb  ");
}
END_TEST

START_TEST(text_behind_a_nul_is_left_out_to_its_line_end)
{
    const char text[] = "uid=1\0x=2\nuser=b\n";

    sbi_told_clear(&told);
    ck_assert_int_eq(sbi_told_parse(text, sizeof(text) - 1, &told, NULL), SBX_OK);
    ck_assert_str_eq(sbi_told(&told, "uid"), "1");
    ck_assert_str_eq(sbi_told(&told, "user"), "b");
    ck_assert_uint_eq(told.count, 2);
}
END_TEST

START_TEST(lines_of_a_task_are_its_own)
{
    parse("task=docker\nuid=99\n24.0.5\n\ndone=0\nuid=0\n");
    ck_assert_str_eq(sbi_told(&told, "docker"), "uid=99");
    ck_assert(sbi_told_has(&told, "docker", "24.0.5"));
    ck_assert_str_eq(sbi_told(&told, "uid"), "0");
}
END_TEST

START_TEST(a_task_ends_well_ill_late_or_not_at_all)
{
    parse("task=a\ndone=0\ntask=b\nx\ndone=9\ntask=c\ndone=late\ntask=d\nx\n");
    ck_assert_int_eq(sbi_told_task(&told, "a"), SBI_TASK_WELL);
    ck_assert_int_eq(sbi_told_task(&told, "b"), SBI_TASK_ILL);
    ck_assert_int_eq(sbi_told_task(&told, "c"), SBI_TASK_LATE);
    ck_assert_int_eq(sbi_told_task(&told, "d"), SBI_TASK_UNKNOWN);
    ck_assert_int_eq(sbi_told_task(&told, "e"), SBI_TASK_NONE);
}
END_TEST

START_TEST(lines_beyond_the_limit_are_passed_over)
{
    char text[8 * 600 + 1];
    size_t i;

    for (i = 0; i < 600; i++)
        memcpy(text + i * 8, "key=abc\n", 8);
    text[sizeof(text) - 1] = '\0';
    parse(text);
    ck_assert_uint_eq(told.count, 512);
}
END_TEST

START_TEST(a_row_of_df_is_known_by_its_share)
{
    static const struct {
        const char *row;
        int column;
        int64_t value; /* -1: none */
    } rows[] = {
        {"/dev/vda 264212084 17689884 82647304 18% /", 1, 264212084},
        {"/dev/vda 264212084 17689884 82647304 18% /", 2, 17689884},
        {"/dev/vda 264212084 17689884 82647304 18% /", 3, 82647304},
        {"//nas/my share  10  4  6  40% /mnt/my share", 3, 6},
        {"odd%name 10 4 6 40% /", 3, 6},
        {"tmpfs 0 0 0 -% /x", 3, 0},
        {"none 0 0 0 - /x", 3, -1},
        {"Filesystem Inodes IUsed IFree IUse% Mounted on", 3, -1},
        {"Filesystem 1024-blocks Used Available Capacity Mounted on", 3, -1},
        {"/dev/vda 1 2 9999999999999999999999 1% /", 3, -1},
        {"18%", 3, -1},
        {"%", 3, -1},
        {"1 2 18%", 3, -1},
    };
    char text[256];
    int64_t value;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)snprintf(text, sizeof(text), "task=home-space\n%s\ndone=0\n", rows[i].row);
        parse(text);
        value = -1;
        ck_assert_msg(sbi_told_df(&told, "home-space", rows[i].column, &value) ==
                          (rows[i].value >= 0),
                      "%s", rows[i].row);
        ck_assert_int_eq(value, rows[i].value);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, a_line_is_a_key_and_a_value);
    tcase_add_test(tests, what_has_no_form_is_passed_over);
    tcase_add_test(tests, a_last_line_without_its_end_is_not_read);
    tcase_add_test(tests, control_characters_become_blanks);
    tcase_add_test(tests, text_behind_a_nul_is_left_out_to_its_line_end);
    tcase_add_test(tests, lines_of_a_task_are_its_own);
    tcase_add_test(tests, a_task_ends_well_ill_late_or_not_at_all);
    tcase_add_test(tests, lines_beyond_the_limit_are_passed_over);
    tcase_add_test(tests, a_row_of_df_is_known_by_its_share);
}
