/*
 * faults_warden_test.c - what a warm session has over there. One watcher of all runs: it
 * kills them when the client is gone or stands still, and lets alone what ended runs left
 * behind. And a supervisor that waits for the next run.
 */
#include "session/session_state.h"
#include "support/bed.h"
#include "support/unit.h"

#include <sandbox/exec.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_RUNS 200

/* A shell, its child, one that left the session, one that dropped its environment. */
#define TREE                                                                             \
    "trap '' TERM; sleep 1000 & echo $! >%s; "                                           \
    "setsid sh -c 'echo $$ >%s; exec sleep 1000' & "                                     \
    "env -i sleep 1000 & echo $! >%s; echo runs; wait"

static char tree[3][512];

static void make(void)
{
    bed_make(NULL);
}

static sbx_exec_result *run(sbx_session *session, const char *command,
                            const sbx_exec_opts *opts)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};

    ck_assert_msg(sbx_exec_shell(session, command, opts, &result, &err) == SBX_OK, "%s",
                  err.text);
    return result;
}

static void run_to_its_end(sbx_session *session, const char *command)
{
    sbx_exec_result *result = run(session, command, NULL);

    ck_assert_msg(result->end == SBX_EXEC_EXITED && result->exit_code == 0, "%s: %s",
                  sbx_exec_end_name(result->end), result->error.text);
    sbx_exec_result_free(result);
}

static bool has_warden(sbx_session *session)
{
    bool ready;

    (void)pthread_mutex_lock(&session->lock);
    ready = session->slots[0].warden.ready && session->slots[0].warden.process != NULL;
    (void)pthread_mutex_unlock(&session->lock);
    return ready;
}

/* Runs until the next run is a watched one. */
static void warm(sbx_session *session)
{
    int i;

    for (i = 0; i < MOST_RUNS && !has_warden(session); i++)
        run_to_its_end(session, "true");
    ck_assert_msg(has_warden(session), "no warden after %d runs", MOST_RUNS);
}

static const char *tree_command(void)
{
    static char command[4096];
    int i;

    for (i = 0; i < 3; i++) {
        (void)snprintf(tree[i], sizeof(tree[i]), "%s.%d", bed_path("tree"), i);
        (void)unlink(tree[i]);
    }
    (void)snprintf(command, sizeof(command), TREE, tree[0], tree[1], tree[2]);
    return command;
}

static int tree_runs(const void *unused)
{
    (void)unused;
    return bed_read_number(tree[0]) > 0 && bed_read_number(tree[1]) > 0 &&
           bed_read_number(tree[2]) > 0;
}

static int tree_is_gone(const void *unused)
{
    (void)unused;
    return bed_is_gone(tree[0]) && bed_is_gone(tree[1]) && bed_is_gone(tree[2]);
}

/* The pid of a warden of the bed's user, -1: none. */
static pid_t warden_pid(void)
{
    char answer[32] = "";
    char command[128];
    FILE *output;

    (void)snprintf(command, sizeof(command),
                   "pgrep -o -U %d -f '^/bin/sh -c : sbx warden'", (int)bed.uid);
    output = popen(command, "re");
    ck_assert_ptr_nonnull(output);
    (void)fgets(answer, sizeof(answer), output);
    (void)pclose(output);
    return answer[0] == '\0' ? -1 : (pid_t)strtol(answer, NULL, 10);
}

static int no_warden_is_left(const void *unused)
{
    (void)unused;
    return warden_pid() < 0;
}

/* A client of its own, which runs the tree over a warm session. */
static pid_t client_with_tree(const char *command, int64_t timeout_ms)
{
    pid_t pid = fork();
    sbx_session *session;

    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    session = bed_open_straight();
    warm(session);
    (void)run(session, command,
              &SBX_OPTS(sbx_exec_opts, .timeout_ms = timeout_ms, .kill_after_ms = 200,
                        .grace_ms = 300));
    _exit(0);
}

