/* ledger_watches.c - what happened is written once, with who is to be told, whoever is
 * killed meanwhile. */
#include "support/ledger.h"

#include "ledger/watches.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t add_watch(const char *place, const char *job)
{
    char settings[] = "{}";
    struct sbi_watch row = {.place = (char *)(uintptr_t)place,
                            .job = (char *)(uintptr_t)job,
                            .settings = settings};
    int64_t number = 0;

    ck_assert_msg(sbi_watches_add(ledger, &row, &number, &err) == SBX_OK, "%s", err.text);
    return number;
}

static void read_one(sbx_ledger *from, int64_t number, struct sbi_watches *out)
{
    const struct sbi_watch_query query = {.number = number};

    ck_assert_int_eq(sbi_watches_read(from, &query, out, &err), SBX_OK);
    ck_assert_uint_eq(out->count, 1);
}

static const char *const two_ways[] = {"webhook", "folder", NULL};

/* Tells of kind, as of what was read; true where it was written. */
static bool tell(sbx_ledger *to, const struct sbi_watch *watch, const char *kind,
                 int64_t n)
{
    const struct sbi_happened happened = {.kind = kind,
                                          .n = n,
                                          .summary = "s",
                                          .detail = "{}",
                                          .ways = two_ways,
                                          .noted = true};
    struct sbi_seen seen = watch->seen;
    bool applied = false;

    seen.aways++;
    ck_assert_msg(sbi_watches_turn(to, watch, &seen, "running", false, &happened, 1,
                                   &applied, &err) == SBX_OK,
                  "%s", err.text);
    return applied;
}

static size_t count_events(void)
{
    const struct sbi_event_query all = {.most = -1};
    SBI_AUTO_EVENTS events = {0};

    ck_assert_int_eq(sbi_events_read(ledger, &all, &events, &err), SBX_OK);
    return events.count;
}

static bool is_alive;
static bool lives(int64_t name, void *userdata)
{
    (void)userdata;
    ck_assert_int_ne(name, 0);
    return is_alive;
}

static int64_t take(int64_t name, int64_t now_ms, struct sbi_delivery *out)
{
    sbi_delivery_clear(out);
    ck_assert_msg(sbi_deliveries_take(ledger, name, now_ms, lives, NULL, out, &err) ==
                      SBX_OK,
                  "%s", err.text);
    return out->number;
}

START_TEST(a_job_has_one_watch)
{
    SBI_AUTO_WATCHES watches = {0};
    int64_t number = add_watch("gpu1", "a-1");

    ck_assert_int_eq(add_watch("gpu1", "a-1"), number);
    ck_assert_int_ne(add_watch("gpu1", "a-2"), number);
    ck_assert_int_ne(add_watch("gpu2", "a-1"), number);
    read_one(ledger, number, &watches);
    ck_assert_str_eq(watches.items[0].place, "gpu1");
    ck_assert_str_eq(watches.items[0].job, "a-1");
    ck_assert_ptr_null(watches.items[0].ssh_config);
    ck_assert_int_eq(watches.items[0].seen.percent, -1);
}
END_TEST

START_TEST(of_three_that_saw_the_same_one_writes_it)
{
    SBI_AUTO_WATCHES first = {0}, second = {0}, third = {0};
    int64_t number = add_watch("gpu1", "a-1");
    sbx_ledger *other = NULL;
    sbx_ledger_query query = {.size = sizeof(query), .kind = "job.failed"};
    sbx_ledger_list *list = NULL;

    ck_assert_int_eq(sbx_ledger_open(path, &other, &err), SBX_OK);
    read_one(ledger, number, &first);
    read_one(other, number, &second);
    read_one(other, number, &third);
    ck_assert(tell(ledger, first.items, "failed", 0));
    ck_assert(!tell(other, second.items, "failed", 0));
    ck_assert(!tell(ledger, third.items, "failed", 0));
    ck_assert_uint_eq(count_events(), 1);
    ck_assert_int_eq(sbx_ledger_list_all(ledger, &query, &list, &err), SBX_OK);
    ck_assert_uint_eq(list->count, 1);
    ck_assert_str_eq(list->items[0].subject, "a-1");
    sbx_ledger_list_free(list);
    sbx_ledger_close(other);
}
END_TEST

START_TEST(the_same_event_is_never_written_twice)
{
    int64_t number = add_watch("gpu1", "a-1");
    int i;

    for (i = 0; i < 3; i++) {
        SBI_AUTO_WATCHES now = {0};

        read_one(ledger, number, &now);
        ck_assert(tell(ledger, now.items, "unreachable", 1));
    }
    ck_assert_uint_eq(count_events(), 1);
}
END_TEST

START_TEST(a_delivery_is_made_by_one_and_freed_when_that_one_is_killed)
{
    SBI_AUTO_WATCHES now = {0};
    SBI_AUTO_DELIVERY one = {0};
    SBI_AUTO_DELIVERY two = {0};
    int64_t number = add_watch("gpu1", "a-1");

    read_one(ledger, number, &now);
    ck_assert(tell(ledger, now.items, "failed", 0));
    is_alive = true;
    ck_assert_int_ne(take(7, 1000, &one), 0);
    ck_assert_int_ne(take(7, 1000, &two), 0);
    ck_assert_int_ne(one.number, two.number);
    ck_assert_str_eq(one.way, "webhook");
    ck_assert_str_eq(two.way, "folder");
    ck_assert_int_eq(take(8, 1000, &two), 0);
    is_alive = false;
    ck_assert_int_eq(take(8, 1000, &two), one.number);
    ck_assert_int_eq(two.tries, 2);
}
END_TEST

