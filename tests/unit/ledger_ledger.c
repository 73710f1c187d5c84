/* ledger_ledger.c - entries are added whole, chained, found again; no other file is
 * touched. */
#include "support/ledger.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void add(const char *kind, const char *place, const char *subject)
{
    const sbx_ledger_entry entry = {
        .size = sizeof(entry), .kind = kind, .place = place, .subject = subject};

    ck_assert_msg(sbx_ledger_add(ledger, &entry, NULL, &err) == SBX_OK, "%s", err.text);
}

/* The subjects that a query finds, with blanks between. */
static const char *found(sbx_ledger_query query)
{
    static char subjects[256];
    sbx_ledger_list *list = NULL;
    size_t used = 0, i;

    query.size = sizeof(query);
    ck_assert_msg(sbx_ledger_list_all(ledger, &query, &list, &err) == SBX_OK, "%s",
                  err.text);
    subjects[0] = '\0';
    for (i = 0; i < list->count; i++)
        used += (size_t)snprintf(subjects + used, sizeof(subjects) - used, "%s%s",
                                 i == 0 ? "" : " ", list->items[i].subject);
    sbx_ledger_list_free(list);
    return subjects;
}

START_TEST(an_entry_is_found_as_it_was_added)
{
    const sbx_ledger_entry entry = {.size = sizeof(entry),
                                    .kind = "job.start",
                                    .place = "gpu1",
                                    .subject = "train-1",
                                    .detail = "{\"gpus\":[\"GPU-1\"],\"n\":\"\\u00fc\"}"};
    sbx_ledger_query query = {.size = sizeof(query)};
    sbx_ledger_list *list = NULL;
    int64_t number = 0;
    struct stat info;
    char *json;

    ck_assert_int_eq(sbx_ledger_add(ledger, &entry, &number, &err), SBX_OK);
    ck_assert_int_eq(number, 1);
    ck_assert_int_eq(sbx_ledger_list_all(ledger, &query, &list, &err), SBX_OK);
    ck_assert_uint_eq(list->count, 1);
    ck_assert_str_eq(list->items[0].kind, "job.start");
    ck_assert_str_eq(list->items[0].place, "gpu1");
    ck_assert_str_eq(list->items[0].detail, entry.detail);
    ck_assert_ptr_nonnull(strchr(list->items[0].actor, '@'));
    ck_assert_uint_eq(strlen(list->items[0].hash), 64);
    ck_assert_int_gt(list->items[0].at_ms, INT64_C(1700000000000));
    json = sbx_ledger_entry_json(&list->items[0]);
    ck_assert_ptr_nonnull(strstr(json, "\"detail\":{\"gpus\":[\"GPU-1\"]"));
    sbx_free(json);
    sbx_ledger_list_free(list);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
}
END_TEST

START_TEST(queries_find_what_they_say_the_oldest_first)
{
    add("job.start", "a", "1");
    add("job.stop", "a", "2");
    add("job", "b", "3");
    add("jobs.other", "b", "4");
    add("run", "a", "5");
    ck_assert_str_eq(found((sbx_ledger_query){0}), "1 2 3 4 5");
    ck_assert_str_eq(found((sbx_ledger_query){.most = 2}), "4 5");
    ck_assert_str_eq(found((sbx_ledger_query){.most = -1, .after = 3}), "4 5");
    ck_assert_str_eq(found((sbx_ledger_query){.kind = "job."}), "1 2");
    ck_assert_str_eq(found((sbx_ledger_query){.kind = "job"}), "3");
    ck_assert_str_eq(found((sbx_ledger_query){.place = "a", .most = 2}), "2 5");
    ck_assert_str_eq(found((sbx_ledger_query){.subject = "4"}), "4");
    ck_assert_str_eq(found((sbx_ledger_query){.since_ms = INT64_MAX}), "");
}
END_TEST

START_TEST(an_entry_that_was_changed_or_taken_out_is_found)
{
    static const char *const tricks[] = {
        "DROP TRIGGER entry_kept; UPDATE entry SET place = 'z' WHERE number = 2",
        "DROP TRIGGER entry_kept; UPDATE entry SET place = NULL WHERE number = 2",
        "DROP TRIGGER entry_stays; DELETE FROM entry WHERE number = 2",
    };
    int64_t count = 0;
    char last[65];
    size_t i;

    for (i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
        add("x", "a", "1");
        add("x", "", "2");
        add("x", "a", "3");
        ck_assert_int_eq(sbx_ledger_verify(ledger, &count, last, &err), SBX_OK);
        ck_assert_int_eq(count, 3);
        ck_assert_uint_eq(strlen(last), 64);
        ledger_meddle(tricks[i]);
        ck_assert_int_eq(sbx_ledger_verify(ledger, &count, last, &err), SBX_ERR_CONFLICT);
        ck_assert_ptr_nonnull(strstr(err.text, "entry 2 "));
        ledger_teardown();
        ledger_setup();
    }
}
END_TEST

START_TEST(entries_cannot_be_changed_by_accident)
{
    sqlite3 *sqlite = NULL;

    add("x", "a", "1");
    ck_assert_int_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    ck_assert_int_eq(
        sqlite3_exec(sqlite, "UPDATE entry SET kind = 'y'", NULL, NULL, NULL),
        SQLITE_CONSTRAINT);
    ck_assert_int_eq(sqlite3_exec(sqlite, "DELETE FROM entry", NULL, NULL, NULL),
                     SQLITE_CONSTRAINT);
    (void)sqlite3_close(sqlite);
}
END_TEST

