/* base_complaint.c - what a script says of its failure is one error, whatever it stands
 * by.
 */
#include "support/unit.h"

#include "base/complaint.h"

#include <string.h>

static const struct sbi_complaint rows[] = {
    {"missing", SBX_ERR_NOT_FOUND, "there is none", ": ", "sbx ls"},
    {"miss", SBX_ERR_IO, "it is of", " ", NULL},
    {"bare", SBX_ERR_CONFLICT, "it runs", NULL, NULL},
};
static const struct sbi_complaints known = {"sbx-x:", rows, 3};

static const struct {
    int exit_code;
    const char *errors;
    int code;
    const char *text;
} table[] = {
    {0, "sbx-x:missing\n", SBX_OK, ""},
    {9, "sbx-x:missing\n", SBX_ERR_NOT_FOUND, "there is none"},
    {9, "sbx-x:missing a b\nmore\n", SBX_ERR_NOT_FOUND, "there is none: a b"},
    {9, "sbx-x:miss eve\n", SBX_ERR_IO, "it is of eve"},
    {9, "sbx-x:bare and more", SBX_ERR_CONFLICT, "it runs"},
    {9, "no newlinesbx-x:miss eve\n", SBX_ERR_IO, "it is of eve"},
    {9, "sbx-x:missing\nsbx-x:bare\n", SBX_ERR_CONFLICT, "it runs"},
    {9, "sbx-x:strange a\nb", SBX_ERR_REMOTE, "the script over there says 'strange a'"},
    {9, "oops", SBX_ERR_REMOTE, "the script over there ended with 9: oops"},
    {2, "sbx-x:missing", SBX_ERR_REMOTE,
     "the script over there ended with 2: sbx-x:missing"},
    {3, "", SBX_ERR_REMOTE, "the script over there ended with 3: nothing was said"},
    {3, NULL, SBX_ERR_REMOTE, "the script over there ended with 3: nothing was said"},
};

START_TEST(each_end_is_one_error)
{
    sbx_error err = {0};

    ck_assert_int_eq(
        sbi_complaint_judge(&known, table[_i].exit_code, table[_i].errors, &err),
        table[_i].code);
    ck_assert_str_eq(err.text, table[_i].text);
    ck_assert_str_eq(err.fix, table[_i].code == SBX_ERR_NOT_FOUND ? "sbx ls" : "");
}
END_TEST

START_TEST(a_long_detail_is_cut)
{
    char errors[600] = "sbx-x:missing ";
    sbx_error err = {0};

    memset(errors + strlen(errors), 'x', 500);
    ck_assert_int_eq(sbi_complaint_judge(&known, 9, errors, &err), SBX_ERR_NOT_FOUND);
    ck_assert_uint_eq(strlen(err.text), strlen("there is none: ") + 200);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, each_end_is_one_error, 0,
                        (int)(sizeof(table) / sizeof(table[0])));
    tcase_add_test(tests, a_long_detail_is_cut);
}
