/* base_opts.c - tests of options from a caller of another version. */
#include "support/unit.h"

#include "base/opts.h"

#include <stdint.h>
#include <string.h>

/* What this library knows; an older caller has no `second`, a newer one a `third`. */
struct ours {
    size_t size;
    int64_t first;
    int64_t second;
};
struct older {
    size_t size;
    int64_t first;
};
struct newer {
    size_t size;
    int64_t first;
    int64_t second;
    int64_t third;
};

START_TEST(none_is_all_defaults)
{
    struct ours ours;

    memset(&ours, 0xff, sizeof(ours));
    ck_assert_int_eq(sbi_opts_read(&ours, sizeof(ours), NULL, NULL), SBX_OK);
    ck_assert_int_eq(ours.first, 0);
    ck_assert_int_eq(ours.second, 0);
}
END_TEST

START_TEST(an_older_callers_are_read_and_the_rest_is_default)
{
    struct older older = SBX_OPTS(struct older, .first = 7);
    struct ours ours;

    memset(&ours, 0xff, sizeof(ours));
    ck_assert_int_eq(sbi_opts_read(&ours, sizeof(ours), &older, NULL), SBX_OK);
    ck_assert_int_eq(ours.first, 7);
    ck_assert_int_eq(ours.second, 0);
}
END_TEST

START_TEST(a_newer_callers_are_read_if_it_asks_for_nothing_new)
{
    struct newer newer = SBX_OPTS(struct newer, .first = 7, .second = 8);
    struct ours ours;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_opts_read(&ours, sizeof(ours), &newer, &err), SBX_OK);
    ck_assert_int_eq(ours.second, 8);
    newer.third = 9;
    ck_assert_int_eq(sbi_opts_read(&ours, sizeof(ours), &newer, &err),
                     SBX_ERR_UNSUPPORTED);
    ck_assert_int_eq(err.code, SBX_ERR_UNSUPPORTED);
}
END_TEST

START_TEST(a_size_that_no_version_had_is_refused)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX};
    struct ours theirs = {0}, ours;
    size_t i;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        theirs.size = sizes[i];
        ck_assert_int_eq(sbi_opts_read(&ours, sizeof(ours), &theirs, NULL),
                         SBX_ERR_INVALID);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, none_is_all_defaults);
    tcase_add_test(tests, an_older_callers_are_read_and_the_rest_is_default);
    tcase_add_test(tests, a_newer_callers_are_read_if_it_asks_for_nothing_new);
    tcase_add_test(tests, a_size_that_no_version_had_is_refused);
}
