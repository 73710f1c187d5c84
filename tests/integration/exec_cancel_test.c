/*
 * exec_cancel_test.c - a command that is cancelled, or whose client is killed, is dead
 * over there, in whatever phase that happens; and nothing of ours stays behind.
 */
#include "support/ask.h"
#include "support/places.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILL_AFTER_MS 500
#define GRACE_MS 20000
#define DEAD_WITHIN_MS 5000

/* Fires a token from another thread, when told to. */
struct firing {
    sbx_cancel *cancel;
    int64_t after_ms;
    int when[2]; /* a pipe: a byte says now */
    pthread_t thread;
};

static void *fire(void *userdata)
{
    struct firing *firing = userdata;
    struct timespec wait = {.tv_sec = firing->after_ms / 1000,
                            .tv_nsec = firing->after_ms % 1000 * 1000000};
    char byte;

    if (read(firing->when[0], &byte, 1) != 1)
        return NULL;
    (void)nanosleep(&wait, NULL);
    sbx_cancel_fire(firing->cancel);
    return NULL;
}

static void firing_start(struct firing *firing, int64_t after_ms)
{
    firing->after_ms = after_ms;
    ck_assert_int_eq(sbx_cancel_new(&firing->cancel, NULL), SBX_OK);
    ck_assert_int_eq(pipe(firing->when), 0);
    ck_assert_int_eq(pthread_create(&firing->thread, NULL, fire, firing), 0);
}

static void firing_now(struct firing *firing)
{
    ck_assert_int_eq(write(firing->when[1], "", 1), 1);
}

static void firing_end(struct firing *firing)
{
    (void)close(firing->when[1]);
    (void)pthread_join(firing->thread, NULL);
    (void)close(firing->when[0]);
    sbx_cancel_free(firing->cancel);
}

static void expect_cancelled(const sbx_exec_result *result)
{
    expect_stopped(result, SBX_EXEC_CANCELLED, "cancelled");
    ck_assert_int_eq(sbx_exec_status(result), 130);
}

START_TEST(a_token_that_was_fired_before_runs_nothing)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = NULL;
    sbx_cancel *cancel;
    sbx_error err = {0};
    char command[64];
    int rc;

    (void)snprintf(command, sizeof(command), ": >/tmp/sbxt.fired.%d", (int)getpid());
    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    sbx_cancel_fire(cancel);
    rc = sbx_exec_shell(session, command, &SBX_OPTS(sbx_exec_opts, .cancel = cancel),
                        &result, &err);
    ck_assert_msg(rc == SBX_ERR_CANCELLED, "%s", sbx_code_name(rc));
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_ptr_null(result);
    (void)snprintf(command, sizeof(command), "[ ! -e /tmp/sbxt.fired.%d ]",
                   (int)getpid());
    expect_holds(session, command);
    sbx_cancel_free(cancel);
    sbx_session_free(session);
}
END_TEST

/* Fired a little later each time: some hit before the start, some in it, some after. */
START_TEST(a_cancel_while_it_starts_leaves_nothing)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    sbx_error err = {0};
    struct firing firing;
    int64_t start;
    int round, rc;

    for (round = 0; round < 6; round++) {
        firing_start(&firing, round * 6);
        firing_now(&firing);
        start = now_ms();
        result = NULL;
        rc = sbx_exec_shell(session, "sleep 300",
                            &SBX_OPTS(sbx_exec_opts, .cancel = firing.cancel,
                                      .kill_after_ms = KILL_AFTER_MS,
                                      .grace_ms = GRACE_MS),
                            &result, &err);
        ck_assert_int_lt(now_ms() - start, KILL_AFTER_MS + GRACE_MS);
        if (rc == SBX_OK)
            expect_cancelled(result);
        else
            ck_assert_msg(rc == SBX_ERR_CANCELLED && err.executed == SBX_EXECUTED_NO,
                          "%s", err.text);
        sbx_exec_result_free(result);
        firing_end(&firing);
    }
    sbx_session_free(session);
}
END_TEST

