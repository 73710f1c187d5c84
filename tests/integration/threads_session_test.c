/*
 * threads_session_test.c - sessions and pools in the hands of many threads: each gets
 * its own answers, over as few connections as the server allows.
 */
#include "support/ask.h"
#include "support/places.h"

#include <sandbox/pool.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 40

/* One of several threads that do the same at once. */
struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    sbx_session *session;
    sbx_pool *pool;
    const char *place;
    int number;
    int rounds;
    int rc;
    sbx_error err;
};

static void work(struct worker *workers, int count, void *(*fn)(void *))
{
    pthread_barrier_t start;
    int i;

    ck_assert_int_eq(pthread_barrier_init(&start, NULL, (unsigned)count), 0);
    for (i = 0; i < count; i++) {
        workers[i].number = i;
        workers[i].start = &start;
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, fn, &workers[i]), 0);
    }
    for (i = 0; i < count; i++)
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    (void)pthread_barrier_destroy(&start);
}

/* How often the server has let somebody in. */
static int logins(void)
{
    char line[1024];
    FILE *log = fopen(places_told("SSHD_LOG"), "re");
    int count = 0;

    ck_assert_ptr_nonnull(log);
    while (fgets(line, sizeof(line), log) != NULL)
        if (strncmp(line, "Accepted ", 9) == 0)
            count++;
    (void)fclose(log);
    return count;
}

/*
 * Each tells that it runs, and waits until all do: so they end only if the session lets
 * all of them run at once.
 */
static void *run_with_the_others(void *userdata)
{
    struct worker *worker = userdata;
    char command[256], want[32];
    sbx_exec_result *result;

    (void)snprintf(
        command, sizeof(command),
        ": >/tmp/sbxt.all.%d/%d; until [ $(ls /tmp/sbxt.all.%d | wc -l) -ge %d "
        "]; do sleep 0.2; done; printf 'I am %d'",
        (int)getpid(), worker->number, (int)getpid(), worker->rounds, worker->number);
    (void)pthread_barrier_wait(worker->start);
    result =
        ask(worker->session, command, &SBX_OPTS(sbx_exec_opts, .timeout_ms = 120000));
    (void)snprintf(want, sizeof(want), "I am %d", worker->number);
    expect_exit(result, 0);
    expect_text(result, want);
    sbx_exec_result_free(result);
    return NULL;
}

START_TEST(forty_commands_run_at_once_on_one_session)
{
    sbx_session *session = place_open(_i);
    struct worker workers[MOST] = {0};
    char command[64];
    int i;

    (void)snprintf(command, sizeof(command), "mkdir /tmp/sbxt.all.%d", (int)getpid());
    expect_holds(session, command);
    for (i = 0; i < MOST; i++) {
        workers[i].session = session;
        workers[i].rounds = MOST;
    }
    work(workers, MOST, run_with_the_others);
    (void)snprintf(command, sizeof(command), "rm -r /tmp/sbxt.all.%d", (int)getpid());
    expect_holds(session, command);
    sbx_session_free(session);
}
END_TEST

static void *run_many(void *userdata)
{
    struct worker *worker = userdata;
    sbx_exec_result *result;
    char command[128], want[64];
    int round, own;

    (void)pthread_barrier_wait(worker->start);
    for (round = 0; round < worker->rounds; round++) {
        own = worker->number * worker->rounds + round;
        (void)snprintf(command, sizeof(command), "printf o%d; printf e%d >&2; exit %d",
                       own, own, own % 100);
        result = ask(worker->session, command, NULL);
        expect_exit(result, own % 100);
        (void)snprintf(want, sizeof(want), "o%d", own);
        ck_assert_str_eq(result->output, want);
        (void)snprintf(want, sizeof(want), "e%d", own);
        ck_assert_str_eq(result->errors, want);
        sbx_exec_result_free(result);
    }
    sbx_session_free(worker->session);
    return NULL;
}

/* The last of them to end closes it: the opener let go before they began. */
START_TEST(two_hundred_commands_by_eight_threads_each_get_their_own_answer)
{
    sbx_session *session = place_open(_i);
    struct worker workers[8] = {0};
    int i;

    for (i = 0; i < 8; i++) {
        workers[i].session = sbx_session_hold(session);
        workers[i].rounds = 25;
    }
    sbx_session_free(session);
    work(workers, 8, run_many);
}
END_TEST