static void end_client(pid_t pid)
{
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(a_client_that_is_killed_takes_its_watched_run_along)
{
    pid_t client = client_with_tree(tree_command(), 0);

    ck_assert(bed_wait(20000, tree_runs, NULL));
    end_client(client);
    ck_assert(bed_wait(5000, tree_is_gone, NULL));
    ck_assert(bed_wait(10000, no_warden_is_left, NULL));
}
END_TEST

START_TEST(the_far_clock_ends_a_watched_run_of_a_client_that_stands_still)
{
    pid_t client = client_with_tree(tree_command(), 1500);

    ck_assert(bed_wait(20000, tree_runs, NULL));
    ck_assert_int_eq(kill(client, SIGSTOP), 0);
    ck_assert(bed_wait(15000, tree_is_gone, NULL));
    end_client(client);
}
END_TEST

static int cut_at_output(int stream, const void *data, size_t length, void *userdata)
{
    (void)stream;
    (void)data;
    (void)length;
    (void)userdata;
    bed_say("cut");
    return 0;
}

START_TEST(a_line_that_is_cut_takes_its_watched_run_along)
{
    sbx_session *session;
    sbx_exec_result *result;

    bed_line();
    session = bed_open(10000, 0);
    warm(session);
    result = run(session, tree_command(),
                 &SBX_OPTS(sbx_exec_opts, .on_output = cut_at_output));
    ck_assert_int_eq(result->end, SBX_EXEC_LOST);
    sbx_exec_result_free(result);
    ck_assert(bed_wait(5000, tree_is_gone, NULL));
    sbx_session_free(session);
}
END_TEST

START_TEST(a_cancel_ends_a_watched_run_and_all_its_children)
{
    sbx_session *session = bed_open_straight();
    sbx_exec_result *result;

    warm(session);
    result = run(session, tree_command(),
                 &SBX_OPTS(sbx_exec_opts, .timeout_ms = 1000, .kill_after_ms = 100,
                           .grace_ms = 30000));
    ck_assert_int_eq(result->end, SBX_EXEC_TIMED_OUT);
    ck_assert(result->confirmed_dead);
    ck_assert(tree_is_gone(NULL));
    ck_assert_int_eq(session->slots[0].warden.watched, 0);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

static void leave_one_behind(bool frees)
{
    const char *file = bed_path(frees ? "behind" : "behind.2");
    char command[512];
    sbx_session *session;
    pid_t client = fork();

    ck_assert_int_ge(client, 0);
    if (client == 0) {
        session = bed_open_straight();
        warm(session);
        (void)snprintf(command, sizeof(command),
                       "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $! >%s",
                       file);
        run_to_its_end(session, command);
        if (frees)
            sbx_session_free(session);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(client, NULL, 0), client);
    ck_assert(bed_wait(10000, no_warden_is_left, NULL));
    ck_assert(bed_exists(file) && !bed_is_gone(file));
    ck_assert_int_eq(kill((pid_t)bed_read_number(file), SIGKILL), 0);
}

START_TEST(what_an_ended_run_left_behind_outlives_a_client_that_takes_its_leave)
{
    leave_one_behind(true);
}
END_TEST

START_TEST(what_an_ended_run_left_behind_outlives_a_client_that_just_exits)
{
    leave_one_behind(false);
}
END_TEST

START_TEST(a_warden_that_is_killed_is_replaced_and_no_run_notices)
{
    sbx_session *session = bed_open_straight();
    pid_t first;

    warm(session);
    first = warden_pid();
    ck_assert_int_gt(first, 1);
    ck_assert_int_eq(kill(first, SIGKILL), 0);
    run_to_its_end(session, "true");
    run_to_its_end(session, "true");
    warm(session);
    ck_assert_int_ne(warden_pid(), first);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_short_run_with_a_limit_leaves_no_clock_behind)
{
    sbx_session *session = bed_open_straight();
    char command[128];
    int i;

    warm(session);
    for (i = 0; i < 20; i++)
        sbx_exec_result_free(
            run(session, "true", &SBX_OPTS(sbx_exec_opts, .timeout_ms = 7000000)));
    ck_assert_int_eq(session->slots[0].warden.watched, 0);
    sbx_session_free(session);
    ck_assert(bed_wait(10000, no_warden_is_left, NULL));
    (void)snprintf(command, sizeof(command), "! pgrep -U %d -f '^sleep 70' >/dev/null",
                   (int)bed.uid);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

static bool has_ready(sbx_session *session)
{
    bool ready;

    (void)pthread_mutex_lock(&session->lock);
    ready = session->slots[0].ready != NULL;
    (void)pthread_mutex_unlock(&session->lock);
    return ready;
}

static void warm_and_ready(sbx_session *session)
{
    warm(session);
    run_to_its_end(session, "true");
    ck_assert(has_ready(session));
}

static void assert_prints(sbx_session *session, const char *command, const char *want)
{
    sbx_exec_result *result = run(session, command, NULL);

    ck_assert_msg(result->end == SBX_EXEC_EXITED, "%s: %s",
                  sbx_exec_end_name(result->end), result->error.text);
    ck_assert_str_eq(result->output, want);
    sbx_exec_result_free(result);
}

START_TEST(a_run_that_finds_all_ready_is_as_any_other)
{
    const char *const env[] = {"ODD=a b\n'c'", NULL};
    const size_t length = 1024 * 1024;
    sbx_session *session = bed_open_straight();
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    char *text = calloc(1, length + 32);

    ck_assert_ptr_nonnull(text);
    warm_and_ready(session);
    assert_prints(session, "echo one; exit 3", "one\n");
    result =
        run(session, "cd / && printf '%s|' \"$ODD\" \"$SBX_RUN\"; cat | wc -c",
            &SBX_OPTS(sbx_exec_opts, .env = env, .input = text, .input_length = length));
    ck_assert_str_eq(result->errors, "");
    ck_assert_int_eq(strncmp(result->output, "a b\n'c'|", 8), 0);
    ck_assert_int_eq(strncmp(result->output + 8, result->run_id, 32), 0);
    ck_assert_ptr_nonnull(strstr(result->output, "|1048576\n"));
    sbx_exec_result_free(result);
    ck_assert_int_eq(sbx_exec_shell(session, "true",
                                    &SBX_OPTS(sbx_exec_opts, .cwd = "/no/such/folder"),
                                    &result, &err),
                     SBX_ERR_NOT_FOUND);
    memset(text, '#', length - 16);
    (void)snprintf(text + length - 16, 16, "\necho long");
    assert_prints(session, text, "long\n");
    result = run(session, "tty", &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_PTY));
    ck_assert_int_eq(result->exit_code, 0);
    sbx_exec_result_free(result);
    sbx_session_free(session);
    free(text);
}
END_TEST

/* All of them wait for a header, or are wardens: none has a command yet. */
static void kill_what_is_ready(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command),
                   "pkill -KILL -U %d -f '^/bin/sh -c : sbx supervisor'", (int)bed.uid);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(what_was_ready_and_is_killed_costs_no_run)
{
    sbx_session *session = bed_open_straight();
    int i;

    warm_and_ready(session);
    for (i = 0; i < 5; i++) {
        kill_what_is_ready();
        assert_prints(session, "echo works", "works\n");
    }
    sbx_session_free(session);
}
END_TEST

START_TEST(a_login_that_has_waited_for_long_is_not_used)
{
    sbx_session *session = bed_open_straight();
    struct sbi_process *old;

    warm_and_ready(session);
    (void)pthread_mutex_lock(&session->lock);
    session->slots[0].ready_at -= 60 * 60 * 1000;
    old = session->slots[0].ready;
    (void)pthread_mutex_unlock(&session->lock);
    assert_prints(session, "echo works", "works\n");
    ck_assert_ptr_ne(session->slots[0].ready, old);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_line_that_was_cut_while_all_was_ready_is_opened_anew)
{
    sbx_session *session;

    bed_line();
    session = bed_open(10000, 0);
    warm_and_ready(session);
    bed_say("cut");
    assert_prints(session, "echo works", "works\n");
    sbx_session_free(session);
}
END_TEST

struct hasty {
    pthread_t thread;
    sbx_session *session;
    int number;
};

static void *run_hastily(void *userdata)
{
    struct hasty *hasty = userdata;
    char command[64], want[32];
    int i;

    for (i = 0; i < 25; i++) {
        (void)snprintf(want, sizeof(want), "%d.%d\n", hasty->number, i);
        (void)snprintf(command, sizeof(command), "echo %d.%d", hasty->number, i);
        assert_prints(hasty->session, command, want);
    }
    return NULL;
}

START_TEST(six_callers_in_haste_each_get_what_they_asked_for)
{
    sbx_session *session = bed_open_straight();
    struct hasty hasty[6];
    int i;

    warm_and_ready(session);
    for (i = 0; i < 6; i++) {
        hasty[i] = (struct hasty){.session = session, .number = i};
        ck_assert_int_eq(pthread_create(&hasty[i].thread, NULL, run_hastily, &hasty[i]),
                         0);
    }
    for (i = 0; i < 6; i++)
        (void)pthread_join(hasty[i].thread, NULL);
    ck_assert_int_eq(session->slots[0].warden.watched, 0);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_add_test(tests, a_client_that_is_killed_takes_its_watched_run_along);
    tcase_add_test(tests, the_far_clock_ends_a_watched_run_of_a_client_that_stands_still);
    tcase_add_test(tests, a_line_that_is_cut_takes_its_watched_run_along);
    tcase_add_test(tests, a_cancel_ends_a_watched_run_and_all_its_children);
    tcase_add_test(tests,
                   what_an_ended_run_left_behind_outlives_a_client_that_takes_its_leave);
    tcase_add_test(tests,
                   what_an_ended_run_left_behind_outlives_a_client_that_just_exits);
    tcase_add_test(tests, a_warden_that_is_killed_is_replaced_and_no_run_notices);
    tcase_add_test(tests, a_short_run_with_a_limit_leaves_no_clock_behind);
    tcase_add_test(tests, a_run_that_finds_all_ready_is_as_any_other);
    tcase_add_test(tests, what_was_ready_and_is_killed_costs_no_run);
    tcase_add_test(tests, a_login_that_has_waited_for_long_is_not_used);
    tcase_add_test(tests, a_line_that_was_cut_while_all_was_ready_is_opened_anew);
    tcase_add_test(tests, six_callers_in_haste_each_get_what_they_asked_for);
}