static int fire_at_first_bytes(int stream, const void *data, size_t length,
                               void *userdata)
{
    (void)stream;
    (void)data;
    (void)length;
    firing_now(userdata);
    return 0;
}

START_TEST(a_cancel_ends_a_running_command)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    struct firing firing;
    pid_t pid;

    firing_start(&firing, 100);
    result = ask(session, "trap '' TERM; sleep 300 & echo \"pid $!\"; wait; sleep 300",
                 &SBX_OPTS(sbx_exec_opts, .cancel = firing.cancel,
                           .kill_after_ms = KILL_AFTER_MS, .grace_ms = GRACE_MS,
                           .on_output = fire_at_first_bytes, .userdata = &firing));
    expect_cancelled(result);
    pid = pid_after(result->output, "pid ");
    ck_assert_int_gt(pid, 1);
    ck_assert(is_gone(pid));
    sbx_exec_result_free(result);
    firing_end(&firing);
    expect_says(session, "printf on", NULL, "on");
    sbx_session_free(session);
}
END_TEST

static int wait_for_fire(int stream, const void *data, size_t length, void *userdata)
{
    struct firing *firing = userdata;
    struct timespec nap = {.tv_nsec = 1000000};

    (void)stream;
    (void)data;
    (void)length;
    if (sbx_cancel_fired(firing->cancel))
        return 0;
    firing_now(firing);
    while (!sbx_cancel_fired(firing->cancel))
        (void)nanosleep(&nap, NULL);
    return 0;
}

START_TEST(a_cancel_while_the_callback_runs_ends_it)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    struct firing firing;

    firing_start(&firing, 50);
    result = ask(session, "yes",
                 &SBX_OPTS(sbx_exec_opts, .cancel = firing.cancel,
                           .kill_after_ms = KILL_AFTER_MS, .grace_ms = GRACE_MS,
                           .on_output = wait_for_fire, .userdata = &firing));
    expect_cancelled(result);
    sbx_exec_result_free(result);
    firing_end(&firing);
    sbx_session_free(session);
}
END_TEST

static int refuse_bytes(int stream, const void *data, size_t length, void *userdata)
{
    (void)stream;
    (void)data;
    (void)length;
    (*(int *)userdata)++;
    return 1;
}

START_TEST(a_callback_that_says_no_cancels)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    int calls = 0;

    result =
        ask(session, "yes",
            &SBX_OPTS(sbx_exec_opts, .kill_after_ms = KILL_AFTER_MS, .grace_ms = GRACE_MS,
                      .on_output = refuse_bytes, .userdata = &calls));
    expect_cancelled(result);
    ck_assert_msg(calls == 1, "asked again after its no: %d", calls);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* The session of the command is that of its watchdog. */
static bool session_is_empty(pid_t leader)
{
    char command[128];

    (void)snprintf(command, sizeof(command),
                   "ps -A -o sid=,stat= | grep -q '^ *%d  *[^Z]'", (int)leader);
    return system(command) != 0;
}

START_TEST(a_run_leaves_nothing_behind)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = ask(session, "echo \"pid $$\"", NULL);
    int64_t end = now_ms() + 3000;
    struct timespec nap = {.tv_nsec = 50 * 1000000};
    pid_t pid = pid_after(result->output, "pid ");

    expect_exit(result, 0);
    ck_assert_int_gt(pid, 1);
    while (!session_is_empty(pid)) {
        ck_assert_msg(now_ms() < end, "the watchdog stays");
        (void)nanosleep(&nap, NULL);
    }
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* A client of its own process, which prints to a pipe what its command prints. */
struct client {
    pid_t process;
    int output;
    char text[256];
};

static int pass_on(int stream, const void *data, size_t length, void *userdata)
{
    (void)stream;
    return write(*(int *)userdata, data, length) < 0;
}

