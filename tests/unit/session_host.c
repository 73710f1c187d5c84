/* session_host.c - tests of a set of hosts: what is known, what a word becomes. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "base/path.h"
#include "session/host.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char folder[64], config_file[128], list_file[128];
static sbx_hosts *hosts;

static const char config_text[] = "Host gpu1\n  Hostname 10.9.9.9\n  User carol\n"
                                  "Host gpu2 *.lab\n  Hostname 10.0.0.2\n  Port 2022\n"
                                  "  ProxyJump hop\n  StrictHostKeyChecking yes\n"
                                  "Host local\n  Hostname far\n"
                                  "Host 10.0.0.1\n  User ada\n  ProxyCommand nc %h %p\n"
                                  "Host *\n  Port 2222\n";

static void write_file(const char *path, const char *text)
{
    ck_assert_int_eq(sbi_path_write(path, text, strlen(text), 0600, NULL), SBX_OK);
}

static void set_up(void)
{
    static const char *const variables[] = {"REMOTE_SANDBOX_LIST",   "REMOTE_HOST",
                                            "REMOTE_NAME",           "REMOTE_PORT",
                                            "REMOTE_USER",           "REMOTE_PASSWORD",
                                            "REMOTE_KEY_PASSPHRASE", "REMOTE_KEY_FILE"};
    size_t i;

    (void)snprintf(folder, sizeof(folder), "/tmp/sbx-host-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(config_file, sizeof(config_file), "%s/config", folder);
    (void)snprintf(list_file, sizeof(list_file), "%s/hosts.json", folder);
    write_file(config_file, config_text);
    (void)setenv("XDG_CONFIG_HOME", folder, 1);
    for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        (void)unsetenv(variables[i]);
    hosts = NULL;
}

static void tear_down(void)
{
    sbx_hosts_free(hosts);
    (void)unlink(config_file);
    (void)unlink(list_file);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void parse(const char *json)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = config_file};
    sbx_error err;

    ck_assert_msg(sbx_hosts_parse(json, strlen(json), &opts, &hosts, &err) == SBX_OK,
                  "%s", err.text);
}

static int load(sbx_error *err)
{
    return sbx_hosts_load(
        &SBX_OPTS(sbx_hosts_opts, .list_file = list_file, .ssh_config = config_file),
        &hosts, err);
}

static const sbx_host *get(const char *name)
{
    const sbx_host *host = NULL;
    sbx_error err;

    ck_assert_msg(sbx_hosts_get(hosts, name, &host, &err) == SBX_OK, "%s", err.text);
    ck_assert_str_eq(host->name, name);
    return host;
}

START_TEST(local_comes_first_then_the_list_then_ssh_config)
{
    static const char *const names[] = {"local", "b", "gpu1", "gpu2", "10.0.0.1"};
    static const int sources[] = {SBX_HOST_BUILTIN, SBX_HOST_LIST, SBX_HOST_LIST,
                                  SBX_HOST_SSH_CONFIG, SBX_HOST_SSH_CONFIG};
    size_t i;

    parse("[{\"name\":\"b\"},{\"name\":\"gpu1\",\"host\":\"10.0.0.1\"}]");
    ck_assert_uint_eq(sbx_hosts_count(hosts), 5);
    for (i = 0; i < 5; i++) {
        ck_assert_str_eq(sbx_hosts_at(hosts, i)->name, names[i]);
        ck_assert_int_eq(sbx_hosts_at(hosts, i)->source, sources[i]);
        ck_assert_ptr_eq(sbx_hosts_at(hosts, i), get(names[i]));
    }
    ck_assert_ptr_null(sbx_hosts_at(hosts, 5));
}
END_TEST

START_TEST(this_machine_has_no_ssh_fields_and_no_login)
{
    struct sbi_ssh_target *target = NULL;
    const sbx_host *local;

    parse("[]");
    local = get("local");
    ck_assert_int_eq(local->kind, SBX_HOST_LOCAL);
    ck_assert_ptr_null(local->address);
    ck_assert_ptr_null(local->user);
    ck_assert_int_eq(local->port, 0);
    ck_assert_ptr_null(local->tags[0]);
    ck_assert_int_eq(sbi_host_target(hosts, local, &target, NULL), SBX_ERR_INVALID);
    ck_assert_ptr_null(target);
}
END_TEST

START_TEST(what_an_entry_leaves_unsaid_ssh_config_says_of_its_host)
{
    const sbx_host *host;

    parse(
        "[{\"name\":\"gpu1\",\"host\":\"10.0.0.1\"},"
        "{\"name\":\"c\",\"host\":\"gpu2\",\"port\":7,\"user\":\"bob\",\"jump\":\"a,b\"},"
        "{\"name\":\"d\",\"host\":\"gpu2\",\"jump\":\"none\"}]");
    host = get("gpu1");
    ck_assert_str_eq(host->address, "10.0.0.1");
    ck_assert_str_eq(host->user, "ada");
    ck_assert_int_eq(host->port, 2222);
    ck_assert_ptr_null(host->jump);
    host = get("c");
    ck_assert_str_eq(host->address, "10.0.0.2");
    ck_assert_str_eq(host->user, "bob");
    ck_assert_int_eq(host->port, 7);
    ck_assert_str_eq(host->jump, "a,b");
    ck_assert_ptr_null(get("d")->jump);
    ck_assert_str_eq(get("gpu2")->jump, "hop");
}
END_TEST

START_TEST(a_word_in_no_list_is_a_host_as_ssh_takes_it)
{
    const sbx_host *host;

    parse("[]");
    host = get("x.lab");
    ck_assert_int_eq(host->source, SBX_HOST_NAME);
    ck_assert_str_eq(host->address, "10.0.0.2");
    ck_assert_int_eq(host->port, 2022);
    ck_assert_ptr_eq(host, get("x.lab"));
    host = get("eve@elsewhere");
    ck_assert_str_eq(host->address, "elsewhere");
    ck_assert_str_eq(host->user, "eve");
    ck_assert_str_eq(get("eve@gpu1")->address, "10.9.9.9");
    ck_assert_str_eq(get("::1")->address, "::1");
    ck_assert_uint_eq(sbx_hosts_count(hosts), 4);
}
END_TEST

START_TEST(another_user_of_a_listed_host_gets_its_keys_but_no_password)
{
    struct sbi_ssh_target *target = NULL;

    parse("[{\"name\":\"a\",\"host\":\"10.0.0.7\",\"user\":\"bob\",\"password\":\"x\","
          "\"key_file\":\"/k\",\"host_key\":\"SHA256:y\"}]");
    ck_assert_str_eq(get("root@a")->address, "10.0.0.7");
    ck_assert_int_eq(sbi_host_target(hosts, get("root@a"), &target, NULL), SBX_OK);
    ck_assert_str_eq(target->options->user, "root");
    ck_assert_ptr_null(target->password);
    ck_assert_str_eq(target->key_file, "/k");
    ck_assert_str_eq(target->host_key, "SHA256:y");
    sbi_ssh_target_free(target);
    ck_assert_int_eq(sbi_host_target(hosts, get("bob@a"), &target, NULL), SBX_OK);
    ck_assert_str_eq(target->password, "x");
    sbi_ssh_target_free(target);
}
END_TEST

START_TEST(a_place_and_a_name_are_a_computer_behind_a_prefix)
{
    const sbx_host *host, *again;

    parse(
        "[{\"name\":\"a\",\"tags\":[\"lab\"],\"env\":{\"DOCKER_HOST\":\"unix:///x\",\"SECRET\":\"y\"}}]");
    host = get("a/box");
    ck_assert_str_eq(host->name, "a/box");
    ck_assert_int_eq(host->kind, SBX_HOST_PREFIX);
    ck_assert_str_eq(host->on, "a");
    ck_assert_str_eq(host->prefix[0], "env");
    ck_assert_str_eq(host->prefix[1], "DOCKER_HOST=unix:///x");
    ck_assert_str_eq(host->prefix[2], "/bin/sh");
    ck_assert_str_eq(host->prefix[6], "box");
    ck_assert_ptr_null(host->prefix[8]);
    again = get("a/box");
    ck_assert_ptr_eq(host, again);
    ck_assert_str_eq(get("root@b/box")->on, "root@b");
    ck_assert_str_eq(get("a/box/inner")->on, "a/box");
    ck_assert_str_eq(get("a/box/inner")->prefix[1], "/bin/sh");
    ck_assert_str_eq(host->tags[0], "lab");
    ck_assert_str_eq(get("a/box/inner")->tags[0], "lab");
    ck_assert_str_eq(get("root@a/box")->tags[0], "lab");
    ck_assert_ptr_null(get("b/box")->tags[0]);
}
END_TEST

START_TEST(a_word_that_cannot_be_a_place_is_refused)
{
    static const char *const bad[] = {
        "",       "-v",  "a b",  "a\n",   "a/B",   "a,b",  "@a",   "u@",     "u@-o",
        "local/", "a;b", "$(x)", "a`b`",  "u v@a", "\x7f", "a|b",  "-u@h",   "root@local",
        "/a",     "a/",  "a/-b", "a/b_c", "a/b/",  "-a/b", "@a/b", "a/b/c/D"};
    const sbx_host *host = NULL;
    sbx_error err;
    size_t i;

    parse("[]");
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_msg(sbx_hosts_get(hosts, bad[i], &host, &err) == SBX_ERR_INVALID, "%s",
                      bad[i]);
        ck_assert_ptr_null(host);
    }
    ck_assert_int_eq(sbx_hosts_get(hosts, NULL, &host, NULL), SBX_ERR_INVALID);
}
END_TEST

START_TEST(a_target_holds_what_it_takes_to_log_in)
{
    struct sbi_ssh_target *target = NULL;

    (void)setenv("HOME", "/h", 1);
    parse("{\"name\":\"a\",\"host\":\"10.0.0.1\",\"password\":\"p\",\"key_file\":\"~/k\","
          "\"key_passphrase\":\"q\",\"password_command\":\"c\",\"password_file\":\"~/f\","
          "\"host_key_policy\":\"strict\",\"jump\":\"u@h:1,i\",\"connect_timeout\":2.5,"
          "\"keepalive\":7}");
    ck_assert_int_eq(sbi_host_target(hosts, get("a"), &target, NULL), SBX_OK);
    ck_assert_str_eq(target->place, "a");
    ck_assert_str_eq(target->password, "p");
    ck_assert_str_eq(target->key_file, "/h/k");
    ck_assert_str_eq(target->key_passphrase, "q");
    ck_assert_str_eq(target->password_command, "c");
    ck_assert_str_eq(target->password_file, "/h/f");
    ck_assert_int_eq(target->options->strict_host_key, SBI_STRICT_YES);
    ck_assert_str_eq(target->options->proxy_jump, "u@h:1,i");
    ck_assert_ptr_null(target->options->proxy_command);
    ck_assert_int_eq(target->connect_timeout_ms, 2500);
    ck_assert_int_eq(target->keepalive_ms, 7000);
    sbi_ssh_target_free(target);
}
END_TEST

START_TEST(defaults_are_copies_and_absent_ones_are_null)
{
    struct sbi_host_defaults defaults = {0};

    parse(
        "[{\"name\":\"a\",\"env\":{\"X\":\"1\"},\"cwd\":\"/w\",\"shell\":\"/bin/zsh\"}]");
    ck_assert_int_eq(sbi_host_defaults(hosts, get("u@a"), &defaults, NULL), SBX_OK);
    ck_assert_str_eq(defaults.env[0], "X=1");
    ck_assert_str_eq(defaults.cwd, "/w");
    ck_assert_str_eq(defaults.shell, "/bin/zsh");
    sbi_host_defaults_clear(&defaults);
    ck_assert_int_eq(sbi_host_defaults(hosts, get("local"), &defaults, NULL), SBX_OK);
    ck_assert_ptr_null(defaults.env);
    ck_assert_ptr_null(defaults.cwd);
    ck_assert_ptr_null(defaults.shell);
}
END_TEST

START_TEST(hosts_are_found_by_tag_in_their_order)
{
    const sbx_host *const *found = NULL;
    size_t count = 9;

    parse("[{\"name\":\"a\",\"tags\":[\"gpu\",\"eu\"]},{\"name\":\"b\"},"
          "{\"name\":\"c\",\"tags\":[\"gpu\"]}]");
    ck_assert_int_eq(sbx_hosts_tagged(hosts, "gpu", &found, &count, NULL), SBX_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(found[0]->name, "a");
    ck_assert_str_eq(found[1]->name, "c");
    ck_assert_int_eq(found[1]->port, 2222);
    ck_assert_int_eq(sbx_hosts_tagged(hosts, "gpu", &found, &count, NULL), SBX_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(sbx_hosts_tagged(hosts, "none", &found, &count, NULL), SBX_OK);
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(the_nearest_known_name_is_told)
{
    parse("[{\"name\":\"trainer\"}]");
    ck_assert_str_eq(sbx_hosts_nearest(hosts, "tariner"), "trainer");
    ck_assert_str_eq(sbx_hosts_nearest(hosts, "locla"), "local");
    ck_assert_str_eq(sbx_hosts_nearest(hosts, "gpu22"), "gpu2");
    ck_assert_ptr_null(sbx_hosts_nearest(hosts, "banana"));
}
END_TEST

START_TEST(json_shows_what_would_be_used_and_no_secret)
{
    SBI_AUTOFREE char *text = NULL;
    SBI_AUTO_JSON json = NULL;
    cJSON *found;

    parse("[{\"name\":\"a\",\"host\":\"gpu2\",\"user\":\"bob\",\"tags\":[\"t\"],"
          "\"password\":\"hunter2\",\"key_passphrase\":\"hunter2\",\"key_file\":\"/k\","
          "\"env\":{\"TOKEN\":\"hunter2\"},\"connect_timeout\":1.5}]");
    text = sbx_host_json(hosts, get("a"));
    ck_assert_ptr_null(strstr(text, "hunter2"));
    ck_assert_int_eq(sbi_json_parse(text, strlen(text), &json, NULL), SBX_OK);
    ck_assert_ptr_nonnull(strstr(text,
                                 "{\"name\":\"a\",\"kind\":\"ssh\",\"source\":\"list\","
                                 "\"tags\":[\"t\"],\"secrets\":[\"password\","
                                 "\"key_passphrase\"],\"hostname\":\"10.0.0.2\","
                                 "\"user\":\"bob\",\"port\":2022"));
    ck_assert_ptr_nonnull(strstr(text, "\"proxyjump\":\"hop\""));
    ck_assert_ptr_nonnull(strstr(text, "\"stricthostkeychecking\":\"yes\""));
    ck_assert_ptr_nonnull(strstr(text, "\"connecttimeout\":1.5"));
    found = cJSON_GetObjectItemCaseSensitive(json, "identityfile");
    ck_assert_str_eq(cJSON_GetArrayItem(found, 0)->valuestring, "/k");
}
END_TEST

START_TEST(json_of_this_machine_is_short)
{
    SBI_AUTOFREE char *text = NULL;

    parse("[]");
    text = sbx_host_json(hosts, get("local"));
    ck_assert_str_eq(text,
                     "{\"name\":\"local\",\"kind\":\"local\",\"source\":\"builtin\","
                     "\"tags\":[],\"secrets\":[]}");
}
END_TEST

START_TEST(the_file_wins_over_the_environment_and_both_over_ssh_config)
{
    write_file(list_file, "[{\"name\":\"gpu1\",\"user\":\"file\"}]");
    (void)setenv(
        "REMOTE_SANDBOX_LIST",
        "[{\"name\":\"gpu1\",\"user\":\"env\"},{\"name\":\"gpu2\",\"user\":\"env\"}]", 1);
    (void)setenv("REMOTE_HOST", "ignored", 1);
    ck_assert_int_eq(load(NULL), SBX_OK);
    ck_assert_uint_eq(sbx_hosts_count(hosts), 4);
    ck_assert_str_eq(get("gpu1")->user, "file");
    ck_assert_int_eq(get("gpu1")->source, SBX_HOST_LIST);
    ck_assert_str_eq(get("gpu2")->user, "env");
    ck_assert_int_eq(get("gpu2")->source, SBX_HOST_ENVIRONMENT);
}
END_TEST

START_TEST(one_host_is_told_by_variables)
{
    struct sbi_ssh_target *target = NULL;

    write_file(list_file, "[]");
    (void)setenv("REMOTE_HOST", "10.1.1.1", 1);
    (void)setenv("REMOTE_PORT", "2200", 1);
    (void)setenv("REMOTE_USER", "dan", 1);
    (void)setenv("REMOTE_PASSWORD", "pw", 1);
    (void)setenv("REMOTE_KEY_FILE", "/k", 1);
    (void)setenv("REMOTE_KEY_PASSPHRASE", "kp", 1);
    (void)setenv("REMOTE_NAME", "", 1);
    ck_assert_int_eq(load(NULL), SBX_OK);
    ck_assert_int_eq(get("10.1.1.1")->source, SBX_HOST_ENVIRONMENT);
    ck_assert_int_eq(get("10.1.1.1")->port, 2200);
    ck_assert_int_eq(sbi_host_target(hosts, get("10.1.1.1"), &target, NULL), SBX_OK);
    ck_assert_str_eq(target->password, "pw");
    ck_assert_str_eq(target->key_file, "/k");
    ck_assert_str_eq(target->key_passphrase, "kp");
    sbi_ssh_target_free(target);
    sbx_hosts_free(hosts);

    (void)setenv("REMOTE_NAME", "box", 1);
    ck_assert_int_eq(load(NULL), SBX_OK);
    ck_assert_str_eq(get("box")->address, "10.1.1.1");
}
END_TEST

START_TEST(variables_that_make_no_host_are_an_error)
{
    static const char *const ports[] = {"0", "65536", "22x",
                                        "x", "-1",    "99999999999999999999"};
    sbx_error err;
    size_t i;

    write_file(list_file, "[]");
    (void)setenv("REMOTE_HOST", "h", 1);
    for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
        (void)setenv("REMOTE_PORT", ports[i], 1);
        ck_assert_int_eq(load(&err), SBX_ERR_CONFIG);
        ck_assert_ptr_nonnull(strstr(err.text, "host of REMOTE_HOST: key 'port'"));
    }
    (void)setenv("REMOTE_SANDBOX_LIST", "[{]", 1);
    ck_assert_int_eq(load(&err), SBX_ERR_CONFIG);
    ck_assert_ptr_nonnull(strstr(err.text, "REMOTE_SANDBOX_LIST: line 1"));
    ck_assert_ptr_null(hosts);
}
END_TEST

START_TEST(a_named_list_must_be_there_but_the_users_own_need_not)
{
    sbx_error err = {.code = 5};
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};

    ck_assert_int_eq(load(NULL), SBX_ERR_NOT_FOUND);
    ck_assert_int_eq(sbx_hosts_load(&opts, &hosts, &err), SBX_OK);
    ck_assert_int_eq(err.code, 5);
    ck_assert_uint_eq(sbx_hosts_count(hosts), 1);
}
END_TEST

START_TEST(a_set_lives_until_its_last_holder)
{
    sbx_hosts *second;

    parse("[]");
    second = sbi_hosts_hold(hosts);
    sbx_hosts_free(second);
    ck_assert_str_eq(get("local")->name, "local");
    sbx_hosts_free(NULL);
}
END_TEST

static void *ask_all(void *userdata)
{
    const sbx_host *const *tagged;
    const sbx_host *host;
    char word[32];
    size_t count, i;

    for (i = 0; i < 200; i++) {
        (void)snprintf(word, sizeof(word), "u@h%zu", i % 50);
        if (sbx_hosts_get(hosts, word, &host, NULL) < 0 || host->address[0] != 'h')
            return userdata;
        if (sbx_hosts_at(hosts, 1 + i % 4)->port == 0)
            return userdata;
        if (sbx_hosts_tagged(hosts, "t", &tagged, &count, NULL) < 0 || count != 1)
            return userdata;
    }
    return NULL;
}

START_TEST(many_threads_ask_one_set)
{
    pthread_t threads[4];
    void *failed;
    int i;

    parse("[{\"name\":\"a\",\"tags\":[\"t\"]}]");
    for (i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_all, &threads), 0);
    for (i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, local_comes_first_then_the_list_then_ssh_config);
    tcase_add_test(tests, this_machine_has_no_ssh_fields_and_no_login);
    tcase_add_test(tests, what_an_entry_leaves_unsaid_ssh_config_says_of_its_host);
    tcase_add_test(tests, a_word_in_no_list_is_a_host_as_ssh_takes_it);
    tcase_add_test(tests, another_user_of_a_listed_host_gets_its_keys_but_no_password);
    tcase_add_test(tests, a_place_and_a_name_are_a_computer_behind_a_prefix);
    tcase_add_test(tests, a_word_that_cannot_be_a_place_is_refused);
    tcase_add_test(tests, a_target_holds_what_it_takes_to_log_in);
    tcase_add_test(tests, defaults_are_copies_and_absent_ones_are_null);
    tcase_add_test(tests, hosts_are_found_by_tag_in_their_order);
    tcase_add_test(tests, the_nearest_known_name_is_told);
    tcase_add_test(tests, json_shows_what_would_be_used_and_no_secret);
    tcase_add_test(tests, json_of_this_machine_is_short);
    tcase_add_test(tests, the_file_wins_over_the_environment_and_both_over_ssh_config);
    tcase_add_test(tests, one_host_is_told_by_variables);
    tcase_add_test(tests, variables_that_make_no_host_are_an_error);
    tcase_add_test(tests, a_named_list_must_be_there_but_the_users_own_need_not);
    tcase_add_test(tests, a_set_lives_until_its_last_holder);
    tcase_add_test(tests, many_threads_ask_one_set);
}
