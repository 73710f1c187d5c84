/* session_host_list.c - tests of what a list of hosts may say, and what it may not. */
#include "support/unit.h"

#include "session/host_list.h"
#include "transport/ssh_config.h"

#include <sandbox/host.h>

#include <stdio.h>
#include <string.h>

static int parse(const char *text, struct sbi_host_list *list, sbx_error *err)
{
    return sbi_host_list_parse(text, strlen(text), SBX_HOST_LIST, "/f", list, err);
}

START_TEST(every_key_is_kept)
{
    SBI_AUTO_HOST_LIST list = {0};
    const struct sbi_host_entry *entry;

    ck_assert_int_eq(
        parse("[ // ours\n"
              "{\"name\":\"gpu1\",\"host\":\"10.0.0.1\",\"port\":2222,\"user\":\"ada\","
              "\"password\":\"p\",\"key_file\":\"~/.ssh/k\",\"key_passphrase\":\"q\","
              "\"password_command\":\"pass show x | head -1\",\"password_file\":\"/pw\","
              "\"host_key\":\"SHA256:x\",\"host_key_policy\":\"accept-new\","
              "\"jump\":\"a,bob@b:22,[::1]:22\",\"tags\":[\"gpu\",\"eu\"],"
              "\"env\":{\"A\":\"1\",\"B_2\":\"\"},\"cwd\":\"/w\",\"shell\":\"/bin/zsh\","
              "\"connect_timeout\":1.5,\"keepalive\":30}]",
              &list, NULL),
        SBX_OK);
    ck_assert_uint_eq(list.count, 1);
    entry = list.entries[0];
    ck_assert_str_eq(entry->name, "gpu1");
    ck_assert_str_eq(entry->host, "10.0.0.1");
    ck_assert_int_eq(entry->port, 2222);
    ck_assert_str_eq(entry->user, "ada");
    ck_assert_str_eq(entry->password, "p");
    ck_assert_str_eq(entry->key_file, "~/.ssh/k");
    ck_assert_str_eq(entry->key_passphrase, "q");
    ck_assert_str_eq(entry->password_command, "pass show x | head -1");
    ck_assert_str_eq(entry->password_file, "/pw");
    ck_assert_str_eq(entry->host_key, "SHA256:x");
    ck_assert_int_eq(entry->host_key_policy, SBI_STRICT_ACCEPT_NEW);
    ck_assert_str_eq(entry->jump, "a,bob@b:22,[::1]:22");
    ck_assert_str_eq(entry->tags[1], "eu");
    ck_assert_str_eq(entry->env[0], "A=1");
    ck_assert_str_eq(entry->env[1], "B_2=");
    ck_assert_ptr_null(entry->env[2]);
    ck_assert_str_eq(entry->cwd, "/w");
    ck_assert_str_eq(entry->shell, "/bin/zsh");
    ck_assert_int_eq(entry->connect_timeout_ms, 1500);
    ck_assert_int_eq(entry->keepalive_ms, 30000);
    ck_assert_int_eq(entry->source, SBX_HOST_LIST);
    ck_assert_str_eq(entry->file, "/f");
}
END_TEST

START_TEST(one_object_is_a_list_of_one_and_its_host_is_its_name)
{
    SBI_AUTO_HOST_LIST list = {0};

    ck_assert_int_eq(parse("{\"name\":\"gpu1\"}", &list, NULL), SBX_OK);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(list.entries[0]->host, "gpu1");
    ck_assert(!sbi_host_entry_is_secret(list.entries[0]));
}
END_TEST