static void client_start(struct client *client, int place, const char *command,
                         uint64_t flags)
{
    sbx_exec_result *result;
    int ends[2];

    *client = (struct client){0};
    ck_assert_int_eq(pipe(ends), 0);
    client->process = fork();
    ck_assert_int_ge(client->process, 0);
    if (client->process == 0) {
        (void)close(ends[0]);
        result = ask(place_open(place), command,
                     &SBX_OPTS(sbx_exec_opts, .flags = flags, .on_output = pass_on,
                               .userdata = &ends[1]));
        _exit(result->end);
    }
    (void)close(ends[1]);
    client->output = ends[0];
}

/* Reads until the client has printed that many lines. */
static void client_await(struct client *client, int lines)
{
    size_t length = strlen(client->text);
    ssize_t got;

    while (lines > 0) {
        got = read(client->output, client->text + length, 1);
        ck_assert_msg(got == 1, "the client ended with '%s'", client->text);
        if (client->text[length++] == '\n')
            lines--;
    }
}

static void client_kill(struct client *client)
{
    int status;

    ck_assert_int_eq(kill(client->process, SIGKILL), 0);
    while (waitpid(client->process, &status, 0) < 0 && errno == EINTR)
        continue;
    (void)close(client->output);
}

#define TREE                                                                             \
    "trap '' TERM; sleep 300 & echo \"child $!\"; setsid sleep 300 & "                   \
    "echo \"apart $!\"; echo \"self $$\"; wait; sleep 300"

START_TEST(a_killed_client_takes_all_of_its_command_along)
{
    static const char *const words[] = {"self ", "child ", "apart "};
    struct client client;
    size_t i;

    client_start(&client, _i, TREE, 0);
    client_await(&client, 3);
    client_kill(&client);
    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        pid_t pid = pid_after(client.text, words[i]);

        ck_assert_int_gt(pid, 1);
        ck_assert_msg(is_gone_within(pid, DEAD_WITHIN_MS), "%s%d lives on", words[i],
                      (int)pid);
    }
}
END_TEST

/* The other one's death shows that the moment has passed; the count that it goes on. */
START_TEST(a_killed_client_leaves_a_detached_command_alone)
{
    struct client client, other;
    char path[64], command[256];
    sbx_session *session;
    pid_t pid;

    (void)snprintf(path, sizeof(path), "/tmp/sbxt.beats.%d", (int)getpid());
    (void)snprintf(command, sizeof(command),
                   "echo \"self $$\"; while :; do echo >>%s; sleep 0.2; done", path);
    client_start(&client, _i, command, SBX_EXEC_DETACH_ON_HANGUP);
    client_start(&other, _i, "echo \"self $$\"; sleep 300", 0);
    client_await(&client, 1);
    client_await(&other, 1);
    client_kill(&client);
    client_kill(&other);
    ck_assert(is_gone_within(pid_after(other.text, "self "), DEAD_WITHIN_MS));
    pid = pid_after(client.text, "self ");

    session = place_open(_i);
    (void)snprintf(command, sizeof(command), ": >%s", path);
    expect_holds(session, command);
    (void)snprintf(command, sizeof(command), "[ $(wc -l <%s) -ge 8 ]", path);
    expect_soon(session, command, 20);
    ck_assert(!is_gone(pid));
    (void)snprintf(command, sizeof(command), "kill -KILL %d; rm %s", (int)pid, path);
    expect_holds(session, command);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_token_that_was_fired_before_runs_nothing, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_cancel_while_it_starts_leaves_nothing, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_cancel_ends_a_running_command, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_cancel_while_the_callback_runs_ends_it, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_callback_that_says_no_cancels, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_run_leaves_nothing_behind, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_killed_client_takes_all_of_its_command_along, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_killed_client_leaves_a_detached_command_alone, LOCAL,
                        TINYSSHD);
}
