/*
 * faults_start_test.c - a command's start that goes wrong half-way: what is started again
 * is whole, what was given up is not started later, and nothing is read as ours that is
 * not.
 */
#include "session/session_state.h"
#include "support/ask.h"
#include "support/bed.h"
#include "support/helper.h"
#include "support/places.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_RUNS 200

static void make(void)
{
    bed_make(NULL);
}

static bool has_ready(sbx_session *session)
{
    bool ready;

    (void)pthread_mutex_lock(&session->lock);
    ready = session->slots[0].ready != NULL;
    (void)pthread_mutex_unlock(&session->lock);
    return ready;
}

/* Runs until a supervisor waits for the next run. */
static void warm(sbx_session *session)
{
    int i;

    for (i = 0; i < MOST_RUNS && !has_ready(session); i++)
        expect_says(session, "echo", NULL, "\n");
    ck_assert_msg(has_ready(session), "none ready after %d runs", MOST_RUNS);
}

/* Ends what waits over there for a header; the server tells of it a moment from now. */
static void kill_what_is_ready_unheard(void)
{
    pid_t server = bed_connection_pid();
    char command[256];

    (void)snprintf(command, sizeof(command),
                   "kill -STOP %d; (sleep 0.3; kill -CONT %d) & "
                   "pkill -KILL -U %d -f '^/bin/sh -c : sbx supervisor'",
                   (int)server, (int)server, (int)bed.uid);
    ck_assert_int_eq(system(command), 0);
}

/* A file that holds so many lines, open for reading. */
static int numbered_lines(int lines)
{
    FILE *file = tmpfile();
    int i, fd;

    ck_assert_ptr_nonnull(file);
    for (i = 0; i < lines; i++)
        (void)fprintf(file, "%d\n", i);
    (void)fflush(file);
    fd = dup(fileno(file));
    (void)fclose(file);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_counts(sbx_session *session, const char *command, int lines)
{
    int fd = numbered_lines(lines);
    char want[32];

    (void)snprintf(want, sizeof(want), "%d\n", lines);
    expect_says(session, command,
                &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INPUT_FD, .input_fd = fd,
                          .timeout_ms = 60000),
                want);
    (void)close(fd);
}

START_TEST(what_was_read_of_a_descriptor_is_not_lost_when_what_was_ready_is_dead)
{
    sbx_session *session = bed_open_straight();

    warm(session);
    kill_what_is_ready_unheard();
    assert_counts(session, "wc -l", 10);
    warm(session);
    kill_what_is_ready_unheard();
    assert_counts(session, "wc -l", 400000);
    sbx_session_free(session);
}
END_TEST

struct holder {
    pthread_t thread;
    sbx_session *session;
};

static void *hold_the_channel(void *userdata)
{
    struct holder *holder = userdata;
    char command[256];

    (void)snprintf(command, sizeof(command),
                   "echo 1 >%s; while [ ! -e %s ]; do sleep 0.1; done; echo done",
                   bed_path("held"), bed_path("let.go"));
    expect_says(holder->session, command, NULL, "done\n");
    return NULL;
}

START_TEST(what_was_read_of_a_descriptor_is_not_lost_when_a_channel_is_refused)
{
    struct holder holder = {0};
    FILE *file;

    bed_make((const char *const[]){"MaxSessions 1", NULL});
    holder.session = bed_open_straight();
    ck_assert_int_eq(pthread_create(&holder.thread, NULL, hold_the_channel, &holder), 0);
    ck_assert(bed_wait(20000, bed_exists, bed_path("held")));
    assert_counts(holder.session, "wc -l", 10);
    assert_counts(holder.session, "wc -l", 400000);
    file = fopen(bed_path("let.go"), "we");
    ck_assert_ptr_nonnull(file);
    (void)fclose(file);
    (void)pthread_join(holder.thread, NULL);
    sbx_session_free(holder.session);
    bed_unmake();
}
END_TEST

/* dash reads OPTIND as a number when it is set: no supervisor gets beyond that. */
START_TEST(a_supervisor_that_always_dies_is_told_of_warm_as_cold)
{
    const char *const env[] = {"OPTIND=none", NULL};
    const sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .env = env, .timeout_ms = 10000);
    sbx_session *session = bed_open_straight();
    sbx_exec_result *result = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbx_exec_shell(session, "true", &opts, &result, &err),
                     SBX_ERR_REMOTE);
    warm(session);
    ck_assert_int_eq(sbx_exec_shell(session, "true", &opts, &result, &err),
                     SBX_ERR_REMOTE);
    sbx_session_free(session);
}
END_TEST

