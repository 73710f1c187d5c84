/* session_forward.c - tests of forwards that cannot be. */
#include "support/unit.h"

#include <sandbox/forward.h>

#include <string.h>

static const char list[] = "[{\"name\":\"near\",\"prefix\":[\"env\",\"A=1\"]}]";

static sbx_pool *pool;

static void make_pool(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_hosts *hosts = NULL;

    ck_assert_int_eq(sbx_hosts_parse(list, strlen(list), &opts, &hosts, NULL), SBX_OK);
    ck_assert_int_eq(sbx_pool_new(hosts, NULL, &pool, NULL), SBX_OK);
    sbx_hosts_free(hosts);
}

static void free_pool(void)
{
    sbx_pool_free(pool);
}

START_TEST(what_makes_no_forward_is_refused_before_anything_is_opened)
{
    static const struct {
        const char *place, *text;
        int kind;
        sbx_forward_opts opts;
    } rows[] = {
        {NULL, "0", SBX_FORWARD_SOCKS, {0}},
        {"local", NULL, SBX_FORWARD_SOCKS, {0}},
        {"local", "0", SBX_FORWARD_LOCAL - 1, {0}},
        {"local", "0", SBX_FORWARD_SOCKS + 1, {0}},
        {"local", "0", SBX_FORWARD_SOCKS, {.connect_timeout_ms = -1}},
        {"local", "0", SBX_FORWARD_SOCKS, {.most = -1}},
        {"local", "0", SBX_FORWARD_SOCKS, {.most = 4097}},
        {"local", "x", SBX_FORWARD_SOCKS, {0}},
        {"local", "0", SBX_FORWARD_LOCAL, {0}},
    };
    sbx_forward *forward = NULL;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sbx_forward_opts opts = rows[i].opts;

        opts.size = sizeof(opts);
        ck_assert_int_eq(sbx_forward_open(pool, rows[i].place, rows[i].kind, rows[i].text,
                                          &opts, &forward, &err),
                         SBX_ERR_INVALID);
    }
    ck_assert_int_eq(
        sbx_forward_open(NULL, "local", SBX_FORWARD_SOCKS, "0", NULL, &forward, &err),
        SBX_ERR_INVALID);
    ck_assert_ptr_null(forward);
}
END_TEST

START_TEST(a_place_without_an_ssh_server_says_where_else_to_ask)
{
    static const struct {
        const char *place, *fix;
    } rows[] = {
        {"local", "name a place that is reached over SSH"},
        {"near", "forward on the place that it stands on: 'local'"},
    };
    sbx_forward *forward = NULL;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_int_eq(sbx_forward_open(pool, rows[i].place, SBX_FORWARD_SOCKS, "0",
                                          NULL, &forward, &err),
                         SBX_ERR_UNSUPPORTED);
        ck_assert_str_eq(err.fix, rows[i].fix);
    }
    ck_assert_ptr_null(forward);
}
END_TEST

START_TEST(what_never_was_is_freed_and_every_kind_has_a_name)
{
    sbx_forward_free(NULL);
    sbx_forward_info_free(NULL);
    ck_assert_str_eq(sbx_forward_kind_name(SBX_FORWARD_LOCAL), "local");
    ck_assert_str_eq(sbx_forward_kind_name(SBX_FORWARD_REMOTE), "remote");
    ck_assert_str_eq(sbx_forward_kind_name(SBX_FORWARD_SOCKS), "socks");
    ck_assert_ptr_nonnull(sbx_forward_kind_name(0));
    ck_assert_ptr_nonnull(sbx_forward_kind_name(99));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_pool, free_pool);
    tcase_add_test(tests, what_makes_no_forward_is_refused_before_anything_is_opened);
    tcase_add_test(tests, a_place_without_an_ssh_server_says_where_else_to_ask);
    tcase_add_test(tests, what_never_was_is_freed_and_every_kind_has_a_name);
}
