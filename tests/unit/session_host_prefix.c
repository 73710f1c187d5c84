/* session_host_prefix.c - tests of places that stand on other places. */
#include "support/unit.h"

#include "base/str.h"
#include "session/host.h"
#include "session/host_prefix.h"

#include <string.h>

static int parse(const char *json, sbx_hosts **out, sbx_error *err)
{
    return sbx_hosts_parse(json, strlen(json),
                           &SBX_OPTS(sbx_hosts_opts, .ssh_config = "none"), out, err);
}

static const char chain[] =
    "[{\"name\":\"gpu1\",\"host\":\"192.0.2.1\"},"
    "{\"name\":\"box\",\"on\":\"gpu1\",\"prefix\":[\"docker\",\"exec\",\"-i\",\"box\"],"
    "\"prefix_pty\":[\"docker\",\"exec\",\"-it\",\"box\"],\"cwd\":\"/w\",\"tags\":[\"c\"]},"
    "{\"name\":\"root\",\"on\":\"box\",\"prefix\":[\"sudo\",\"-n\"]},"
    "{\"name\":\"near\",\"prefix\":[\"env\",\"A=1 2\"]}]";

static void expect_words(char *const *words, const char *joined)
{
    SBI_AUTO_STR text = {0};

    for (; words != NULL && *words != NULL; words++)
        sbi_str_addf(&text, "%s|", *words);
    ck_assert_str_eq(text.data, joined);
}

START_TEST(the_words_of_all_places_stand_in_a_row)
{
    sbx_hosts *hosts = NULL;
    const sbx_host *host = NULL, *base = NULL;
    struct sbi_host_prefix prefix = {0};
    sbx_error err = {0};

    ck_assert_msg(parse(chain, &hosts, &err) == SBX_OK, "%s", err.text);
    ck_assert_int_eq(sbx_hosts_get(hosts, "root", &host, NULL), SBX_OK);
    ck_assert_int_eq(host->kind, SBX_HOST_PREFIX);
    ck_assert_str_eq(host->on, "box");
    ck_assert_ptr_null(host->address);
    ck_assert_int_eq(sbi_host_prefix(hosts, host, &prefix, &base, NULL), SBX_OK);
    expect_words(prefix.words, "docker|exec|-i|box|sudo|-n|");
    expect_words(prefix.terminal, "docker|exec|-it|box|sudo|-n|");
    ck_assert_str_eq(prefix.on, "box");
    ck_assert_str_eq(prefix.own, "sudo -n");
    ck_assert_str_eq(base->name, "gpu1");
    sbi_host_prefix_clear(&prefix);
    sbx_hosts_free(hosts);
}
END_TEST

START_TEST(a_place_of_its_own_has_no_prefix)
{
    static const char *const names[] = {"local", "gpu1", "ada@gpu1"};
    sbx_hosts *hosts = NULL;
    const sbx_host *host = NULL, *base = NULL;
    size_t i;

    ck_assert_int_eq(parse(chain, &hosts, NULL), SBX_OK);
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct sbi_host_prefix prefix = {0};

        ck_assert_int_eq(sbx_hosts_get(hosts, names[i], &host, NULL), SBX_OK);
        ck_assert_int_eq(sbi_host_prefix(hosts, host, &prefix, &base, NULL), SBX_OK);
        ck_assert_ptr_null(prefix.words);
        ck_assert_ptr_eq(base, host);
        ck_assert_ptr_null(host->prefix);
    }
    sbx_hosts_free(hosts);
}
END_TEST

START_TEST(without_on_it_stands_on_this_machine_and_shows_so)
{
    sbx_hosts *hosts = NULL;
    const sbx_host *host = NULL;
    char *json;

    ck_assert_int_eq(parse(chain, &hosts, NULL), SBX_OK);
    ck_assert_int_eq(sbx_hosts_get(hosts, "near", &host, NULL), SBX_OK);
    ck_assert_str_eq(host->on, "local");
    json = sbx_host_json(hosts, host);
    ck_assert_str_eq(json, "{\"name\":\"near\",\"kind\":\"prefix\",\"source\":\"list\","
                           "\"tags\":[],\"secrets\":[],\"on\":\"local\","
                           "\"prefix\":[\"env\",\"A=1 2\"],\"cwd\":null,\"shell\":null,"
                           "\"env\":[]}");
    sbx_free(json);
    ck_assert_int_eq(sbx_hosts_get(hosts, "ada@near", &host, NULL), SBX_ERR_INVALID);
    sbx_hosts_free(hosts);
}
END_TEST

START_TEST(places_that_stand_on_one_another_in_a_circle_are_refused)
{
    static const struct {
        const char *json, *says;
    } rows[] = {
        {"[{\"name\":\"a\",\"on\":\"a\",\"prefix\":[\"x\"]}]",
         "entry 'a': key 'on' leads back to it: a, a"},
        {"[{\"name\":\"z\",\"on\":\"a\",\"prefix\":[\"x\"]},"
         "{\"name\":\"a\",\"on\":\"b\",\"prefix\":[\"x\"]},"
         "{\"name\":\"b\",\"on\":\"c\",\"prefix\":[\"x\"]},"
         "{\"name\":\"c\",\"on\":\"a\",\"prefix\":[\"x\"]}]",
         "entry 'a': key 'on' leads back to it: a, b, c, a"},
    };
    sbx_hosts *hosts = NULL;
    sbx_error err;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_int_eq(parse(rows[i].json, &hosts, &err), SBX_ERR_CONFIG);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "%s", err.text);
        ck_assert_ptr_null(hosts);
    }
}
END_TEST

START_TEST(the_kinds_of_places_have_names)
{
    ck_assert_str_eq(sbx_host_kind_name(SBX_HOST_LOCAL), "local");
    ck_assert_str_eq(sbx_host_kind_name(SBX_HOST_SSH), "ssh");
    ck_assert_str_eq(sbx_host_kind_name(SBX_HOST_PREFIX), "prefix");
    ck_assert_str_eq(sbx_host_kind_name(0), "unknown");
    ck_assert_str_eq(sbx_host_kind_name(4), "unknown");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, the_words_of_all_places_stand_in_a_row);
    tcase_add_test(tests, a_place_of_its_own_has_no_prefix);
    tcase_add_test(tests, without_on_it_stands_on_this_machine_and_shows_so);
    tcase_add_test(tests, places_that_stand_on_one_another_in_a_circle_are_refused);
    tcase_add_test(tests, the_kinds_of_places_have_names);
}
