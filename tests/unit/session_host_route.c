/* session_host_route.c - tests of the jump hosts on the way to a host. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "session/host.h"
#include "session/host_route.h"

#include <stdio.h>
#include <string.h>

static const char list[] = "[{\"name\":\"near\",\"prefix\":[\"env\",\"A=1\"]},"
                           "{\"name\":\"gate\",\"host\":\"192.0.2.7\",\"port\":2222,"
                           "\"user\":\"ada\",\"jump\":\"first\"},"
                           "{\"name\":\"one\",\"jump\":\"two\"},"
                           "{\"name\":\"two\",\"jump\":\"one\"}]";

static sbx_hosts *hosts;

static void parse_hosts(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_error err = {0};

    ck_assert_msg(sbx_hosts_parse(list, strlen(list), &opts, &hosts, &err) == SBX_OK,
                  "%s", err.text);
}

static void free_hosts(void)
{
    sbx_hosts_free(hosts);
}

/* The way to `end` if ssh_config's ProxyJump is that. */
static int route(const char *jump, struct sbi_ssh_target **out, sbx_error *err)
{
    const sbx_host *host = NULL;
    int rc = sbx_hosts_get(hosts, "end", &host, err);

    if (rc == SBX_OK)
        rc = sbi_host_target(hosts, host, out, err);
    if (rc < 0)
        return rc;
    (*out)->options->proxy_jump = strdup(jump);
    return sbi_host_route(hosts, *out, err);
}

static void add_way(struct sbi_str *text, const struct sbi_ssh_target *target)
{
    if (target->jump != NULL)
        add_way(text, target->jump);
    sbi_str_addf(text, "%s:%d ", target->options->hostname, target->options->port);
}

START_TEST(hops_are_passed_in_the_order_that_they_are_named_in)
{
    static const struct {
        const char *jump, *way;
    } rows[] = {
        {"a", "a:22 end:22 "},
        {"a:7", "a:7 end:22 "},
        {"ssh://bob@a:7", "a:7 end:22 "},
        {"[2001:db8::1]", "2001:db8::1:22 end:22 "},
        {"bob@[2001:db8::1]:8", "2001:db8::1:8 end:22 "},
        {"2001:db8::1", "2001:db8::1:22 end:22 "},
        {"a,b:7", "a:22 b:7 end:22 "},
        {"gate,b", "first:22 192.0.2.7:2222 b:22 end:22 "},
        {"b,gate", "b:22 192.0.2.7:2222 end:22 "},
        {"socks5://p:9,a", "a:22 end:22 "},
    };
    struct sbi_ssh_target *target = NULL;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SBI_AUTO_STR way = {0};

        ck_assert_msg(route(rows[i].jump, &target, &err) == SBX_OK, "%s", err.text);
        add_way(&way, target);
        ck_assert_str_eq(way.data, rows[i].way);
        sbi_ssh_target_free(target);
    }
}
END_TEST

START_TEST(a_user_before_a_hop_is_that_hops)
{
    struct sbi_ssh_target *target = NULL;

    ck_assert_int_eq(route("bob@a,b", &target, NULL), SBX_OK);
    ck_assert_str_eq(target->jump->jump->options->user, "bob");
    ck_assert_str_ne(target->jump->options->user, "bob");
    sbi_ssh_target_free(target);
}
END_TEST

START_TEST(what_is_no_hop_is_named_and_a_circle_ends)
{
    static const struct {
        const char *jump, *says;
    } rows[] = {
        {"[::1", "jump host '[::1': it takes [user@]host[:port]"},
        {"[::1]x", "it takes [user@]host[:port]"},
        {"a:0", "it takes [user@]host[:port]"},
        {"a:65536", "it takes [user@]host[:port]"},
        {"a:x", "it takes [user@]host[:port]"},
        {"bob@", "it takes [user@]host[:port]"},
        {":22", "it takes [user@]host[:port]"},
        {"near", "jump host 'near': it is no SSH server"},
        {"local", "it is no SSH server"},
        {"one", "they lead in a circle"},
    };
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_ssh_target *target = NULL;

        ck_assert_int_eq(route(rows[i].jump, &target, &err), SBX_ERR_CONFIG);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "%s: %s", rows[i].jump,
                      err.text);
        sbi_ssh_target_free(target);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, parse_hosts, free_hosts);
    tcase_add_test(tests, hops_are_passed_in_the_order_that_they_are_named_in);
    tcase_add_test(tests, a_user_before_a_hop_is_that_hops);
    tcase_add_test(tests, what_is_no_hop_is_named_and_a_circle_ends);
}
