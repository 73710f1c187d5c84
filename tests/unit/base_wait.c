/* base_wait.c - tests of waiting for a descriptor, a moment, or a token. */
#include "support/unit.h"

#include "base/clock.h"
#include "base/wait.h"
#include "base/wake.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

START_TEST(a_readable_descriptor_ends_the_wait)
{
    int fd;

    ck_assert_int_eq(sbi_wake_open(&fd, NULL), SBX_OK);
    sbi_wake_ring(fd);
    ck_assert_int_eq(sbi_wait_readable(fd, SBI_NEVER, NULL), SBX_OK);
    sbi_wake_hush(fd);
    ck_assert_int_eq(sbi_wait_readable(fd, sbi_deadline(0), NULL), SBX_ERR_TIMEOUT);
    (void)close(fd);
}
END_TEST

START_TEST(a_wait_never_ends_before_its_deadline)
{
    int64_t start = sbi_now_ms();
    int fd;

    ck_assert_int_eq(sbi_wake_open(&fd, NULL), SBX_OK);
    ck_assert_int_eq(sbi_wait_readable(fd, start + 50, NULL), SBX_ERR_TIMEOUT);
    ck_assert_int_ge(sbi_now_ms(), start + 50);
    ck_assert_int_eq(sbi_wait_readable(fd, start, NULL), SBX_ERR_TIMEOUT);
    (void)close(fd);
}
END_TEST

START_TEST(a_fired_token_ends_the_wait_even_if_something_is_ready)
{
    sbx_cancel *cancel;
    int fd;

    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    ck_assert_int_eq(sbi_wake_open(&fd, NULL), SBX_OK);
    ck_assert_int_eq(sbi_wait_readable(fd, sbi_deadline(10), cancel), SBX_ERR_TIMEOUT);
    sbx_cancel_fire(cancel);
    ck_assert_int_eq(sbi_wait_readable(fd, SBI_NEVER, cancel), SBX_ERR_CANCELLED);
    sbi_wake_ring(fd);
    ck_assert_int_eq(sbi_wait_readable(fd, SBI_NEVER, cancel), SBX_ERR_CANCELLED);
    sbx_cancel_free(cancel);
    (void)close(fd);
}
END_TEST

START_TEST(of_many_the_ready_one_is_told)
{
    struct pollfd fds[12];
    size_t i;

    for (i = 0; i < 12; i++) {
        fds[i] = (struct pollfd){.events = POLLIN};
        ck_assert_int_eq(sbi_wake_open(&fds[i].fd, NULL), SBX_OK);
    }
    sbi_wake_ring(fds[11].fd);
    ck_assert_int_eq(sbi_wait_any(fds, 12, SBI_NEVER, NULL), SBX_OK);
    ck_assert_int_eq(fds[11].revents, POLLIN);
    ck_assert_int_eq(fds[0].revents, 0);
    ck_assert_int_eq(sbi_wait_any(fds, 0, sbi_deadline(1), NULL), SBX_ERR_TIMEOUT);
    for (i = 0; i < 12; i++)
        (void)close(fds[i].fd);
}
END_TEST

static void on_signal(int number)
{
    (void)number;
}

static void *pester(void *userdata)
{
    int i;

    for (i = 0; i < 20; i++) {
        (void)pthread_kill(*(pthread_t *)userdata, SIGUSR1);
        (void)usleep(1000);
    }
    return NULL;
}

START_TEST(a_signal_does_not_end_a_wait)
{
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t self = pthread_self(), thread;
    int64_t end = sbi_deadline(100);
    int fd;

    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(sbi_wake_open(&fd, NULL), SBX_OK);
    ck_assert_int_eq(pthread_create(&thread, NULL, pester, &self), 0);
    ck_assert_int_eq(sbi_wait_readable(fd, end, NULL), SBX_ERR_TIMEOUT);
    ck_assert_int_ge(sbi_now_ms(), end);
    (void)pthread_join(thread, NULL);
    (void)close(fd);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_readable_descriptor_ends_the_wait);
    tcase_add_test(tests, a_wait_never_ends_before_its_deadline);
    tcase_add_test(tests, a_fired_token_ends_the_wait_even_if_something_is_ready);
    tcase_add_test(tests, of_many_the_ready_one_is_told);
    tcase_add_test(tests, a_signal_does_not_end_a_wait);
}
