/* computer_record.c - tests of what is made of the containers that an engine tells of. */
#include "support/unit.h"

#include "computer/holder.h"
#include "computer/name.h"
#include "computer/record.h"
#include "computer/spec.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string.h>

#define LABELS(NAME, INSTANCE)                                                           \
    "\"labels\":{\"sbx.computer\":\"" NAME "\",\"sbx.instance\":\"" INSTANCE             \
    "\",\"sbx.owner\":\"ann@lab\",\"sbx.life\":\"permanent\",\"sbx.created\":\"1000\","  \
    "\"sbx.expires\":\"2000\",\"sbx.settings\":\"{\\\"image\\\":\\\"i:1\\\","            \
    "\\\"memory\\\":64,\\\"pids\\\":-1}\"}"

static sbx_computer_list *read_text(const char *text)
{
    sbx_computer_list *list = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_record_read(text, strlen(text), "gpu1", "ann@lab", &list, &err),
                     SBX_OK);
    return list;
}

START_TEST(a_container_is_read_as_its_labels_tell)
{
    sbx_computer_list *list =
        read_text("{\"engine\":\"docker\",\"container\":\"/sbx-box\",\"status\":"
                  "\"running\",\"oom\":true," LABELS("box", "i1") "}\nnow 1500\n");
    const sbx_computer *one = list->items[0];

    ck_assert_uint_eq(list->count, 1);
    ck_assert_str_eq(one->address, "gpu1/box");
    ck_assert_str_eq(one->image, "i:1");
    ck_assert_int_eq(one->state, SBX_COMPUTER_RUNNING);
    ck_assert_int_eq(one->memory, 64);
    ck_assert_int_eq(one->pids, -1);
    ck_assert_int_eq(one->mine, 1);
    ck_assert_int_eq(one->permanent, 1);
    ck_assert_int_eq(one->out_of_memory, 1);
    ck_assert_int_eq(one->due, SBX_COMPUTER_DUE_NO);
    sbx_computer_list_free(list);
}
END_TEST

START_TEST(its_time_is_over_by_the_clock_over_there_and_may_be_renewed)
{
    static const struct {
        const char *lines;
        int due;
        int64_t expires;
    } cases[] = {
        {"now 1999\n", SBX_COMPUTER_DUE_NO, 2000},
        {"now 2000\n", SBX_COMPUTER_DUE_TIME, 2000},
        {"hold i1 3000 -\nnow 2500\n", SBX_COMPUTER_DUE_NO, 3000},
        {"hold i1 0 -\nnow 2500\n", SBX_COMPUTER_DUE_NO, 0},
        {"hold i2 3000 -\nnow 2500\n", SBX_COMPUTER_DUE_TIME, 2000},
        {"hold i1 - -\nnow 2500\n", SBX_COMPUTER_DUE_TIME, 2000},
        {"hold\nhold \nnow\n", SBX_COMPUTER_DUE_NO, 2000},
    };
    char text[2048];
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sbx_computer_list *list;

        (void)snprintf(text, sizeof(text), "%s%s",
                       "{\"container\":\"sbx-box\"," LABELS("box", "i1") "}\n",
                       cases[i].lines);
        list = read_text(text);
        ck_assert_int_eq(list->items[0]->due, cases[i].due);
        ck_assert_int_eq(list->items[0]->expires_at_s, cases[i].expires);
        sbx_computer_list_free(list);
    }
}
END_TEST

START_TEST(what_is_none_of_ours_is_left_out)
{
    static const char *const lines[] = {
        "{\"container\":\"/other\"," LABELS("box", "i1") "}\n",
        "{\"container\":\"/sbx-boxes\"," LABELS("box", "i1") "}\n",
        "{\"container\":\"/sbx-\"," LABELS("", "i1") "}\n",
        "{\"container\":\"/sbx-box\"," LABELS("box", "") "}\n",
        "{\"container\":\"/sbx-box\",\"labels\":null}\n",
        "{\"container\":\"/sbx-box\"}\n",
        "{\n",
        "[]\n",
        "hello\n",
    };
    size_t i;

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        sbx_computer_list *list = read_text(lines[i]);

        ck_assert_uint_eq(list->count, 0);
        sbx_computer_list_free(list);
    }
}
END_TEST