static sbx_session *open_at(const char *json, const char *config)
{
    sbx_session *session = NULL;
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};

    ck_assert_msg(sbx_hosts_parse(json, strlen(json),
                                  &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts,
                                  &err) == SBX_OK,
                  "%s", err.text);
    ck_assert_msg(sbx_session_open(hosts, "far", NULL, &session, &err) == SBX_OK, "%s",
                  err.text);
    sbx_hosts_free(hosts);
    return session;
}

/* A host `far`: the place's server behind a line of ours. */
static const char *config_behind(struct helper *proxy, int place)
{
    const char *file = bed_path("far_config");
    char line[256], key[32], value[128], user[128] = "", target[128] = "";
    FILE *in = fopen(places_told("SSHD_CONFIG"), "re");
    FILE *out = fopen(file, "we");
    bool here = false;

    ck_assert(in != NULL && out != NULL);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (sscanf(line, " %31s %127s", key, value) != 2)
            continue;
        if (strcmp(key, "Host") == 0)
            here = strcmp(value, place_name(place)) == 0;
        if (here && strcmp(key, "User") == 0)
            (void)snprintf(user, sizeof(user), "%s", value);
        if (here && strcmp(key, "Port") == 0)
            (void)snprintf(target, sizeof(target), "%s", value);
    }
    (void)fclose(in);
    helper_start(proxy,
                 (const char *const[]){helper_program("prog_proxy"), "0", target, NULL});
    helper_hear(proxy, line, sizeof(line));
    (void)fprintf(out,
                  "Host far\nHostName 127.0.0.1\nPort %s\nUser %s\nIdentityFile %s/key\n"
                  "UserKnownHostsFile /dev/null\nStrictHostKeyChecking no\n",
                  line, user, places_told("SSHD_DIR"));
    (void)fclose(out);
    return file;
}

/*
 * The line is long, and the server takes a command and its input at once: it hears late
 * that they are unwanted.
 */
START_TEST(a_run_that_was_given_up_before_it_was_sent_does_not_start_later)
{
    struct helper proxy;
    sbx_exec_result *result;
    sbx_session *session;
    const char *config, *file;
    char command[512];

    places_start(BASH, TINYSSHD, NULL);
    config = config_behind(&proxy, DROPBEAR);
    file = bed_path("too.late");
    session = open_at("[]", config);
    helper_say(&proxy, "delay 300");
    helper_hear(&proxy, command, sizeof(command));
    (void)snprintf(command, sizeof(command), "echo ran >>%s", file);
    result = bed_run(session, command, 100, 0);
    ck_assert_int_eq(result->end, SBX_EXEC_TIMED_OUT);
    sbx_exec_result_free(result);
    sbx_exec_result_free(ask(session, "sleep 1", NULL));
    ck_assert_msg(!bed_exists(file), "it ran after all");
    sbx_session_free(session);
    helper_end(&proxy);
    places_stop();
}
END_TEST

START_TEST(an_end_that_is_all_that_came_through_is_no_answer)
{
    sbx_exec_result *result = NULL;
    char config[] = "/tmp/sbxt.XXXXXX";
    int fd = mkstemp(config);
    struct helper server;
    sbx_session *session;
    char line[64], json[256];

    ck_assert(fd >= 0 && dprintf(fd, "UserKnownHostsFile /dev/null\n") > 0);
    (void)close(fd);
    helper_start(&server, (const char *const[]){helper_program("prog_ssh_server"), NULL});
    helper_hear(&server, line, sizeof(line));
    (void)snprintf(
        json, sizeof(json),
        "[{\"name\":\"far\",\"host\":\"127.0.0.1\",\"port\":%s,\"user\":\"p61!\","
        "\"password\":\"a\",\"host_key_policy\":\"accept-new\"}]",
        line);
    session = open_at(json, config);
    result = ask(session, "true", &SBX_OPTS(sbx_exec_opts, .timeout_ms = 20000));
    ck_assert_str_eq(sbx_exec_end_name(result->end), "lost");
    ck_assert_int_eq(result->error.executed, SBX_EXECUTED_UNKNOWN);
    sbx_exec_result_free(result);
    sbx_session_free(session);
    helper_end(&server);
    (void)unlink(config);
}
END_TEST

static void set_login_shell(const char *shell)
{
    char command[512];

    (void)snprintf(command, sizeof(command), "usermod -s %s %s", shell, bed.user);
    ck_assert_int_eq(system(command), 0);
}

static void write_script(const char *file, const char *text)
{
    FILE *script = fopen(file, "we");

    ck_assert_ptr_nonnull(script);
    (void)fputs(text, script);
    (void)fclose(script);
    ck_assert_int_eq(chmod(file, 0755), 0);
}

