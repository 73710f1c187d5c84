/* base_nearest.c - tests of finding the word that was meant. */
#include "support/unit.h"

#include "base/nearest.h"

#include <stddef.h>

static const char *nearest(const char *word)
{
    static const char *const known[] = {"password", "password_file", "port",
                                        "gpu1",     "gpu2",          "a"};
    struct sbi_nearest search = {.word = word};
    size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        sbi_nearest_offer(&search, known[i]);
    return search.best;
}

START_TEST(a_letter_dropped_added_changed_or_swapped_is_near)
{
    ck_assert_str_eq(nearest("pasword"), "password");
    ck_assert_str_eq(nearest("passsword"), "password");
    ck_assert_str_eq(nearest("pbssword"), "password");
    ck_assert_str_eq(nearest("psasword"), "password");
    ck_assert_str_eq(nearest("prot"), "port");
    ck_assert_str_eq(nearest("PassWord_File"), "password_file");
}
END_TEST

START_TEST(of_equally_near_words_the_first_wins)
{
    ck_assert_str_eq(nearest("gpu3"), "gpu1");
}
END_TEST

START_TEST(a_word_of_its_own_is_near_to_none)
{
    ck_assert_ptr_null(nearest("banana"));
    ck_assert_ptr_null(nearest(""));
    ck_assert_ptr_null(
        nearest("port, and then a word that is much too long to be any of these, is it"));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_letter_dropped_added_changed_or_swapped_is_near);
    tcase_add_test(tests, of_equally_near_words_the_first_wins);
    tcase_add_test(tests, a_word_of_its_own_is_near_to_none);
}
