/* base_task.c - tests of calls made in the background. */
#include "support/unit.h"

#include "base/cancel.h"
#include "base/error.h"

#include <sandbox/task.h>

#include <poll.h>
#include <pthread.h>
#include <signal.h>

static int until_cancelled(sbx_cancel *cancel, void *userdata, sbx_error *err)
{
    struct pollfd fd = {.fd = sbi_cancel_fd(cancel), .events = POLLIN};

    (void)userdata;
    (void)poll(&fd, 1, -1);
    return sbi_fail(err, SBX_ERR_CANCELLED, "waited in vain");
}

static int one_more(sbx_cancel *cancel, void *userdata, sbx_error *err)
{
    (void)cancel;
    (void)err;
    ++*(int *)userdata;
    return SBX_OK;
}

static int takes_signals(sbx_cancel *cancel, void *userdata, sbx_error *err)
{
    sigset_t blocked;

    (void)cancel;
    (void)err;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    *(int *)userdata = !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGCHLD);
    return SBX_OK;
}

static void release(void *userdata)
{
    *(int *)userdata += 10;
}

START_TEST(a_task_gives_what_its_function_gave_and_is_released_once)
{
    sbx_task *task = NULL;
    sbx_error err = {.code = 7};
    int count = 0;

    ck_assert_int_eq(sbx_task_start(one_more, &count, release, &task, NULL), SBX_OK);
    ck_assert_int_eq(sbx_task_result(task, &err), SBX_OK);
    ck_assert_int_eq(err.code, 7);
    ck_assert_int_eq(count, 1);
    ck_assert(sbx_task_wait(task, 0));
    sbx_task_free(task);
    ck_assert_int_eq(count, 11);
}
END_TEST

START_TEST(a_wait_ends_at_its_limit_and_a_cancelled_task_says_so)
{
    sbx_task *task = NULL;
    sbx_error err;

    ck_assert_int_eq(sbx_task_start(until_cancelled, NULL, NULL, &task, NULL), SBX_OK);
    ck_assert(!sbx_task_wait(task, 0));
    ck_assert(!sbx_task_wait(task, 20));
    sbx_task_cancel(task);
    ck_assert(sbx_task_wait(task, -1));
    ck_assert_int_eq(sbx_task_result(task, &err), SBX_ERR_CANCELLED);
    ck_assert_str_eq(err.text, "waited in vain");
    ck_assert_int_eq(sbx_task_result(task, NULL), SBX_ERR_CANCELLED);
    sbx_task_free(task);
}
END_TEST

START_TEST(freeing_a_running_task_ends_it)
{
    sbx_task *task = NULL;

    ck_assert_int_eq(sbx_task_start(until_cancelled, NULL, NULL, &task, NULL), SBX_OK);
    sbx_task_free(task);
    sbx_task_free(NULL);
    sbx_task_cancel(NULL);
}
END_TEST

START_TEST(a_task_takes_no_signal_of_the_program)
{
    sbx_task *task = NULL;
    sigset_t before, after;
    int takes = -1;

    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    ck_assert_int_eq(sbx_task_start(takes_signals, &takes, NULL, &task, NULL), SBX_OK);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    ck_assert_int_eq(sbx_task_result(task, NULL), SBX_OK);
    sbx_task_free(task);
    ck_assert_int_eq(takes, 0);
    ck_assert_int_eq(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_task_gives_what_its_function_gave_and_is_released_once);
    tcase_add_test(tests, a_wait_ends_at_its_limit_and_a_cancelled_task_says_so);
    tcase_add_test(tests, freeing_a_running_task_ends_it);
    tcase_add_test(tests, a_task_takes_no_signal_of_the_program);
}
