/* base_cancel.c - tests of the token that stops a call from outside. */
#include "support/unit.h"

#include "base/cancel.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

static sbx_cancel *token;

static bool is_readable(const sbx_cancel *cancel)
{
    struct pollfd fd = {sbi_cancel_fd(cancel), POLLIN, 0};

    return poll(&fd, 1, 0) == 1;
}

START_TEST(a_token_is_silent_until_it_is_fired_and_rings_ever_after)
{
    sbx_cancel *cancel = NULL;

    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    ck_assert(!sbx_cancel_fired(cancel));
    ck_assert(!is_readable(cancel));
    sbx_cancel_fire(cancel);
    sbx_cancel_fire(cancel);
    ck_assert(sbx_cancel_fired(cancel));
    ck_assert(is_readable(cancel));
    ck_assert(is_readable(cancel));
    sbx_cancel_free(cancel);
}
END_TEST

START_TEST(no_token_is_never_fired)
{
    sbx_cancel_fire(NULL);
    ck_assert(!sbx_cancel_fired(NULL));
    ck_assert_int_eq(sbi_cancel_fd(NULL), -1);
    sbx_cancel_free(NULL);
}
END_TEST

START_TEST(its_descriptor_is_closed_in_programs_we_start)
{
    sbx_cancel *cancel = NULL;

    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    ck_assert_int_eq(fcntl(sbi_cancel_fd(cancel), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    sbx_cancel_free(cancel);
}
END_TEST

static void on_signal(int number)
{
    (void)number;
    sbx_cancel_fire(token);
}

START_TEST(a_signal_handler_may_fire_it)
{
    struct sigaction action = {.sa_handler = on_signal};

    ck_assert_int_eq(sbx_cancel_new(&token, NULL), SBX_OK);
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert(sbx_cancel_fired(token));
    sbx_cancel_free(token);
}
END_TEST

static void *fire(void *userdata)
{
    sbx_cancel_fire(userdata);
    return NULL;
}

START_TEST(any_thread_may_fire_it)
{
    struct pollfd fd = {0};
    sbx_cancel *cancel = NULL;
    pthread_t threads[4];
    int i;

    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    fd = (struct pollfd){sbi_cancel_fd(cancel), POLLIN, 0};
    for (i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, fire, cancel), 0);
    ck_assert_int_eq(poll(&fd, 1, 10000), 1);
    for (i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    ck_assert(sbx_cancel_fired(cancel));
    sbx_cancel_free(cancel);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_token_is_silent_until_it_is_fired_and_rings_ever_after);
    tcase_add_test(tests, no_token_is_never_fired);
    tcase_add_test(tests, its_descriptor_is_closed_in_programs_we_start);
    tcase_add_test(tests, a_signal_handler_may_fire_it);
    tcase_add_test(tests, any_thread_may_fire_it);
}