static void *acquire(void *userdata)
{
    struct worker *worker = userdata;

    (void)pthread_barrier_wait(worker->start);
    worker->rc = sbx_pool_acquire(worker->pool, worker->place, NULL, &worker->session,
                                  &worker->err);
    return NULL;
}

START_TEST(twenty_who_acquire_one_place_open_one_connection)
{
    struct worker workers[20] = {0};
    sbx_hosts *hosts = place_hosts();
    sbx_pool *pool = NULL;
    int before = logins();
    int i;

    ck_assert_int_eq(sbx_pool_new(hosts, NULL, &pool, NULL), SBX_OK);
    sbx_hosts_free(hosts);
    for (i = 0; i < 20; i++) {
        workers[i].pool = pool;
        workers[i].place = place_name(_i);
    }
    work(workers, 20, acquire);
    for (i = 0; i < 20; i++) {
        ck_assert_msg(workers[i].rc == SBX_OK, "%s", workers[i].err.text);
        ck_assert_ptr_eq(workers[i].session, workers[0].session);
    }
    expect_says(workers[7].session, "printf on", NULL, "on");
    ck_assert_int_eq(logins() - before, 1);

    sbx_pool_free(pool);
    expect_says(workers[8].session, "printf 'on without it'", NULL, "on without it");
    for (i = 0; i < 20; i++)
        sbx_session_free(workers[i].session);
}
END_TEST

START_TEST(a_place_that_was_forgotten_is_connected_anew)
{
    sbx_hosts *hosts = place_hosts();
    sbx_session *first = NULL, *second = NULL, *third = NULL;
    sbx_pool *pool = NULL;
    int before = logins();

    ck_assert_int_eq(sbx_pool_new(hosts, NULL, &pool, NULL), SBX_OK);
    sbx_hosts_free(hosts);
    ck_assert_int_eq(sbx_pool_acquire(pool, place_name(_i), NULL, &first, NULL), SBX_OK);
    ck_assert_int_eq(sbx_pool_acquire(pool, place_name(_i), NULL, &second, NULL), SBX_OK);
    ck_assert_ptr_eq(first, second);
    sbx_pool_forget(pool, place_name(_i));
    sbx_pool_forget(pool, "never heard of");
    ck_assert_int_eq(sbx_pool_acquire(pool, place_name(_i), NULL, &third, NULL), SBX_OK);
    ck_assert_ptr_ne(third, first);
    ck_assert_int_eq(logins() - before, 2);
    expect_says(first, "printf old", NULL, "old");
    expect_says(third, "printf new", NULL, "new");
    sbx_session_free(first);
    sbx_session_free(second);
    sbx_session_free(third);
    sbx_pool_free(pool);
}
END_TEST