START_TEST(an_empty_list_is_a_list)
{
    struct sbi_host_list list = {0};

    ck_assert_int_eq(parse("[]", &list, NULL), SBX_OK);
    ck_assert_uint_eq(list.count, 0);
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *text, *says, *fix;
    } bad[] = {
        {"", "line 1, column 1: not JSON", ""},
        {"3", "neither an array of hosts nor one host", ""},
        {"[3]", "entry 1: not an object", ""},
        {"[{\"name\":\"a\"},{\"host\":\"b\"}]", "entry 2: no key 'name'", ""},
        {"{\"name\":\"gpu1\",\"pasword\":\"x\"}", "entry 'gpu1': unknown key 'pasword'",
         "did you mean 'password'?"},
        {"{\"name\":\"gpu1\",\"Port\":1}", "entry 'gpu1': unknown key 'Port'",
         "did you mean 'port'?"},
        {"{\"name\":\"gpu1\",\"banana\":\"x\"}", "entry 'gpu1': unknown key 'banana'",
         ""},
        {"{\"name\":\"a\",\"StrictHostKeyChecking\":\"no\"}",
         "entry 'a': unknown key 'StrictHostKeyChecking'", ""},
        {"{\"name\":\"a\",\"name\":\"b\"}", "entry 'a': key 'name' stands there twice",
         ""},
        {"[{\"name\":\"a\"},{\"name\":\"a\"}]", "entry 'a': the name stands there twice",
         ""},
        {"{\"name\":7}", "entry 1: key 'name' is not a text", ""},
        {"{\"name\":\"\"}", "entry 1: key 'name' is empty", ""},
        {"{\"name\":\"a\",\"port\":\"22\"}", "entry 'a': key 'port' is not a number", ""},
        {"{\"name\":\"a\",\"user\":null}", "key 'user' is not a text", ""},
        {"{\"name\":\"a\",\"tags\":\"x\"}", "key 'tags' is not an array", ""},
        {"{\"name\":\"a\",\"env\":[]}", "key 'env' is not an object", ""},
        {"{\"name\":\"a\",\"host_key_policy\":\"no\"}",
         "key 'host_key_policy' is none of 'strict', 'accept-new', 'ask'", ""},
        {"{\"name\":\"a\",\"host_key\":\"foo\"}", "key 'host_key' is neither", ""},
        {"{\"name\":\"a\",\"host_key\":\"256 SHA256:x gpu (ED25519)\"}",
         "key 'host_key' is neither", ""},
        {"{\"name\":\"a\",\"host_key\":\"ssh-ed25519 \"}", "key 'host_key' is neither",
         ""},
        {"{\"name\":\"a\",\"tags\":[\"x y\"]}", "a tag that is no plain word", ""},
        {"{\"name\":\"a\",\"tags\":[1]}", "a tag that is no plain word", ""},
        {"{\"name\":\"a\",\"env\":{\"1\":\"x\"}}", "a name that is none of a variable",
         ""},
        {"{\"name\":\"a\",\"env\":{\"X\":1}}", "a value that is no text", ""},
        {"{\"name\":\"a\",\"jump\":\"b,,c\"}", "key 'jump' has an empty hop", ""},
        {"{\"name\":\"a\",\"jump\":\"b,-oX\"}", "key 'jump' starts with '-'", ""},
        {"{\"name\":\"a\",\"user\":\"-l\"}", "key 'user' starts with '-'", ""},
        {"{\"name\":\"a\",\"host\":\"u@b\"}", "key 'host' has an '@'", ""},
        {"{\"name\":\"a\",\"key_file\":\"x\\ny\"}", "key 'key_file' has a control", ""},
        {"{\"name\":\"a\",\"password\":\"\"}", "key 'password' is empty", ""},
        {"{\"name\":\"a\",\"prefix\":\"docker exec a\"}", "key 'prefix' is not an array",
         ""},
        {"{\"name\":\"a\",\"prefix\":[]}", "key 'prefix' is empty", ""},
        {"{\"name\":\"a\",\"prefix\":[\"x\",1]}", "a word that is no text", ""},
        {"{\"name\":\"a\",\"prefix\":[\"\"]}", "key 'prefix' begins with no command", ""},
        {"{\"name\":\"a\",\"on\":\"b\"}", "key 'on' is of no use without 'prefix'", ""},
        {"{\"name\":\"a\",\"prefix_pty\":[\"x\"]}",
         "key 'prefix_pty' is of no use without 'prefix'", ""},
        {"{\"name\":\"a\",\"prefix\":[\"x\"],\"port\":22}",
         "entry 'a': key 'port' is of no use beside 'prefix'",
         "it belongs to the place that 'on' names"},
        {"{\"name\":\"a\",\"prefix\":[\"x\"],\"on\":\"-b\"}", "key 'on' starts with '-'",
         ""},
    };
    sbx_error err;
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbi_host_list list = {0};

        ck_assert_int_eq(parse(bad[i].text, &list, &err), SBX_ERR_CONFIG);
        ck_assert_msg(strstr(err.text, bad[i].says) != NULL, "%s", err.text);
        ck_assert_str_eq(err.fix, bad[i].fix);
        ck_assert_ptr_null(list.entries);
    }
}
END_TEST

