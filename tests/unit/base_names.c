/* base_names.c - the table of names. */
#include "support/unit.h"

#include "base/names.h"

#include <stdio.h>

START_TEST(an_empty_table_finds_nothing)
{
    SBI_AUTO_NAMES names = {0};

    ck_assert_ptr_null(sbi_names_find(&names, "a"));
    ck_assert_ptr_null(sbi_names_find(&names, ""));
}
END_TEST

START_TEST(each_of_many_names_is_found_with_its_number)
{
    static char words[5000][16];
    SBI_AUTO_NAMES names = {0};
    size_t i;

    for (i = 0; i < 5000; i++) {
        (void)snprintf(words[i], sizeof(words[i]), "host%zu", i);
        ck_assert_int_eq(sbi_names_add(&names, words[i], i, NULL), SBX_OK);
    }
    for (i = 0; i < 5000; i++) {
        const struct sbi_name *found = sbi_names_find(&names, words[i]);

        ck_assert_ptr_nonnull(found);
        ck_assert_uint_eq(found->number, i);
        ck_assert_ptr_null(sbi_names_before(&names, found));
    }
    ck_assert_ptr_null(sbi_names_find(&names, "host5000"));
    ck_assert_ptr_null(sbi_names_find(&names, "host"));
}
END_TEST

START_TEST(those_of_one_name_come_newest_first_also_after_the_table_grew)
{
    static char words[200][16];
    SBI_AUTO_NAMES names = {0};
    const struct sbi_name *found;
    size_t i;

    for (i = 0; i < 200; i++) {
        (void)snprintf(words[i], sizeof(words[i]), i % 50 == 7 ? "same" : "w%zu", i);
        ck_assert_int_eq(sbi_names_add(&names, words[i], i, NULL), SBX_OK);
    }
    found = sbi_names_find(&names, "same");
    for (i = 157; i > 0 && found != NULL; i = i < 50 ? 0 : i - 50) {
        ck_assert_uint_eq(found->number, i);
        found = sbi_names_before(&names, found);
    }
    ck_assert_uint_eq(i, 0);
    ck_assert_ptr_null(found);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, an_empty_table_finds_nothing);
    tcase_add_test(tests, each_of_many_names_is_found_with_its_number);
    tcase_add_test(tests, those_of_one_name_come_newest_first_also_after_the_table_grew);
}
