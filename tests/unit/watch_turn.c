/* watch_turn.c - what a row of looks tells, look by look: pure, and so a table. */
#include "support/unit.h"

#include "watch/kind.h"
#include "watch/turn.h"

#include <stdio.h>
#include <string.h>

/*
 * A look a letter: r running, R running as the next generation, x not reached, - there is
 * no such job any more; 0 and 3 exited so; k and s signaled by KILL and SEGV, o oom, t
 * stopped, l lost by a reboot, u its start was cut off. A digit behind p is tens of
 * percent of one that runs.
 */
static const struct {
    const char *looks;
    const char *told; /* of each look, with '|' between; "" is nothing */
} rows[] = {
    {"rrrr", "started|||"},
    {"r0", "started|completed"},
    {"0", "started completed"},
    {"r3", "started|failed"},
    {"rk", "started|interrupted"},
    {"rs", "started|failed"},
    {"ro", "started|oom"},
    {"rt", "started|interrupted"},
    {"rl", "started|interrupted"},
    {"u", "started failed"},
    {"r-", "started|"},
    {"xr", "|started"},
    {"rxr", "started||"},
    {"rxxr", "started||unreachable|reachable"},
    {"rxxxxxr", "started||unreachable||||reachable"},
    {"rxxrxxr", "started||unreachable|reachable||unreachable|reachable"},
    {"rxrxr", "started||||"},
    {"xxr", "|unreachable|reachable started"},
    {"xx-", "|unreachable|reachable"},
    {"rxxl", "started||unreachable|reachable interrupted"},
    {"r3R", "started|failed|resume_started"},
    {"rR", "started|interrupted resume_started"}, /* its end was not looked at */
    {"rRRR", "started|interrupted resume_started|interrupted resume_started|"
             "interrupted resume_started"},
    {"rlRl", "started|interrupted|resume_started|interrupted"},
    {"rlRlR0", "started|interrupted|resume_started|interrupted|resume_started|completed"},
    {"rlll", "started|interrupted||"},
    {"rp0p1p2p2p4p3p9", "started|||progress||progress||progress"},
    {"rp2Rp2", "started|progress|interrupted resume_started|progress"},
};

static sbx_job job;

/* Runs before the last: each was lost. */
static const sbx_job_run lost[] = {
    {.generation = 0, .state = SBX_JOB_LOST, .loss = SBX_JOB_REBOOT},
    {.generation = 1, .state = SBX_JOB_LOST, .loss = SBX_JOB_REBOOT},
    {.generation = 2, .state = SBX_JOB_LOST, .loss = SBX_JOB_REBOOT},
    {.generation = 3, .state = SBX_JOB_LOST, .loss = SBX_JOB_REBOOT},
};
static const sbx_job_run *const runs[] = {&lost[0], &lost[1], &lost[2], &lost[3]};

static bool is_job(char letter)
{
    return strchr("x-p", letter) == NULL;
}

static void make_job(char letter)
{
    static const struct {
        char letter;
        int state, exit_code, loss, signal;
    } states[] = {
        {'r', SBX_JOB_RUNNING, -1, 0, 0},
        {'R', SBX_JOB_RUNNING, -1, 0, 0},
        {'0', SBX_JOB_EXITED, 0, 0, 0},
        {'3', SBX_JOB_EXITED, 3, 0, 0},
        {'k', SBX_JOB_SIGNALED, -1, 0, 9},
        {'s', SBX_JOB_SIGNALED, -1, 0, 11},
        {'o', SBX_JOB_OOM, -1, 0, 0},
        {'t', SBX_JOB_STOPPED, -1, 0, 0},
        {'l', SBX_JOB_LOST, -1, SBX_JOB_REBOOT, 0},
        {'u', SBX_JOB_LOST, -1, SBX_JOB_UNSTARTED, 0},
    };
    size_t i;

    for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (states[i].letter != letter)
            continue;
        job.state = states[i].state;
        job.exit_code = states[i].exit_code;
        job.loss = states[i].loss;
        job.signal = states[i].signal;
        job.generation += letter == 'R';
        job.runs = runs;
        job.run_count = (size_t)job.generation + 1;
        return;
    }
    ck_abort_msg("no look '%c'", letter);
}

static void add_told(char *told, size_t room, const struct sbi_turn *turn)
{
    size_t i, used = strlen(told);

    for (i = 0; i < turn->count; i++)
        used += (size_t)snprintf(told + used, room - used, "%s%s", i > 0 ? " " : "",
                                 sbi_kind(turn->told[i].kind)->name);
}

/* Plays the looks; seen is what is kept between them. */
static void play(const char *looks, struct sbi_seen *seen, char *told, size_t room)
{
    struct sbi_turn turn;
    const char *at;

    told[0] = '\0';
    for (at = looks; *at != '\0'; at++) {
        struct sbi_look look = {.reached = *at != 'x', .percent = -1, .step = 20};

        if (is_job(*at))
            make_job(*at);
        if (*at == 'p') {
            make_job('r');
            look.percent = (*++at - '0') * 10;
        }
        look.job = *at == '-' || *at == 'x' ? NULL : &job;
        sbi_turn_look(seen, &look, &turn);
        add_told(told, room, &turn);
        *seen = turn.seen;
        if (at[1] != '\0')
            (void)strncat(told, "|", room - strlen(told) - 1);
    }
}

