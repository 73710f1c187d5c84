/*
 * threads_keeper_test.c - a keeper and its clients, a forward and its connections, all
 * threads of one process: what they share is theirs in turn.
 */
#include "support/ask.h"
#include "support/places.h"

#include <sandbox/forward.h>
#include <sandbox/keeper.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 8
#define ROUNDS 4

struct keeping {
    pthread_t thread;
    sbx_hosts *hosts;
    sbx_cancel *cancel;
    int ready[2];
    int rc;
    sbx_error err;
};

static void say_ready(void *userdata)
{
    ck_assert_int_eq((int)write(((struct keeping *)userdata)->ready[1], "", 1), 1);
}

static void *keep(void *userdata)
{
    struct keeping *keeping = userdata;
    const char *const names[] = {place_name(BASH), NULL};
    const sbx_keeper_opts opts = {.size = sizeof(opts),
                                  .ready = say_ready,
                                  .userdata = keeping,
                                  .cancel = keeping->cancel};

    keeping->rc = sbx_keeper_run(keeping->hosts, names, &opts, &keeping->err);
    (void)close(keeping->ready[1]);
    return NULL;
}

static void start(struct keeping *keeping)
{
    char byte;

    keeping->hosts = place_hosts();
    ck_assert_int_eq(sbx_cancel_new(&keeping->cancel, NULL), SBX_OK);
    ck_assert_int_eq(pipe(keeping->ready), 0);
    ck_assert_int_eq(pthread_create(&keeping->thread, NULL, keep, keeping), 0);
    ck_assert_msg(read(keeping->ready[0], &byte, 1) == 1, "no keeper");
}

static void stop(struct keeping *keeping)
{
    sbx_cancel_fire(keeping->cancel);
    (void)pthread_join(keeping->thread, NULL);
    ck_assert_msg(keeping->rc == SBX_OK, "%s", keeping->err.text);
    (void)close(keeping->ready[0]);
    sbx_cancel_free(keeping->cancel);
    sbx_hosts_free(keeping->hosts);
}

/* One of several threads that do the same. */
struct client {
    pthread_t thread;
    sbx_hosts *hosts;
    int number;
};

static void *run_over_it(void *userdata)
{
    const struct client *client = userdata;
    sbx_session *session = NULL;
    sbx_error err = {0};
    char *facts;
    char command[64], want[64];
    int round;

    ck_assert_msg(
        sbx_session_open(client->hosts, place_name(BASH), NULL, &session, &err) == SBX_OK,
        "%s", err.text);
    facts = sbx_session_facts_json(session);
    ck_assert_msg(strstr(facts, "/keeper/") != NULL, "%s", facts);
    sbx_free(facts);
    for (round = 0; round < ROUNDS; round++) {
        (void)snprintf(command, sizeof(command), "echo %d.%d", client->number, round);
        (void)snprintf(want, sizeof(want), "%d.%d\n", client->number, round);
        expect_says(session, command, NULL, want);
    }
    sbx_session_free(session);
    return NULL;
}

static void make_room(char *folder)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
    ck_assert_int_eq(setenv("SBX_KEEPER", "on", 1), 0);
}

static void remove_room(const char *folder)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(clients_on_eight_threads_go_over_a_keeper_on_a_ninth)
{
    char folder[] = "/tmp/sbxt.XXXXXX";
    struct keeping keeping = {0};
    struct client clients[CLIENTS];
    int i;

    make_room(folder);
    start(&keeping);
    for (i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.hosts = keeping.hosts, .number = i};
        ck_assert_int_eq(
            pthread_create(&clients[i].thread, NULL, run_over_it, &clients[i]), 0);
    }
    for (i = 0; i < CLIENTS; i++)
        (void)pthread_join(clients[i].thread, NULL);
    stop(&keeping);
    remove_room(folder);
}
END_TEST

static int connect_to(int64_t port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* The server's own port is what answers there: it says who it is. */
static void *hear_banner(void *userdata)
{
    char banner[8] = "";
    int round, fd;

    for (round = 0; round < ROUNDS; round++) {
        fd = connect_to(*(int64_t *)userdata);
        ck_assert_int_eq((int)recv(fd, banner, 7, MSG_WAITALL), 7);
        ck_assert_str_eq(banner, "SSH-2.0");
        (void)close(fd);
    }
    return NULL;
}

static void forward_and_hear(int kind, uint64_t flags)
{
    sbx_session_opts opts = SBX_OPTS(sbx_session_opts, .flags = flags);
    sbx_hosts *hosts = place_hosts();
    sbx_forward *forward = NULL;
    sbx_forward_info *info = NULL;
    sbx_pool *pool = NULL;
    pthread_t threads[CLIENTS];
    sbx_error err = {0};
    int64_t port;
    char text[64];
    int i, rc;

    (void)snprintf(text, sizeof(text), "0:127.0.0.1:%ld", places_number("SSHD_PORT"));
    ck_assert_int_eq(sbx_pool_new(hosts, &opts, &pool, NULL), SBX_OK);
    rc = sbx_forward_open(pool, place_name(BASH), kind, text, NULL, &forward, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_int_eq(sbx_forward_look(forward, &info, NULL), SBX_OK);
    port = info->port;
    sbx_forward_info_free(info);
    for (i = 0; i < CLIENTS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, hear_banner, &port), 0);
    for (i = 0; i < CLIENTS; i++)
        (void)pthread_join(threads[i], NULL);
    ck_assert_int_eq(sbx_forward_look(forward, &info, NULL), SBX_OK);
    ck_assert_int_eq((int)info->total, CLIENTS * ROUNDS);
    sbx_forward_info_free(info);
    sbx_forward_free(forward);
    sbx_pool_free(pool);
    sbx_hosts_free(hosts);
}

START_TEST(connections_of_eight_threads_go_through_a_forward)
{
    forward_and_hear(SBX_FORWARD_LOCAL, 0);
}
END_TEST

START_TEST(and_through_a_port_over_there)
{
    forward_and_hear(SBX_FORWARD_REMOTE, SBX_SESSION_OWN);
}
END_TEST

START_TEST(a_forward_goes_over_a_keeper_and_a_port_over_there_does_not)
{
    const char *const text = "0:127.0.0.1:1";
    char folder[] = "/tmp/sbxt.XXXXXX";
    struct keeping keeping = {0};
    sbx_hosts *hosts = place_hosts();
    sbx_forward *forward = NULL;
    sbx_pool *pool = NULL;
    sbx_error err = {0};

    make_room(folder);
    start(&keeping);
    forward_and_hear(SBX_FORWARD_LOCAL, 0);
    ck_assert_int_eq(sbx_pool_new(hosts, NULL, &pool, NULL), SBX_OK);
    ck_assert_int_eq(sbx_forward_open(pool, place_name(BASH), SBX_FORWARD_REMOTE, text,
                                      NULL, &forward, &err),
                     SBX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.fix, "SBX_SESSION_OWN"));
    sbx_pool_free(pool);
    sbx_hosts_free(hosts);
    stop(&keeping);
    remove_room(folder);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, BASH, CHROOT);
    tcase_add_test(tests, clients_on_eight_threads_go_over_a_keeper_on_a_ninth);
    tcase_add_test(tests, connections_of_eight_threads_go_through_a_forward);
    tcase_add_test(tests, and_through_a_port_over_there);
    tcase_add_test(tests, a_forward_goes_over_a_keeper_and_a_port_over_there_does_not);
}
