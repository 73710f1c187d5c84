/* base_flock.c - tests of the lock of a file, which another descriptor holds. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/flock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static char path[64];
static int held, other;
static sbx_cancel *cancel;

/* `held` has the lock, `other` is a second way to the same file. */
static void set_up(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/sbx-lock-XXXXXX");
    held = mkstemp(path);
    other = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(held, 0);
    ck_assert_int_ge(other, 0);
    ck_assert_int_eq(sbi_flock_take(held, sbi_deadline(0), NULL), SBX_OK);
    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
}

static void tear_down(void)
{
    sbx_cancel_free(cancel);
    sbi_close_fd(&held);
    sbi_close_fd(&other);
    (void)unlink(path);
}

static void let_go(void)
{
    (void)close(held);
    held = -1;
}

/* Waits for the lock without an end; what comes of it is its result. */
static void *wait_for_it(void *userdata)
{
    static int rc;

    (void)userdata;
    rc = sbi_flock_take(other, SBI_NEVER, cancel);
    return &rc;
}

static int result_of(pthread_t thread)
{
    void *result = NULL;

    ck_assert_int_eq(pthread_join(thread, &result), 0);
    return *(int *)result;
}

START_TEST(a_lock_that_is_held_is_not_had_and_not_before_the_deadline)
{
    int64_t start = sbi_now_ms();

    ck_assert_int_eq(sbi_flock_take(other, start + 120, NULL), SBX_ERR_TIMEOUT);
    ck_assert_int_ge(sbi_now_ms(), start + 120);
    ck_assert_int_eq(sbi_flock_take(other, start, NULL), SBX_ERR_TIMEOUT);
}
END_TEST

START_TEST(a_lock_that_is_let_go_is_had_by_who_waits_and_at_once_by_who_comes)
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_it, NULL), 0);
    let_go();
    ck_assert_int_eq(result_of(thread), SBX_OK);
    ck_assert_int_eq(sbi_flock_take(other, sbi_deadline(0), NULL), SBX_OK);
}
END_TEST

START_TEST(a_token_ends_the_wait)
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_it, NULL), 0);
    sbx_cancel_fire(cancel);
    ck_assert_int_eq(result_of(thread), SBX_ERR_CANCELLED);
    ck_assert_int_eq(sbi_flock_take(other, SBI_NEVER, cancel), SBX_ERR_CANCELLED);
}
END_TEST

static void on_signal(int number)
{
    (void)number;
}

START_TEST(a_signal_does_not_end_the_wait)
{
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    int i;

    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_it, NULL), 0);
    for (i = 0; i < 20; i++) {
        ck_assert_int_eq(pthread_kill(thread, SIGUSR1), 0);
        (void)usleep(1000);
    }
    let_go();
    ck_assert_int_eq(result_of(thread), SBX_OK);
}
END_TEST

START_TEST(what_cannot_be_locked_says_why)
{
    ck_assert_int_eq(sbi_flock_take(-1, SBI_NEVER, NULL), SBX_ERR_IO);
    ck_assert_int_eq(errno, EBADF);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_lock_that_is_held_is_not_had_and_not_before_the_deadline);
    tcase_add_test(tests,
                   a_lock_that_is_let_go_is_had_by_who_waits_and_at_once_by_who_comes);
    tcase_add_test(tests, a_token_ends_the_wait);
    tcase_add_test(tests, a_signal_does_not_end_the_wait);
    tcase_add_test(tests, what_cannot_be_locked_says_why);
}