START_TEST(looks_tell_what_the_table_says)
{
    char told[512];
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_seen seen = {.percent = -1};

        job = (sbx_job){0};
        play(rows[i].looks, &seen, told, sizeof(told));
        ck_assert_msg(strcmp(told, rows[i].told) == 0, "'%s': got '%s', want '%s'",
                      rows[i].looks, told, rows[i].told);
    }
}
END_TEST

START_TEST(a_look_that_tells_nothing_new_writes_nothing)
{
    struct sbi_look look = {.reached = true, .job = &job, .percent = -1};
    struct sbi_seen seen = {.percent = -1};
    struct sbi_turn turn;
    char told[64];

    job = (sbx_job){0};
    play("r", &seen, told, sizeof(told));
    sbi_turn_look(&seen, &look, &turn);
    ck_assert(!turn.changed);
    look.reached = false;
    look.job = NULL;
    sbi_turn_look(&seen, &look, &turn); /* the first that fails is counted */
    ck_assert(turn.changed);
    seen = turn.seen;
    sbi_turn_look(&seen, &look, &turn);
    ck_assert(turn.changed);
    seen = turn.seen;
    sbi_turn_look(&seen, &look, &turn);
    ck_assert(!turn.changed);
}
END_TEST

START_TEST(one_that_completed_or_was_removed_is_done)
{
    static const char *const done[] = {"r0", "r-", "-", "0"};
    struct sbi_look look = {.reached = true, .percent = -1};
    char told[128];
    size_t i;

    for (i = 0; i < sizeof(done) / sizeof(done[0]); i++) {
        struct sbi_seen seen = {.percent = -1};
        struct sbi_turn turn;

        job = (sbx_job){0};
        play(done[i], &seen, told, sizeof(told));
        look.job = strchr(done[i], '-') != NULL ? NULL : &job;
        sbi_turn_look(&seen, &look, &turn);
        ck_assert_msg(turn.done, "'%s'", done[i]);
    }
}
END_TEST

/* Each answer, given twice: what it tells, whether the watch is done, what is kept. */
START_TEST(an_answer_to_a_resume_is_told_once)
{
    static const struct {
        int answer;
        const char *told;
        bool done;
    } answers[] = {
        {SBI_RESUMED, "resume_started", false},
        {SBI_RESUME_EARLY, "resume_scheduled", false},
        {SBI_RESUME_FAILED, "resume_failed", false},
        {SBI_RESUME_NO, "", true},
        {SBI_RESUME_GAVE_UP, "gave_up", true},
        {SBI_RESUME_LOOP, "crash_loop", true},
    };
    size_t i;

    for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct sbi_seen seen = {.percent = -1};
        struct sbi_turn turn, again;
        char told[128];

        job = (sbx_job){0};
        play("rl", &seen, told, sizeof(told));
        ck_assert(seen.bits & SBI_SEEN_RESUME);
        told[0] = '\0';
        sbi_turn_resume(&seen, answers[i].answer, 1, &turn);
        add_told(told, sizeof(told), &turn);
        ck_assert_str_eq(told, answers[i].told);
        ck_assert(turn.done == answers[i].done);
        if (answers[i].answer != SBI_RESUME_EARLY &&
            answers[i].answer != SBI_RESUME_FAILED)
            continue;
        sbi_turn_resume(&turn.seen, answers[i].answer, 1, &again);
        ck_assert_uint_eq(again.count, 0);
        ck_assert(!again.changed);
    }
}
END_TEST

START_TEST(a_resume_by_us_is_not_told_again_when_it_is_seen)
{
    struct sbi_look look = {.reached = true, .job = &job, .percent = -1};
    struct sbi_seen seen = {.percent = -1};
    struct sbi_turn turn;
    char told[128];

    job = (sbx_job){0};
    play("rl", &seen, told, sizeof(told));
    sbi_turn_resume(&seen, SBI_RESUMED, 1, &turn);
    seen = turn.seen;
    make_job('R');
    sbi_turn_look(&seen, &look, &turn);
    ck_assert_uint_eq(turn.count, 0);
}
END_TEST

START_TEST(a_job_that_went_on_further_is_left_to_the_next_look)
{
    static const int64_t generations[] = {0, 2, 7};
    struct sbi_seen seen = {.percent = -1};
    struct sbi_turn turn;
    char told[128];
    size_t i;

    job = (sbx_job){0};
    play("rl", &seen, told, sizeof(told));
    for (i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
        sbi_turn_resume(&seen, SBI_RESUMED, generations[i], &turn);
        ck_assert_uint_eq(turn.count, 0);
        ck_assert(!turn.changed && !turn.done);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_job_that_went_on_further_is_left_to_the_next_look);
    tcase_add_test(tests, looks_tell_what_the_table_says);
    tcase_add_test(tests, a_look_that_tells_nothing_new_writes_nothing);
    tcase_add_test(tests, one_that_completed_or_was_removed_is_done);
    tcase_add_test(tests, an_answer_to_a_resume_is_told_once);
    tcase_add_test(tests, a_resume_by_us_is_not_told_again_when_it_is_seen);
}