START_TEST(bad_entries_are_refused)
{
    static const sbx_ledger_entry bad[] = {
        {.size = sizeof(bad[0])},
        {.size = sizeof(bad[0]), .kind = ""},
        {.size = sizeof(bad[0]), .kind = "Two Words"},
        {.size = sizeof(bad[0]), .kind = "x", .place = "\xff"},
        {.size = sizeof(bad[0]), .kind = "x", .detail = "no json"},
        {.size = sizeof(bad[0]), .kind = "x", .detail = "[1]"},
        {.size = 3, .kind = "x"},
    };
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_int_eq(sbx_ledger_add(ledger, &bad[i], NULL, &err), SBX_ERR_INVALID);
    ck_assert_str_eq(found((sbx_ledger_query){0}), "");
}
END_TEST

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_file_that_is_no_ledger_is_left_as_it_is)
{
    static const char text[] =
        "this is no database, but somebody's letter, which is long";
    sbx_ledger *other = NULL;
    char read[128] = "";
    int fd;

    sbx_ledger_close(ledger);
    ledger = NULL;
    write_file(text);
    ck_assert_int_eq(sbx_ledger_open(path, &other, &err), SBX_ERR_CONFIG);
    ck_assert_ptr_nonnull(strstr(err.fix, "move the file away"));
    fd = open(path, O_RDONLY);
    ck_assert_int_eq(pread(fd, read, sizeof(read) - 1, 0), (ssize_t)strlen(text));
    ck_assert_str_eq(read, text);
    (void)close(fd);
    ck_assert_int_eq(unlink(path), 0);
    ledger_meddle("CREATE TABLE mine (x)");
    ck_assert_int_eq(sbx_ledger_open(path, &other, &err), SBX_ERR_CONFIG);
    ck_assert_ptr_nonnull(strstr(err.text, "of another kind"));
    ledger_meddle("INSERT INTO mine VALUES (1)");
}
END_TEST

START_TEST(one_of_a_newer_version_is_refused)
{
    sbx_ledger *other = NULL;

    add("x", "a", "1");
    sbx_ledger_close(ledger);
    ledger = NULL;
    ledger_meddle("PRAGMA user_version = 99");
    ck_assert_int_eq(sbx_ledger_open(path, &other, &err), SBX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "newer version"));
}
END_TEST

static void *add_fifty(void *userdata)
{
    int i;

    (void)userdata;
    for (i = 0; i < 50; i++)
        add("x", "thread", "y");
    return NULL;
}

START_TEST(many_processes_and_threads_write_one_chain)
{
    pthread_t threads[4];
    pid_t children[4];
    int64_t count = 0;
    int i, j, status;

    sbx_ledger_close(ledger);
    for (i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            if (sbx_ledger_open(path, &ledger, &err) < 0)
                _exit(1);
            for (j = 0; j < 50; j++)
                add("x", "process", "y");
            sbx_ledger_close(ledger);
            _exit(0);
        }
    }
    ck_assert_int_eq(sbx_ledger_open(path, &ledger, &err), SBX_OK);
    for (i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, add_fifty, NULL), 0);
    for (i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for (i = 0; i < 4; i++) {
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_msg(sbx_ledger_verify(ledger, &count, NULL, &err) == SBX_OK, "%s",
                  err.text);
    ck_assert_int_eq(count, 400);
}
END_TEST

START_TEST(many_who_make_a_ledger_at_once_all_open_it)
{
    sbx_ledger *mine = NULL;
    char fresh[160];
    int round, i, status;

    for (round = 0; round < 10; round++) {
        pid_t children[8];

        (void)snprintf(fresh, sizeof(fresh), "%s/fresh%d/ledger.db", folder, round);
        for (i = 0; i < 8; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                int rc = sbx_ledger_open(fresh, &mine, &err);

                if (rc < 0)
                    (void)fprintf(stderr, "%s\n", err.text);
                _exit(rc == SBX_OK ? 0 : 1);
            }
        }
        for (i = 0; i < 8; i++) {
            ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
            ck_assert_int_eq(status, 0);
        }
    }
}
END_TEST

START_TEST(a_writer_that_is_killed_leaves_whole_entries)
{
    int64_t count = 0;
    int round, status;
    pid_t child;

    for (round = 0; round < 5; round++) {
        child = fork();
        if (child == 0) {
            sbx_ledger *own = NULL;
            const sbx_ledger_entry entry = {.size = sizeof(entry), .kind = "x"};

            if (sbx_ledger_open(path, &own, NULL) < 0)
                _exit(1);
            for (;;)
                (void)sbx_ledger_add(own, &entry, NULL, NULL);
        }
        while (count == 0 || count % 7 != round)
            ck_assert_int_eq(sbx_ledger_verify(ledger, &count, NULL, &err), SBX_OK);
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(sbx_ledger_verify(ledger, &count, NULL, &err) == SBX_OK, "%s",
                      err.text);
        add("x", "after", "y");
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, ledger_setup, ledger_teardown);
    tcase_add_test(tests, an_entry_is_found_as_it_was_added);
    tcase_add_test(tests, queries_find_what_they_say_the_oldest_first);
    tcase_add_test(tests, an_entry_that_was_changed_or_taken_out_is_found);
    tcase_add_test(tests, entries_cannot_be_changed_by_accident);
    tcase_add_test(tests, bad_entries_are_refused);
    tcase_add_test(tests, a_file_that_is_no_ledger_is_left_as_it_is);
    tcase_add_test(tests, one_of_a_newer_version_is_refused);
    tcase_add_test(tests, many_processes_and_threads_write_one_chain);
    tcase_add_test(tests, many_who_make_a_ledger_at_once_all_open_it);
    tcase_add_test(tests, a_writer_that_is_killed_leaves_whole_entries);
}
