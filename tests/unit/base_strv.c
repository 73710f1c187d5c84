#include "support/unit.h"

#include "base/strv.h"

START_TEST(a_list_grows_by_copies_and_ends_in_null)
{
    SBI_AUTO_STRV list = NULL;
    char word[] = "one";

    ck_assert_int_eq(sbi_strv_add(&list, word, NULL), SBX_OK);
    word[0] = 'X';
    ck_assert_int_eq(sbi_strv_add(&list, "two", NULL), SBX_OK);
    ck_assert_uint_eq(sbi_strv_count((const char *const *)list), 2);
    ck_assert_str_eq(list[0], "one");
    ck_assert_ptr_null(list[2]);
    ck_assert(sbi_strv_contains((const char *const *)list, "two"));
    ck_assert(!sbi_strv_contains((const char *const *)list, "three"));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_list_grows_by_copies_and_ends_in_null);
}
