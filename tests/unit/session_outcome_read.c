/* session_outcome_read.c - tests of which of a run's signs count. */
#include "support/unit.h"

#include "session/outcome_read.h"

#include <stdio.h>
#include <string.h>

#define NOW "now 1000 500\n"

static void read_text(const char *text, struct sbi_outcome *out)
{
    sbx_error err = {0};

    ck_assert_msg(sbi_outcome_read(text, strlen(text), out, &err) == SBX_OK, "%s: %s",
                  text, err.text);
}

START_TEST(each_set_of_signs_has_its_state)
{
    static const struct {
        const char *text;
        int state;
        int cause;
        int exit_code;
        int signal;
        size_t left;
    } rows[] = {
        {NOW "bye\n", SBX_OUTCOME_NO_TRACE, 0, -1, 0, 0},
        {NOW "starting 7\nbye\n", SBX_OUTCOME_STARTING, 0, -1, 0, 0},
        {NOW "process 7 5 7 1000\nbye\n", SBX_OUTCOME_RUNNING, 0, -1, 0, 0},
        {NOW "process 7 5 7 1000\nprocess 8 7 7 1000\nbye\n", SBX_OUTCOME_RUNNING, 0, -1,
         0, 0},
        {NOW "process 8 1 8 1000\nbye\n", SBX_OUTCOME_RUNNING, 0, -1, 0, 0},
        {NOW "process 8 1 6 1000\nbye\n", SBX_OUTCOME_ENDED, 0, -1, 0, 1},
        {NOW "process 8 1 8 10\nkilled 950 gone over 8\nbye\n", SBX_OUTCOME_ENDED, 0, -1,
         0, 1},
        {NOW "process 7 1 7 10\nrun 900 7\nkilled 950 gone running 7\nbye\n",
         SBX_OUTCOME_KILLED, SBX_OUTCOME_GONE, -1, 0, 1},
        {NOW "process 8 1 7 1000\nprocess 9 8 9 1000\nbye\n", SBX_OUTCOME_ENDED, 0, -1, 0,
         2},
        {NOW "process 7 1 7 1000\nrun 900 7\nbye\n", SBX_OUTCOME_RUNNING, 0, -1, 0, 0},
        {NOW "process 6 1 6 1000\nrun 900 7 6\nbye\n", SBX_OUTCOME_RUNNING, 0, -1, 0, 0},
        {NOW "process 8 1 8 1000\nrun 900 7\nbye\n", SBX_OUTCOME_ENDED, 0, -1, 0, 1},
        {NOW "run 900 7\nbye\n", SBX_OUTCOME_ENDED, 0, -1, 0, 0},
        {NOW "run 900 7\nend exit 0 - 950\nbye\n", SBX_OUTCOME_EXITED, 0, 0, 0, 0},
        {NOW "run 900 7\nend exit 137 4096 950\nbye\n", SBX_OUTCOME_EXITED, 0, 137, 0, 0},
        {NOW "run 900 7\nend signal 9 - 950\nbye\n", SBX_OUTCOME_SIGNALED, 0, -1, 9, 0},
        {NOW "process 8 1 8 10\nrun 900 7\nend exit 3 - 950\nbye\n", SBX_OUTCOME_EXITED,
         0, 3, 0, 1},
        {NOW "killed 950 gone running\nbye\n", SBX_OUTCOME_KILLED, SBX_OUTCOME_GONE, -1,
         0, 0},
        {NOW "killed 950 limit running 8\nbye\n", SBX_OUTCOME_KILLED, SBX_OUTCOME_LIMIT,
         -1, 0, 0},
        {NOW "process 8 1 8 10\nkilled 950 asked running 8\nbye\n", SBX_OUTCOME_KILLED,
         SBX_OUTCOME_ASKED, -1, 0, 1},
        {NOW "killed 950 gone over\nbye\n", SBX_OUTCOME_ENDED, 0, -1, 0, 0},
        {NOW "end signal 15 - 950\nkilled 951 gone running\nbye\n", SBX_OUTCOME_KILLED,
         SBX_OUTCOME_GONE, -1, 15, 0},
        {NOW "end exit 3 - 950\nkilled 951 gone over\nbye\n", SBX_OUTCOME_EXITED, 0, 3, 0,
         0},
    };
    struct sbi_outcome out;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        read_text(rows[i].text, &out);
        ck_assert_msg(out.state == rows[i].state, "%s: %d", rows[i].text, out.state);
        ck_assert_msg(out.cause == rows[i].cause, "%s: %d", rows[i].text, out.cause);
        ck_assert_msg(out.exit_code == rows[i].exit_code, "%s: %d", rows[i].text,
                      out.exit_code);
        ck_assert_msg(out.signal == rows[i].signal, "%s: %d", rows[i].text, out.signal);
        ck_assert_msg(out.left_count == rows[i].left, "%s: %zu", rows[i].text,
                      out.left_count);
    }
}
END_TEST