START_TEST(a_name_that_is_no_plain_word_is_refused)
{
    static const char *const names[] = {
        "local", "a/b",  "a,b", "-a",  "@a",  "u@a",   "a b", " ",   "a\\t",
        "a;b",   "$(x)", "a'b", "a`b", "a|b", "a\\nb", "a&b", "a<b", "\\u007f"};
    char text[64];
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct sbi_host_list list = {0};

        (void)snprintf(text, sizeof(text), "{\"name\":\"%s\"}", names[i]);
        ck_assert_msg(parse(text, &list, NULL) == SBX_ERR_CONFIG, "%s", text);
    }
}
END_TEST

START_TEST(a_number_out_of_its_range_is_refused)
{
    static const char *const bad[] = {"\"port\":0",
                                      "\"port\":65536",
                                      "\"port\":-1",
                                      "\"port\":22.5",
                                      "\"port\":1e9",
                                      "\"port\":1e999",
                                      "\"keepalive\":0",
                                      "\"keepalive\":-1",
                                      "\"keepalive\":1e7",
                                      "\"connect_timeout\":1e999",
                                      "\"connect_timeout\":0.0001"};
    char text[64];
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbi_host_list list = {0};

        (void)snprintf(text, sizeof(text), "{\"name\":\"a\",%s}", bad[i]);
        ck_assert_msg(parse(text, &list, NULL) == SBX_ERR_CONFIG, "%s", text);
    }
}
END_TEST

START_TEST(no_error_tells_a_secret)
{
    static const char *const bad[] = {
        "{\"name\":\"a\",\"password\":\"hunter2\",\"x\":1}",
        "{\"name\":\"a\",\"password\":[\"hunter2\"]}",
        "{\"name\":\"a\",\"env\":{\"hunter2 \":\"hunter2\"}}",
        "{\"name\":\"a\",\"password\":\"hunter2\"", "{\"password\":\"hunter2\"}"};
    sbx_error err;
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbi_host_list list = {0};

        ck_assert_int_eq(parse(bad[i], &list, &err), SBX_ERR_CONFIG);
        ck_assert_ptr_null(strstr(err.text, "hunter2"));
        ck_assert_ptr_null(strstr(err.fix, "hunter2"));
    }
}
END_TEST

START_TEST(what_is_in_plain_is_told_from_what_is_fetched)
{
    SBI_AUTO_HOST_LIST list = {0};

    ck_assert_int_eq(parse("[{\"name\":\"a\",\"key_passphrase\":\"y\"},"
                           "{\"name\":\"b\",\"password_command\":\"x\"}]",
                           &list, NULL),
                     SBX_OK);
    ck_assert(sbi_host_entry_is_secret(list.entries[0]));
    ck_assert(!sbi_host_entry_is_secret(list.entries[1]));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, every_key_is_kept);
    tcase_add_test(tests, one_object_is_a_list_of_one_and_its_host_is_its_name);
    tcase_add_test(tests, an_empty_list_is_a_list);
    tcase_add_test(tests, what_is_wrong_is_named);
    tcase_add_test(tests, a_name_that_is_no_plain_word_is_refused);
    tcase_add_test(tests, a_number_out_of_its_range_is_refused);
    tcase_add_test(tests, no_error_tells_a_secret);
    tcase_add_test(tests, what_is_in_plain_is_told_from_what_is_fetched);
}