/* Takes connections in and says nothing to them. */
static int listen_mutely(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(fd, 64), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static int connections(int fd)
{
    int count = 0, taken;

    while ((taken = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        (void)close(taken);
        count++;
    }
    return count;
}

/* The opening takes as long as it may, so that all who ask meanwhile wait for it. */
START_TEST(a_failed_opening_is_told_to_all_who_waited_and_not_remembered)
{
    struct worker workers[20] = {0};
    sbx_session_opts opts = SBX_OPTS(sbx_session_opts, .connect_timeout_ms = 3000);
    sbx_hosts *hosts = NULL;
    sbx_pool *pool = NULL;
    sbx_session *session = NULL;
    sbx_error err = {0};
    char list[128];
    int port, i, fd = listen_mutely(&port);

    (void)snprintf(list, sizeof(list),
                   "{\"name\":\"mute\",\"host\":\"127.0.0.1\",\"port\":%d}", port);
    ck_assert_int_eq(sbx_hosts_parse(list, strlen(list),
                                     &SBX_OPTS(sbx_hosts_opts, .ssh_config = "none"),
                                     &hosts, &err),
                     SBX_OK);
    ck_assert_int_eq(sbx_pool_new(hosts, &opts, &pool, NULL), SBX_OK);
    sbx_hosts_free(hosts);
    for (i = 0; i < 20; i++) {
        workers[i].pool = pool;
        workers[i].place = "mute";
    }
    work(workers, 20, acquire);
    for (i = 0; i < 20; i++) {
        ck_assert_msg(workers[i].rc == SBX_ERR_TIMEOUT, "%d: %s", workers[i].rc,
                      workers[i].err.text);
        ck_assert_int_eq(workers[i].err.code, SBX_ERR_TIMEOUT);
        ck_assert_str_eq(workers[i].err.text, workers[0].err.text);
        ck_assert_ptr_null(workers[i].session);
    }
    ck_assert_int_eq(connections(fd), 1);
    ck_assert_int_eq(sbx_pool_acquire(pool, "mute", NULL, &session, &err),
                     SBX_ERR_TIMEOUT);
    ck_assert_int_eq(connections(fd), 1);
    sbx_pool_free(pool);
    (void)close(fd);
}
END_TEST

/* A waiter who gives up leaves the others, and the opening, alone. */
struct giver_up {
    struct worker worker;
    sbx_cancel *cancel;
};

static void *acquire_and_give_up(void *userdata)
{
    struct giver_up *giver_up = userdata;
    struct worker *worker = &giver_up->worker;

    worker->rc = sbx_pool_acquire(worker->pool, worker->place, giver_up->cancel,
                                  &worker->session, &worker->err);
    return NULL;
}

START_TEST(a_cancelled_acquire_ends_at_once)
{
    sbx_session_opts opts = SBX_OPTS(sbx_session_opts, .connect_timeout_ms = 60000);
    struct giver_up opener = {0}, waiter = {0};
    sbx_hosts *hosts = NULL;
    sbx_pool *pool = NULL;
    char list[128];
    int port, fd = listen_mutely(&port);
    int64_t start = now_ms();

    (void)snprintf(list, sizeof(list),
                   "{\"name\":\"mute\",\"host\":\"127.0.0.1\",\"port\":%d}", port);
    ck_assert_int_eq(sbx_hosts_parse(list, strlen(list),
                                     &SBX_OPTS(sbx_hosts_opts, .ssh_config = "none"),
                                     &hosts, NULL),
                     SBX_OK);
    ck_assert_int_eq(sbx_pool_new(hosts, &opts, &pool, NULL), SBX_OK);
    sbx_hosts_free(hosts);
    opener.worker.pool = waiter.worker.pool = pool;
    opener.worker.place = waiter.worker.place = "mute";
    ck_assert_int_eq(sbx_cancel_new(&opener.cancel, NULL), SBX_OK);
    ck_assert_int_eq(sbx_cancel_new(&waiter.cancel, NULL), SBX_OK);
    (void)pthread_create(&opener.worker.thread, NULL, acquire_and_give_up, &opener);
    (void)pthread_create(&waiter.worker.thread, NULL, acquire_and_give_up, &waiter);
    sbx_cancel_fire(waiter.cancel);
    sbx_cancel_fire(opener.cancel);
    (void)pthread_join(waiter.worker.thread, NULL);
    (void)pthread_join(opener.worker.thread, NULL);
    ck_assert_int_eq(waiter.worker.rc, SBX_ERR_CANCELLED);
    ck_assert_int_eq(opener.worker.rc, SBX_ERR_CANCELLED);
    ck_assert_int_lt(now_ms() - start, 20000);
    sbx_cancel_free(opener.cancel);
    sbx_cancel_free(waiter.cancel);
    sbx_pool_free(pool);
    (void)close(fd);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, CHROOT);
    tcase_add_loop_test(tests, forty_commands_run_at_once_on_one_session, LOCAL, CHROOT);
    tcase_add_loop_test(tests,
                        two_hundred_commands_by_eight_threads_each_get_their_own_answer,
                        LOCAL, CHROOT);
    tcase_add_loop_test(tests, twenty_who_acquire_one_place_open_one_connection, BASH,
                        CHROOT);
    tcase_add_loop_test(tests, a_place_that_was_forgotten_is_connected_anew, BASH,
                        CHROOT);
    tcase_add_test(tests, a_failed_opening_is_told_to_all_who_waited_and_not_remembered);
    tcase_add_test(tests, a_cancelled_acquire_ends_at_once);
}