START_TEST(a_holder_is_gone_with_its_process_and_not_with_another_machines)
{
    char *text = NULL, *other = NULL;
    sbx_error err = {0};
    pid_t child = fork();

    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    ck_assert_int_eq(sbi_holder_text(child, &text, &err), SBX_OK);
    ck_assert(!sbi_holder_gone(text));
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    ck_assert(sbi_holder_gone(text));
    ck_assert_int_eq(sbi_holder_text(child, &other, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(sbi_holder_text(getpid(), &other, &err), SBX_OK);
    ck_assert(!sbi_holder_gone(other));
    other[strlen(other) - 1] ^= 1;
    ck_assert_msg(sbi_holder_gone(other), "another process has its number now");
    text[0] ^= 1;
    ck_assert_msg(!sbi_holder_gone(text), "of another machine nothing is known");
    ck_assert(!sbi_holder_gone(""));
    ck_assert(!sbi_holder_gone("-"));
    ck_assert(!sbi_holder_gone("a:b:c:99:1"));
    free(text);
    free(other);
}
END_TEST

START_TEST(what_no_computer_can_be_made_with_is_refused)
{
    static const char *const bad_env[] = {"SBX_COMPUTER=x", NULL};
    static const char *const no_name[] = {"=x", NULL};
    static const char *const volume[] = {"name:/x", NULL};
    static const char *const relative[] = {"/x:y", NULL};
    static const char *const mode[] = {"/x:/y:z", NULL};
    static const char *const port[] = {"80", NULL};
    const sbx_computer_opts cases[] = {
        {.image = "-v"},
        {.image = "a b"},
        {.cpus = "0"},
        {.cpus = "1e3"},
        {.memory = 1},
        {.pids = -2},
        {.env = bad_env},
        {.env = no_name},
        {.mounts = volume},
        {.mounts = relative},
        {.mounts = mode},
        {.ports = port},
        {.network = "x", .flags = SBX_COMPUTER_NO_NETWORK}};
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sbx_computer_opts opts = cases[i];
        sbx_error err = {0};

        ck_assert_int_eq(sbi_spec_check(&opts, &err), SBX_ERR_INVALID);
        ck_assert_str_ne(err.text, "");
    }
}
END_TEST

START_TEST(an_owner_is_made_of_a_secret_and_does_not_tell_it)
{
    static const char secret[] = "00112233445566778899aabbccddeeff";
    char *one = NULL, *same = NULL, *other = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbx_computer_owner(secret, &one, &err), SBX_OK);
    ck_assert_int_eq(sbx_computer_owner(secret, &same, &err), SBX_OK);
    ck_assert_int_eq(sbx_computer_owner("00112233445566778899aabbccddeefe", &other, &err),
                     SBX_OK);
    ck_assert_str_eq(one, same);
    ck_assert_str_ne(one, other);
    ck_assert_uint_eq(strlen(one), strlen("agent-") + 24);
    sbx_free(one);
    sbx_free(same);
    sbx_free(other);
    ck_assert_int_eq(sbx_computer_owner("short", &one, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_computer_owner(NULL, &one, &err), SBX_ERR_INVALID);
}
END_TEST

START_TEST(settings_come_back_from_their_label_as_they_were)
{
    static const char *const env[] = {"A=b c", "B=", NULL};
    static const char *const mounts[] = {"/x:/y:ro", NULL};
    sbx_computer_opts opts = {.size = sizeof(opts),
                              .flags = SBX_COMPUTER_READ_ONLY,
                              .cpus = "1.5",
                              .env = env,
                              .mounts = mounts,
                              .pids = -1};
    sbx_computer_opts back = {.size = sizeof(back)};
    struct sbi_spec_lists lists = {0};
    SBI_AUTO_JSON json = NULL;
    char *text = NULL, *again = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_spec_check(&opts, &err), SBX_OK);
    ck_assert_int_eq(sbi_spec_print(&opts, &text, &err), SBX_OK);
    ck_assert_int_eq(sbi_json_parse(text, strlen(text), &json, &err), SBX_OK);
    ck_assert_int_eq(sbi_spec_read(json, &back, &lists, &err), SBX_OK);
    ck_assert_int_eq(sbi_spec_print(&back, &again, &err), SBX_OK);
    ck_assert_str_eq(text, again);
    ck_assert_str_eq(sbi_spec_as(&back), "caller");
    sbi_spec_lists_clear(&lists);
    free(text);
    free(again);
}
END_TEST

START_TEST(a_name_that_is_drawn_is_a_name)
{
    static const char *const bad[] = {"", "-a", "A", "a_b", "a.b", "a/b"};
    char name[SBI_NAME_SIZE], before[SBI_NAME_SIZE] = "";
    size_t i;

    for (i = 0; i < 100; i++) {
        ck_assert_int_eq(sbi_name_draw(name, NULL), SBX_OK);
        ck_assert_int_eq(sbi_name_check(name, NULL), SBX_OK);
        ck_assert_str_ne(name, before);
        memcpy(before, name, sizeof(before));
    }
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_int_eq(sbi_name_check(bad[i], NULL), SBX_ERR_INVALID);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_container_is_read_as_its_labels_tell);
    tcase_add_test(tests, its_time_is_over_by_the_clock_over_there_and_may_be_renewed);
    tcase_add_test(tests, what_is_none_of_ours_is_left_out);
    tcase_add_test(tests,
                   a_holder_is_gone_with_its_process_and_not_with_another_machines);
    tcase_add_test(tests, what_no_computer_can_be_made_with_is_refused);
    tcase_add_test(tests, an_owner_is_made_of_a_secret_and_does_not_tell_it);
    tcase_add_test(tests, settings_come_back_from_their_label_as_they_were);
    tcase_add_test(tests, a_name_that_is_drawn_is_a_name);
}