/* A login shell that reads a line takes the header; what follows it is no header. */
START_TEST(input_is_never_read_as_a_header)
{
    const char *file = bed_path("evaluated");
    sbx_exec_result *result = NULL;
    const char *shell = bed_path("reads");
    char input[512];
    sbx_error err = {0};
    sbx_session *session;
    int rc;

    write_script(shell, "#!/bin/sh\nread -r line\nexec /bin/sh \"$@\"\n");
    set_login_shell(shell);
    session = bed_open_straight();
    (void)snprintf(input, sizeof(input), "echo ran >>%s; set -- true\nmore\n", file);
    rc = sbx_exec_shell(session, "cat",
                        &SBX_OPTS(sbx_exec_opts, .input = input,
                                  .input_length = strlen(input), .timeout_ms = 20000),
                        &result, &err);
    ck_assert_msg(!bed_exists(file), "the input was evaluated");
    ck_assert_msg(rc == SBX_ERR_REMOTE, "%d %s", rc, err.text);
    ck_assert_msg(strstr(err.text, "reads standard input") != NULL, "%s", err.text);
    set_login_shell("/bin/sh");
    sbx_session_free(session);
}
END_TEST

struct busy {
    pthread_t thread;
    sbx_session *session;
    sbx_cancel *stop;
};

static void *start_one_after_the_other(void *userdata)
{
    struct busy *busy = userdata;

    while (!sbx_cancel_fired(busy->stop))
        expect_says(busy->session, "echo", NULL, "\n");
    return NULL;
}

START_TEST(a_run_that_is_stopped_at_its_start_is_confirmed_dead_while_others_start)
{
    const sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .kill_after_ms = 200);
    sbx_session *session = bed_open_straight();
    struct busy busy[2] = {{.session = session}, {.session = session}};
    int i;

    ck_assert_int_eq(sbx_cancel_new(&busy[0].stop, NULL), SBX_OK);
    busy[1].stop = busy[0].stop;
    warm(session);
    for (i = 0; i < 2; i++)
        ck_assert_int_eq(
            pthread_create(&busy[i].thread, NULL, start_one_after_the_other, &busy[i]),
            0);
    for (i = 0; i < 12; i++) {
        sbx_exec_opts limited = opts;
        sbx_exec_result *result;

        limited.timeout_ms = 1 + 4 * i;
        result = ask(session, "sleep 1000", &limited);
        expect_stopped(result, SBX_EXEC_TIMED_OUT, "at its start");
        ck_assert_int_eq(processes_of_run(result->run_id), 0);
        sbx_exec_result_free(result);
    }
    sbx_cancel_fire(busy[0].stop);
    for (i = 0; i < 2; i++)
        (void)pthread_join(busy[i].thread, NULL);
    sbx_cancel_free(busy[0].stop);
    sbx_session_free(session);
}
END_TEST

/* A login shell that hangs holds no mark of the run but its command line. */
START_TEST(a_login_shell_that_hangs_is_killed_with_its_children)
{
    const char *shell = bed_path("hangs"), *file = bed_path("hangs.pid");
    sbx_exec_result *result;
    sbx_session *session;
    char text[512];

    (void)snprintf(text, sizeof(text),
                   "#!/bin/sh\n[ -e %s ] || { sleep 1000 & echo $! >%s.new; "
                   "mv %s.new %s; wait; }\nexec /bin/sh \"$@\"\n",
                   file, file, file, file);
    write_script(shell, text);
    set_login_shell(shell);
    session = bed_open_straight();
    result = bed_run(session, "true", 3000, 0);
    set_login_shell("/bin/sh");
    expect_stopped(result, SBX_EXEC_TIMED_OUT, "in its login shell");
    ck_assert(bed_is_gone(file));
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_add_test(tests,
                   what_was_read_of_a_descriptor_is_not_lost_when_what_was_ready_is_dead);
    tcase_add_test(tests, a_supervisor_that_always_dies_is_told_of_warm_as_cold);
    tcase_add_test(tests,
                   a_run_that_was_given_up_before_it_was_sent_does_not_start_later);
    tcase_add_test(tests, an_end_that_is_all_that_came_through_is_no_answer);
    tcase_add_test(tests, input_is_never_read_as_a_header);
    tcase_add_test(
        tests, a_run_that_is_stopped_at_its_start_is_confirmed_dead_while_others_start);
    tcase_add_test(tests, a_login_shell_that_hangs_is_killed_with_its_children);
    tcase_add_test(tests,
                   what_was_read_of_a_descriptor_is_not_lost_when_a_channel_is_refused);
}
