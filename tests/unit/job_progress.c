/* job_progress.c - how far a job got is read from the common forms; bars are collapsed.
 */
#include "support/unit.h"

#include "job/collapse.h"
#include "job/order.h"

#include <sandbox/job.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *log;
    const char *told; /* percent, epoch/epochs, step/steps, loss, seconds to go */
} logs[] = {
    {"", "-1 -1/-1 -1/-1 nan -1"},
    {"nothing of the kind\n", "-1 -1/-1 -1/-1 nan -1"},
    {" 45%|####5     | 90/200 [00:10<00:12,  9.10it/s]", "45 -1/-1 90/200 nan 12"},
    {" 10%|#| 20/200 [00:01<1:02:03, 9it/s]\r 46%|##| 92/200 [00:10<00:11, 9it/s]\r",
     "46 -1/-1 92/200 nan 11"},
    {"Epoch 3/10\nstep 50/200 - loss: 0.25\n", "25 3/10 50/200 0.25 -1"},
    {"Epoch [3/10], Step [50/200], Loss: 1.5e-02\n", "25 3/10 50/200 0.015 -1"},
    {"{\"epoch\": 2, \"step\": 7, \"loss\": 3.25}\n", "-1 2/-1 7/-1 3.25 -1"},
    {"iter=7 train_loss=0.5 ETA 1:02:03\n", "-1 -1/-1 7/-1 0.5 3723"},
    {"eta: 1h 2m\n", "-1 -1/-1 -1/-1 nan 3720"},
    {"remaining 45s, 12.5 % done\n", "12.5 -1/-1 -1/-1 nan 45"},
    {"150% of nothing\n", "-1 -1/-1 -1/-1 nan -1"},
    {"loss 1e-99999999999999999999 step 3\n", "-1 -1/-1 3/-1 0 -1"},
    {"loss 1e+9999 step 3\n", "-1 -1/-1 3/-1 nan -1"},
    {"stepping 5/6 epochs\n", "-1 -1/-1 -1/-1 nan -1"},
    {"step 1/4\nstep 2/4\nstep 3/4\nbye\n", "75 -1/-1 3/4 nan -1"},
};

START_TEST(the_last_that_is_told_counts)
{
    sbx_job_progress at = {.size = sizeof(at)};
    char told[120];

    ck_assert_int_eq(sbx_job_progress_read(logs[_i].log, strlen(logs[_i].log), &at, NULL),
                     SBX_OK);
    (void)snprintf(told, sizeof(told), "%.4g %lld/%lld %lld/%lld %.4g %lld", at.percent,
                   (long long)at.epoch, (long long)at.epochs, (long long)at.step,
                   (long long)at.steps, fabs(at.loss), (long long)at.eta_s);
    ck_assert_str_eq(told, logs[_i].told);
}
END_TEST

static const struct {
    const char *text;
    const char *seen;
} bars[] = {
    {"", ""},
    {"plain\n", "plain\n"},
    {"a\rb\rc\nd", "c\nd"},
    {"windows\r\nline\r\n", "windows\nline\n"},
    {"10%\r20%\r", "20%"},
    {"\r\r\n", "\n"},
};

START_TEST(what_was_overwritten_is_left_out_however_it_is_cut)
{
    size_t length = strlen(bars[_i].text), cut;

    for (cut = 0; cut <= length; cut++) {
        struct sbi_collapse collapse = {0};
        SBI_AUTO_STR out = {0};

        sbi_str_add(&out, "");
        sbi_collapse_feed(&collapse, bars[_i].text, cut, &out);
        sbi_collapse_feed(&collapse, bars[_i].text + cut, length - cut, &out);
        sbi_collapse_end(&collapse, &out);
        ck_assert_str_eq(out.data, bars[_i].seen);
    }
}
END_TEST

