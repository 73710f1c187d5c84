/* session_host_edit.c - tests that editing a list leaves the user's text alone. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "session/host_edit.h"

#include <string.h>

START_TEST(an_added_entry_comes_last_and_the_rest_stays)
{
    static const struct {
        const char *text, *becomes;
    } rows[] = {
        {"[]\n", "[\n    {NEW}\n]\n"},
        {"[\n]\n", "[\n    {NEW}\n]\n"},
        {"[ // none yet\n]", "[ // none yet\n    {NEW}\n]"},
        {"[{\"name\":\"a\"}]", "[{\"name\":\"a\"},\n    {NEW}\n]"},
        {"/* [ */ [\n    {\"name\": \"a]\"} // the \"first\"\n]\n// end",
         "/* [ */ [\n    {\"name\": \"a]\"}, // the \"first\"\n    {NEW}\n]\n// end"},
        {"[{\"tags\":[\"x\"]} /* , */ , {\"env\":{}}/**/ ]",
         "[{\"tags\":[\"x\"]} /* , */ , {\"env\":{}},/**/\n    {NEW}\n]"},
        {"// mine\n{\"name\":\"a\"}\n",
         "// mine\n[\n    {\"name\":\"a\"},\n    {NEW}\n]\n"},
        {"\xEF\xBB\xBF[\x01{\"name\":\"a\"}]",
         "\xEF\xBB\xBF[\x01{\"name\":\"a\"},\n    {NEW}\n]"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SBI_AUTOFREE char *edited = NULL;
        SBI_AUTOFREE char *from_array = NULL;

        ck_assert_int_eq(sbi_host_edit_add(rows[i].text, " {NEW} // x", &edited, NULL),
                         SBX_OK);
        ck_assert_str_eq(edited, rows[i].becomes);
        ck_assert_int_eq(sbi_host_edit_add(rows[i].text, "[ {NEW} ]", &from_array, NULL),
                         SBX_OK);
        ck_assert_str_eq(from_array, rows[i].becomes);
    }
}
END_TEST

START_TEST(a_removed_entry_takes_one_comma_and_its_line_along)
{
    static const struct {
        const char *text;
        size_t place;
        const char *becomes;
    } rows[] = {
        {"[{\"a\":1}]", 0, "[]"},
        {"{\"a\":1} // x", 0, "[] // x"},
        {"[\n    {\"a\":1}, \n    {\"b\":1}\n]\n", 0, "[\n    {\"b\":1}\n]\n"},
        {"[\n    {\"a\":1},\n    {\"b\":1}\n]\n", 1, "[\n    {\"a\":1}\n]\n"},
        {"[{\"a\":1}, {\"b\":1}, {\"c\":1}]", 1, "[{\"a\":1},  {\"c\":1}]"},
        {"[\n{\"a\":1}, // a\n// b\n{\"b\":1}\n]", 1, "[\n{\"a\":1} // a\n// b\n]"},
        {"[\n{\"a\":1}, // a\n{\"b\":1}\n]", 0, "[\n // a\n{\"b\":1}\n]"},
        {"[\n{\"a\":1}, // a\n {\"b\":1} ]", 1, "[\n{\"a\":1} // a\n ]"},
        {"[\n{\"a\":\"]},\"} /*,*/ ,\n{\"b\":1}]", 1, "[\n{\"a\":\"]},\"} /*,*/ ]"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SBI_AUTOFREE char *edited = NULL;

        ck_assert_int_eq(sbi_host_edit_remove(rows[i].text, rows[i].place, &edited, NULL),
                         SBX_OK);
        ck_assert_str_eq(edited, rows[i].becomes);
    }
}
END_TEST

START_TEST(a_place_that_is_not_there_is_an_error)
{
    char *edited = NULL;

    ck_assert_int_eq(sbi_host_edit_remove("[{}]", 1, &edited, NULL), SBX_ERR_INTERNAL);
    ck_assert_int_eq(sbi_host_edit_remove("[]", 0, &edited, NULL), SBX_ERR_INTERNAL);
    ck_assert_ptr_null(edited);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, an_added_entry_comes_last_and_the_rest_stays);
    tcase_add_test(tests, a_removed_entry_takes_one_comma_and_its_line_along);
    tcase_add_test(tests, a_place_that_is_not_there_is_an_error);
}
