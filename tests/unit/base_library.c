/* base_library.c - tests of libraries that are loaded when they are needed. */
#include "support/unit.h"

#include "base/library.h"

#include <string.h>

struct table {
    size_t (*strlen)(const char *text);
};

static const struct sbi_function known[] = {{"strlen", offsetof(struct table, strlen)}};
static const struct sbi_function unknown[] = {{"sbi_no_such_function", 0}};

START_TEST(a_library_is_loaded_once_and_its_functions_can_be_called)
{
    static struct table table;
    static struct sbi_library library = SBI_LIBRARY("libc.so.6", known, &table);

    ck_assert_int_eq(sbi_library_need(&library, NULL), SBX_OK);
    ck_assert_uint_eq(table.strlen("four"), 4);
    table.strlen = NULL;
    ck_assert_int_eq(sbi_library_need(&library, NULL), SBX_OK);
    ck_assert_msg(table.strlen == NULL, "it was loaded again");
}
END_TEST

START_TEST(what_cannot_be_loaded_is_named_with_what_mends_it_and_tried_again)
{
    static struct table table;
    static struct sbi_library none = SBI_LIBRARY("libsbi-none.so.9", known, &table);
    static struct sbi_library older = SBI_LIBRARY("libc.so.6", unknown, &table);
    sbx_error err = {0};
    int i;

    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(sbi_library_need(&none, &err), SBX_ERR_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(err.text, "load 'libsbi-none.so.9': "));
        ck_assert_str_eq(err.fix, "install libsbi-none.so.9 on this machine");
    }
    ck_assert_int_eq(sbi_library_need(&older, &err), SBX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "sbi_no_such_function"));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_library_is_loaded_once_and_its_functions_can_be_called);
    tcase_add_test(tests,
                   what_cannot_be_loaded_is_named_with_what_mends_it_and_tried_again);
}