START_TEST(a_line_without_an_end_takes_no_more_than_its_room)
{
    struct sbi_collapse collapse = {0};
    SBI_AUTO_STR out = {0};
    char piece[1000];
    int i;

    memset(piece, 'x', sizeof(piece));
    for (i = 0; i < 200; i++)
        sbi_collapse_feed(&collapse, piece, sizeof(piece), &out);
    sbi_collapse_feed(&collapse, "\rend", 4, &out);
    ck_assert_uint_le(collapse.line.length, SBI_COLLAPSE_MOST);
    sbi_collapse_end(&collapse, &out);
    ck_assert_str_eq(out.data, "end");
}
END_TEST

START_TEST(an_id_is_made_of_the_name_and_chance)
{
    static const char *const names[][2] = {{"Train a  Model!", "train-a-model-"},
                                           {"", "job-"},
                                           {"\xc3\xa4\n", "job-"},
                                           {"--x--", "x-"},
                                           {NULL, "job-"}};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *one = NULL, *two = NULL;

        ck_assert_int_eq(sbx_job_make_id(names[i][0], &one, NULL), SBX_OK);
        ck_assert_int_eq(sbx_job_make_id(names[i][0], &two, NULL), SBX_OK);
        ck_assert_int_eq(strncmp(one, names[i][1], strlen(names[i][1])), 0);
        ck_assert_uint_eq(strlen(one), strlen(names[i][1]) + 8);
        ck_assert_str_ne(one, two);
        sbx_free(one);
        sbx_free(two);
    }
}
END_TEST

START_TEST(bad_orders_are_refused)
{
    static const char *const nothing[] = {NULL};
    struct sbi_order order = {0};

    ck_assert_int_eq(sbi_order_make("", NULL, NULL, &order, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbi_order_make(NULL, nothing, NULL, &order, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbi_order_make("x", NULL,
                                    &SBX_OPTS(sbx_job_start_opts, .limit_ms = -1), &order,
                                    NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbi_order_make("x", NULL,
                                    &SBX_OPTS(sbx_job_start_opts, .log_limit = 5), &order,
                                    NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbi_order_make("x", NULL,
                                    &SBX_OPTS(sbx_job_start_opts, .flags = 1 << 9),
                                    &order, NULL),
                     SBX_ERR_INVALID);
}
END_TEST

static void digest_of(const char *command, const sbx_job_start_opts *opts, char out[65])
{
    SBI_AUTO_ORDER order = {0};

    ck_assert_int_eq(sbi_order_make(command, NULL, opts, &order, NULL), SBX_OK);
    memcpy(out, order.digest, 65);
}

START_TEST(two_orders_that_differ_in_anything_have_two_digests)
{
    static const char *const env[] = {"A=1", NULL};
    char same[65], other[65];

    digest_of("x", NULL, same);
    digest_of("x", &SBX_OPTS(sbx_job_start_opts, .id = "a"), other);
    ck_assert_str_eq(same, other);
    digest_of("y", NULL, other);
    ck_assert_str_ne(same, other);
    digest_of("x", &SBX_OPTS(sbx_job_start_opts, .cwd = "/"), other);
    ck_assert_str_ne(same, other);
    digest_of("x", &SBX_OPTS(sbx_job_start_opts, .env = env), other);
    ck_assert_str_ne(same, other);
    digest_of("x", &SBX_OPTS(sbx_job_start_opts, .limit_ms = 1), other);
    ck_assert_str_ne(same, other);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, the_last_that_is_told_counts, 0,
                        (int)(sizeof(logs) / sizeof(logs[0])));
    tcase_add_loop_test(tests, what_was_overwritten_is_left_out_however_it_is_cut, 0,
                        (int)(sizeof(bars) / sizeof(bars[0])));
    tcase_add_test(tests, a_line_without_an_end_takes_no_more_than_its_room);
    tcase_add_test(tests, an_id_is_made_of_the_name_and_chance);
    tcase_add_test(tests, bad_orders_are_refused);
    tcase_add_test(tests, two_orders_that_differ_in_anything_have_two_digests);
}
