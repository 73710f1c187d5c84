/* base_str.c - tests of text that grows up to a limit. */
#include "support/unit.h"

#include "base/str.h"

#include <string.h>

START_TEST(a_text_is_built_of_its_parts)
{
    SBI_AUTOFREE char *text = NULL;
    SBI_AUTO_STR str = {0};

    sbi_str_add(&str, "a");
    sbi_str_add_bytes(&str, "b\0c", 3);
    sbi_str_addf(&str, "%d-%s", 42, "x");
    ck_assert_uint_eq(str.length, 8);
    ck_assert_int_eq(sbi_str_take(&str, &text, NULL), SBX_OK);
    ck_assert_mem_eq(text, "ab\0c42-x", 9);
    ck_assert_ptr_null(str.data);
    ck_assert_uint_eq(str.length, 0);
}
END_TEST

START_TEST(an_empty_text_is_a_text)
{
    SBI_AUTOFREE char *text = NULL;
    SBI_AUTO_STR str = {0};

    ck_assert_int_eq(sbi_str_take(&str, &text, NULL), SBX_OK);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(one_byte_over_the_limit_fails_and_stays_failed)
{
    SBI_AUTO_STR str = {.limit = 4};
    char *text = NULL;
    sbx_error err = {0};

    sbi_str_add(&str, "abcd");
    ck_assert_int_eq(str.status, SBX_OK);
    sbi_str_add(&str, "e");
    ck_assert_int_eq(str.status, SBX_ERR_LIMIT);
    sbi_str_add(&str, "");
    sbi_str_addf(&str, "%s", "");
    ck_assert_str_eq(str.data, "abcd");
    ck_assert_int_eq(sbi_str_take(&str, &text, &err), SBX_ERR_LIMIT);
    ck_assert_int_eq(err.code, SBX_ERR_LIMIT);
    ck_assert_ptr_null(text);
}
END_TEST

START_TEST(a_formatted_part_over_the_limit_leaves_nothing_of_it)
{
    SBI_AUTO_STR str = {.limit = 6};

    sbi_str_add(&str, "ab");
    sbi_str_addf(&str, "%d", 1234567);
    ck_assert_int_eq(str.status, SBX_ERR_LIMIT);
    ck_assert_str_eq(str.data, "ab");
}
END_TEST

START_TEST(a_length_that_no_memory_has_is_refused)
{
    SBI_AUTO_STR str = {0};

    sbi_str_add(&str, "x");
    sbi_str_add_bytes(&str, "x", SIZE_MAX - 1);
    ck_assert_int_eq(str.status, SBX_ERR_LIMIT);
    ck_assert_uint_eq(str.length, 1);
    sbi_str_clear(&str);
    ck_assert_int_eq(str.status, SBX_OK);
}
END_TEST

START_TEST(a_million_small_parts_are_one_text)
{
    SBI_AUTO_STR str = {0};
    size_t i;

    for (i = 0; i < 1000000; i++)
        sbi_str_add_bytes(&str, &"abcdefghij"[i % 10], 1);
    ck_assert_uint_eq(str.length, 1000000);
    ck_assert_int_eq(str.data[999999], 'j');
    ck_assert_int_eq(str.data[1000000], '\0');
}
END_TEST

START_TEST(room_that_is_made_ahead_is_an_empty_text_at_first)
{
    SBI_AUTO_STR str = {0};
    char *before;

    ck_assert_int_eq(sbi_str_reserve(&str, 5000), SBX_OK);
    ck_assert_str_eq(str.data, "");
    before = str.data;
    memset(before, 'x', 5000);
    ck_assert_int_eq(sbi_str_reserve(&str, 5000), SBX_OK);
    ck_assert_str_eq(str.data, "");
    for (size_t i = 0; i < 5000; i++)
        sbi_str_add_bytes(&str, "y", 1);
    ck_assert_ptr_eq(str.data, before);
    ck_assert_uint_eq(str.length, 5000);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, room_that_is_made_ahead_is_an_empty_text_at_first);
    tcase_add_test(tests, a_text_is_built_of_its_parts);
    tcase_add_test(tests, an_empty_text_is_a_text);
    tcase_add_test(tests, one_byte_over_the_limit_fails_and_stays_failed);
    tcase_add_test(tests, a_formatted_part_over_the_limit_leaves_nothing_of_it);
    tcase_add_test(tests, a_length_that_no_memory_has_is_refused);
    tcase_add_test(tests, a_million_small_parts_are_one_text);
}
