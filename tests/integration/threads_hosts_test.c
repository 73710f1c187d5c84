/* threads_hosts_test.c - a set of hosts that many ask while its ssh_config changes. */
#include "support/unit.h"

#include <sandbox/host.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASKERS = 4, ROUNDS = 200 };

static char folder[64], config[128];
static sbx_hosts *hosts;
static atomic_int wrong;

/* Replaced whole: nobody ever reads the half of one. */
static void write_config(int round)
{
    char path[160];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s.new", config);
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_gt(fprintf(file,
                             "Host a b\n  User u%d\n  CanonicalDomains X.Example.\n"
                             "Host *\n  HostName %d.lab\nMatch user u*\n  Port 22\n",
                             round, round),
                     0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(rename(path, config), 0);
}

static void set_up(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = config};
    sbx_error err = {0};

    (void)snprintf(folder, sizeof(folder), "/tmp/sbxt.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(config, sizeof(config), "%s/config", folder);
    write_config(0);
    ck_assert_msg(sbx_hosts_parse("[]", 2, &opts, &hosts, &err) == SBX_OK, "%s",
                  err.text);
}

static void tear_down(void)
{
    sbx_hosts_free(hosts);
    (void)unlink(config);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* The two values of one answer are of one file. */
static bool answers_as_one(const char *word)
{
    const sbx_host *host = NULL;
    char name[32];
    char *json;
    bool good;

    if (sbx_hosts_get(hosts, word, &host, NULL) < 0)
        return false;
    (void)snprintf(name, sizeof(name), "%s.lab", host->user + 1);
    json = sbx_host_json(hosts, host);
    good = strcmp(host->address, name) == 0 && json != NULL && strstr(json, ".lab\"");
    sbx_free(json);
    return good;
}

static void *ask(void *userdata)
{
    const char *const words[] = {"a", "b"};
    int i;

    (void)userdata;
    for (i = 0; i < ROUNDS; i++)
        if (!answers_as_one(words[i % 2]))
            (void)atomic_fetch_add(&wrong, 1);
    return NULL;
}

START_TEST(many_ask_of_files_that_change_and_each_answer_is_of_one_file)
{
    pthread_t threads[ASKERS];
    int i;

    for (i = 0; i < ASKERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, NULL), 0);
    for (i = 1; i < ROUNDS; i++)
        write_config(i);
    for (i = 0; i < ASKERS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_int_eq(atomic_load(&wrong), 0);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, many_ask_of_files_that_change_and_each_answer_is_of_one_file);
}