START_TEST(a_clock_that_is_set_neither_holds_up_a_delivery_nor_hurries_it)
{
    const int64_t hour = 3600000, noon = 1000 * hour;
    const int64_t back[] = {10 * hour, hour, hour / 60};
    SBI_AUTO_WATCHES now = {0};
    SBI_AUTO_DELIVERY one = {0};
    SBI_AUTO_DELIVERY rest = {0};
    int64_t number = add_watch("gpu1", "a-1");
    size_t i;

    read_one(ledger, number, &now);
    ck_assert(tell(ledger, now.items, "failed", 0));
    ck_assert_int_ne(take(7, noon, &rest), 0);
    ck_assert_int_eq(sbi_deliveries_end(ledger, &rest, SBI_DELIVERED, 0, NULL, &err),
                     SBX_OK);
    ck_assert_int_ne(take(7, noon, &one), 0);
    ck_assert_int_eq(sbi_deliveries_end(ledger, &one, SBI_DELIVER_AGAIN, noon + 1000,
                                        "no answer", &err),
                     SBX_OK);
    ck_assert_int_eq(take(7, noon + 999, &one), 0);
    for (i = 0; i < sizeof(back) / sizeof(back[0]); i++) { /* set back */
        ck_assert_int_eq(take(7, noon - back[i], &one), rest.number + 1);
        ck_assert_int_eq(sbi_deliveries_end(ledger, &one, SBI_DELIVER_AGAIN, noon + 1000,
                                            "no answer", &err),
                         SBX_OK);
    }
    ck_assert_int_ne(take(7, noon + 10 * hour, &one), 0); /* set forward: once */
    ck_assert_int_eq(sbi_deliveries_end(ledger, &one, SBI_DELIVER_NEVER, 0, "no", &err),
                     SBX_OK);
    ck_assert_int_eq(take(7, noon + 20 * hour, &one), 0);
}
END_TEST

START_TEST(one_that_is_removed_takes_what_was_to_be_delivered_along)
{
    SBI_AUTO_WATCHES now = {0};
    SBI_AUTO_DELIVERY one = {0};
    int64_t number = add_watch("gpu1", "a-1");

    read_one(ledger, number, &now);
    ck_assert(tell(ledger, now.items, "failed", 0));
    ck_assert_int_eq(sbi_watches_remove(ledger, number, &err), SBX_OK);
    ck_assert_int_eq(take(7, 1000, &one), 0);
    ck_assert_uint_eq(count_events(), 1);
    ck_assert_int_eq(sbi_watches_remove(ledger, number, &err), SBX_ERR_NOT_FOUND);
}
END_TEST

START_TEST(a_ledger_of_the_version_before_is_brought_up)
{
    static const char *const older =
        "DROP TABLE watch; DROP TABLE event; DROP TABLE delivery; PRAGMA user_version = 1";
    const sbx_ledger_entry entry = {.size = sizeof(entry), .kind = "job.start"};
    int64_t count = 0;

    ck_assert_int_eq(sbx_ledger_add(ledger, &entry, NULL, &err), SBX_OK);
    sbx_ledger_close(ledger);
    ledger_meddle(older);
    ck_assert_msg(sbx_ledger_open(path, &ledger, &err) == SBX_OK, "%s", err.text);
    ck_assert_int_eq(add_watch("gpu1", "a-1"), 1);
    ck_assert_int_eq(sbx_ledger_verify(ledger, &count, NULL, &err), SBX_OK);
    ck_assert_int_eq(count, 1);
}
END_TEST

/* Each that is killed wrote whole turns: as many as it counted, or one more. */
START_TEST(a_watchdog_that_is_killed_leaves_events_and_state_as_one)
{
    int64_t number = add_watch("gpu1", "a-1");
    int round, status;
    pid_t child;

    for (round = 0; round < 10; round++) {
        SBI_AUTO_WATCHES now = {0};
        size_t before = count_events();

        child = fork();
        if (child == 0) {
            sbx_ledger *own = NULL;
            int64_t n;

            if (sbx_ledger_open(path, &own, NULL) < 0)
                _exit(1);
            for (;;) {
                SBI_AUTO_WATCHES mine = {0};

                read_one(own, number, &mine);
                n = mine.items[0].seen.aways;
                (void)tell(own, mine.items, "unreachable", n);
            }
        }
        while (count_events() < before + 1 + (size_t)round % 4)
            (void)sched_yield();
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        read_one(ledger, number, &now);
        ck_assert_int_eq(now.items[0].seen.aways, (int64_t)count_events());
        ck_assert_int_eq(now.items[0].version, now.items[0].seen.aways);
        ck_assert_int_eq(now.items[0].waiting, 2 * now.items[0].seen.aways);
    }
}
END_TEST

START_TEST(a_ledger_that_is_replaced_is_noticed)
{
    ck_assert_int_ge(sbi_ledger_pulse(ledger), 0);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(sbi_ledger_pulse(ledger), -1);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, ledger_setup, ledger_teardown);
    tcase_add_test(tests, a_job_has_one_watch);
    tcase_add_test(tests, of_three_that_saw_the_same_one_writes_it);
    tcase_add_test(tests, the_same_event_is_never_written_twice);
    tcase_add_test(tests, a_delivery_is_made_by_one_and_freed_when_that_one_is_killed);
    tcase_add_test(tests, a_clock_that_is_set_neither_holds_up_a_delivery_nor_hurries_it);
    tcase_add_test(tests, one_that_is_removed_takes_what_was_to_be_delivered_along);
    tcase_add_test(tests, a_ledger_of_the_version_before_is_brought_up);
    tcase_add_test(tests, a_watchdog_that_is_killed_leaves_events_and_state_as_one);
    tcase_add_test(tests, a_ledger_that_is_replaced_is_noticed);
}