START_TEST(when_it_was_is_told_by_the_clock_over_there)
{
    struct sbi_outcome out;

    read_text(NOW "process 7 5 7 20000\nbye\n", &out);
    ck_assert_int_eq(out.asked, 1000);
    ck_assert_int_eq(out.started, 700);
    ck_assert_int_eq(out.ended, 0);
    ck_assert_int_eq(out.pid, 7);
    read_text(NOW "process 6 1 6 10\nprocess 7 6 6 10\nrun 900 7 6\nbye\n", &out);
    ck_assert_int_eq(out.pid, 7);
    read_text(NOW "run 900 7\nend exit 0 - 950\nkilled 960 gone over\nbye\n", &out);
    ck_assert_int_eq(out.started, 900);
    ck_assert_int_eq(out.ended, 950);
    ck_assert_int_eq(out.pid, 0);
    read_text(NOW "blind\nkilled 960 gone running blind\nbye\n", &out);
    ck_assert_int_eq(out.ended, 960);
    ck_assert(out.blind);
    ck_assert(!out.busy);
    read_text(NOW "busy\nrun 900 7\nbye\n", &out);
    ck_assert(out.busy);
    read_text(NOW "busy\nrun 900 7\nkilled 960 gone running\nbye\n", &out);
    ck_assert(!out.busy);
    read_text(NOW "busy\nprocess 7 5 7 1000\nbye\n", &out);
    ck_assert(!out.busy);
}
END_TEST

START_TEST(what_is_damaged_is_no_sign)
{
    static const char *const lines[] = {
        "end",
        "end exit",
        "end exit 256 - 1",
        "end signal -1 - 1",
        "end other 3 -",
        "process",
        "process x 1 1 1",
        "starting",
        "unheard of",
        "process -3 1 -3 10",
        "run x y",
        "",
    };
    char text[256];
    struct sbi_outcome out;
    size_t i;

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        (void)snprintf(text, sizeof(text), NOW "%s\nbye\n", lines[i]);
        read_text(text, &out);
        ck_assert_msg(out.state == SBX_OUTCOME_NO_TRACE, "%s: %d", lines[i], out.state);
    }
}
END_TEST

START_TEST(an_answer_that_is_cut_is_none)
{
    static const char whole[] = NOW "run 900 7\nend exit 0 - 950\nbye\n";
    struct sbi_outcome out = {.pid = 77};
    sbx_error err = {0};
    size_t length;

    for (length = 0; length < sizeof(whole) - 1; length++)
        ck_assert_int_eq(sbi_outcome_read(whole, length, &out, &err), SBX_ERR_REMOTE);
    ck_assert_int_eq(out.pid, 77);
    ck_assert_int_eq(sbi_outcome_read(whole, length, &out, &err), SBX_OK);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, each_set_of_signs_has_its_state);
    tcase_add_test(tests, when_it_was_is_told_by_the_clock_over_there);
    tcase_add_test(tests, what_is_damaged_is_no_sign);
    tcase_add_test(tests, an_answer_that_is_cut_is_none);
}
