/* computer_order.c - tests of a computer's words as what the engine's API takes. */
#include "support/unit.h"

#include "computer/order.h"
#include "computer/spec.h"

#include <string.h>

static char *body_of(const char *const *words)
{
    SBI_AUTO_JSON body = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(
        sbi_order_body((char *const *)(uintptr_t)(const void *)words, &body, &err),
        SBX_OK);
    return sbi_json_print(body);
}

START_TEST(each_word_has_its_place_in_a_request)
{
    static const struct {
        const char *words[5];
        const char *body;
    } cases[] = {
        {{NULL}, "{\"HostConfig\":{}}"},
        {{"--init", NULL}, "{\"HostConfig\":{\"Init\":true}}"},
        {{"--env", "A=b=c", "--env", "B="},
         "{\"HostConfig\":{},\"Env\":[\"A=b=c\",\"B=\"]}"},
        {{"--label", "a={\"x\":\"=\"}"},
         "{\"HostConfig\":{},\"Labels\":{\"a\":\"{\\\"x\\\":\\\"=\\\"}\"}}"},
        {{"--memory", "4294967296"}, "{\"HostConfig\":{\"Memory\":4294967296}}"},
        {{"--cpus", "1.5"}, "{\"HostConfig\":{\"NanoCpus\":1500000000}}"},
        {{"--cpus", "0.0000000019"}, "{\"HostConfig\":{\"NanoCpus\":1}}"},
        {{"--cpus", "12."}, "{\"HostConfig\":{\"NanoCpus\":12000000000}}"},
        {{"--tmpfs", "/tmp:mode=1777", "--tmpfs", "/run"},
         "{\"HostConfig\":{\"Tmpfs\":{\"/tmp\":\"mode=1777\",\"/run\":\"\"}}}"},
        {{"--volume", "/a:/b:ro"}, "{\"HostConfig\":{\"Binds\":[\"/a:/b:ro\"]}}"},
        {{"--publish", "127.0.0.1:8080:80"},
         "{\"HostConfig\":{\"PortBindings\":{\"80/tcp\":[{\"HostIp\":\"127.0.0.1\","
         "\"HostPort\":\"8080\"}]}},\"ExposedPorts\":{\"80/tcp\":{}}}"},
        {{"--publish", "[::1]:8080:80"},
         "{\"HostConfig\":{\"PortBindings\":{\"80/tcp\":[{\"HostIp\":\"::1\","
         "\"HostPort\":\"8080\"}]}},\"ExposedPorts\":{\"80/tcp\":{}}}"},
        {{"--publish", "1:2", "--publish", "3:2"},
         "{\"HostConfig\":{\"PortBindings\":{\"2/tcp\":[{\"HostIp\":\"\",\"HostPort\":"
         "\"1\"},{\"HostIp\":\"\",\"HostPort\":\"3\"}]}},\"ExposedPorts\":{\"2/"
         "tcp\":{}}}"},
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = body_of(cases[i].words);

        ck_assert_str_eq(text, cases[i].body);
        sbx_free(text);
    }
}
END_TEST

START_TEST(a_word_that_the_api_does_not_have_is_not_passed_over)
{
    static const char *const cases[][3] = {
        {"--gpus", "all"}, {"--privileged"}, {"--memory"}, {""}};
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        SBI_AUTO_JSON body = NULL;

        ck_assert_int_eq(
            sbi_order_body((char *const *)(uintptr_t)(const void *)cases[i], &body, NULL),
            SBX_ERR_UNSUPPORTED);
        ck_assert(body == NULL);
    }
}
END_TEST

START_TEST(all_that_can_be_asked_for_can_be_said_by_the_api)
{
    static const char *const env[] = {"A=b", NULL};
    static const char *const mounts[] = {"/x:/y", NULL};
    static const char *const ports[] = {"8080:80", NULL};
    sbx_computer_opts opts = {.size = sizeof(opts),
                              .flags = SBX_COMPUTER_READ_ONLY,
                              .owner = "ann@lab",
                              .shell = "/bin/ash",
                              .user = "1:2",
                              .network = "lab",
                              .cpus = "2",
                              .env = env,
                              .mounts = mounts,
                              .ports = ports};
    const struct sbi_order order = {.name = "box",
                                    .instance = "i1",
                                    .life = "temporary",
                                    .holder = "none",
                                    .ttl = "0",
                                    .opts = &opts};
    SBI_AUTO_STRV words = NULL;
    SBI_AUTO_JSON body = NULL;
    const cJSON *labels;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_spec_check(&opts, &err), SBX_OK);
    ck_assert_int_eq(sbi_order_words(&order, &words, &err), SBX_OK);
    ck_assert_int_eq(sbi_order_body(words, &body, &err), SBX_OK);
    labels = cJSON_GetObjectItem(body, "Labels");
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(labels, "sbx.owner")),
                     "ann@lab");
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(labels, "sbx.computer")),
                     "box");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, each_word_has_its_place_in_a_request);
    tcase_add_test(tests, a_word_that_the_api_does_not_have_is_not_passed_over);
    tcase_add_test(tests, all_that_can_be_asked_for_can_be_said_by_the_api);
}
