/* probe_lease_record.c - lines of leases: numbers, texts, what is none. */
#include "support/unit.h"

#include "probe/lease_record.h"

#include <stdio.h>
#include <string.h>

static sbx_lease_list *list;

static void read_text(const char *text)
{
    sbx_error err = {0};

    sbx_lease_list_free(list);
    list = NULL;
    ck_assert_msg(sbi_lease_list_read(text, strlen(text), "lab", &list, &err) == SBX_OK,
                  "%s", err.text);
}

static void clear(void)
{
    sbx_lease_list_free(list);
    list = NULL;
}

START_TEST(a_line_is_a_lease_with_its_texts)
{
    read_text("live 1000 4711 0 1700000000 1700000009 ann GPU-1 the  night run\n"
              "expired 7 0 5 4 4 7 0000:65:00.0 \nmine 1000\n");
    ck_assert_uint_eq(list->count, 2);
    ck_assert_str_eq(list->place, "lab");
    ck_assert_int_eq(list->items[0].state, SBX_LEASE_LIVE);
    ck_assert_int_eq(list->items[0].uid, 1000);
    ck_assert_int_eq(list->items[0].pid, 4711);
    ck_assert_int_eq(list->items[0].expires_at_s, 0);
    ck_assert_int_eq(list->items[0].taken_at_s, 1700000000);
    ck_assert_int_eq(list->items[0].renewed_at_s, 1700000009);
    ck_assert_str_eq(list->items[0].user, "ann");
    ck_assert_str_eq(list->items[0].gpu, "GPU-1");
    ck_assert_str_eq(list->items[0].purpose, "the  night run");
    ck_assert_int_eq(list->items[0].mine, 1);
    ck_assert_int_eq(list->items[1].state, SBX_LEASE_EXPIRED);
    ck_assert_str_eq(list->items[1].purpose, "");
    ck_assert_int_eq(list->items[1].mine, 0);
}
END_TEST

START_TEST(what_is_no_lease_is_passed_over)
{
    read_text("\nlive\nlive 1\nlive 1 2 3 4 5 ann\nlife 1 2 3 4 5 ann GPU-1\n"
              "live x 2 3 4 5 ann GPU-1\nlive 1 2 3 4 99999999999999999999 ann GPU-1\n"
              "unknown x 2 3 4 5 ann GPU-1\nlive 1 2 3 4 5 ann GPU-2");
    ck_assert_uint_eq(list->count, 1);
    ck_assert_str_eq(list->items[0].gpu, "GPU-2");
}
END_TEST

START_TEST(of_one_that_is_not_understood_the_numbers_may_be_anything)
{
    read_text("unknown 9 x - 0 0 ann GPU-1\n");
    ck_assert_uint_eq(list->count, 1);
    ck_assert_int_eq(list->items[0].state, SBX_LEASE_UNKNOWN);
    ck_assert_int_eq(list->items[0].uid, 9);
    ck_assert_str_eq(list->items[0].gpu, "GPU-1");
}
END_TEST

START_TEST(a_host_has_so_many_and_no_more)
{
    static char text[SBI_LEASE_MOST * 64];
    size_t used = 0;
    int i;

    for (i = 0; i < SBI_LEASE_MOST + 5; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "live 1 0 1 1 1 a G%d\n", i);
    read_text(text);
    ck_assert_uint_eq(list->count, SBI_LEASE_MOST);
}
END_TEST

START_TEST(states_have_names)
{
    ck_assert_str_eq(sbx_lease_state_name(SBX_LEASE_GONE), "gone");
    ck_assert_str_eq(sbx_lease_state_name(0), "unknown");
    ck_assert_str_eq(sbx_lease_state_name(99), "unknown");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, a_line_is_a_lease_with_its_texts);
    tcase_add_test(tests, what_is_no_lease_is_passed_over);
    tcase_add_test(tests, of_one_that_is_not_understood_the_numbers_may_be_anything);
    tcase_add_test(tests, a_host_has_so_many_and_no_more);
    tcase_add_test(tests, states_have_names);
}
