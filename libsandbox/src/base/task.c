/* task.c - runs a blocking call on a thread of its own. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"

#include <sandbox/task.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

struct sbx_task {
    sbx_task_fn fn;
    void *userdata;
    sbx_task_release_fn release;
    sbx_cancel *cancel;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t ended;
    bool done;
    int rc;
    sbx_error error;
};

static void *run(void *userdata)
{
    sbx_task *task = userdata;
    sbx_error error = {0};
    int rc = task->fn(task->cancel, task->userdata, &error);

    (void)pthread_mutex_lock(&task->lock);
    task->rc = rc;
    task->error = error;
    task->done = true;
    (void)pthread_cond_broadcast(&task->ended);
    (void)pthread_mutex_unlock(&task->lock);
    return NULL;
}

static int start_thread(sbx_task *task, sbx_error *err)
{
    errno = sbi_thread_start(&task->thread, run, task);
    if (errno != 0)
        return sbi_fail_errno(err, SBX_ERR_LIMIT, "make a thread");
    return SBX_OK;
}

static void init_waiting(sbx_task *task)
{
    pthread_condattr_t monotonic;

    (void)pthread_mutex_init(&task->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&task->ended, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}

static void unmake(sbx_task *task)
{
    (void)pthread_cond_destroy(&task->ended);
    (void)pthread_mutex_destroy(&task->lock);
    sbx_cancel_free(task->cancel);
    free(task);
}

int sbx_task_start(sbx_task_fn fn, void *userdata, sbx_task_release_fn release,
                   sbx_task **out, sbx_error *err)
{
    sbx_task *task = calloc(1, sizeof(*task));
    int rc;

    if (task == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "start a task: out of memory");

    *task = (sbx_task){.fn = fn, .userdata = userdata, .release = release};
    init_waiting(task);
    rc = sbx_cancel_new(&task->cancel, err);
    if (rc == SBX_OK)
        rc = start_thread(task, err);
    if (rc < 0) {
        unmake(task);
        return sbi_wrap(err, rc, "start a task");
    }
    *out = task;
    return SBX_OK;
}

/* With the lock held; true once done, false when the deadline has passed. */
static bool wait_until(sbx_task *task, int64_t deadline)
{
    struct timespec moment = {.tv_sec = (time_t)(deadline / 1000),
                              .tv_nsec = (long)(deadline % 1000) * 1000000};
    int rc = 0;

    while (!task->done && rc == 0) {
        if (deadline == SBI_NEVER)
            rc = pthread_cond_wait(&task->ended, &task->lock);
        else
            rc = pthread_cond_timedwait(&task->ended, &task->lock, &moment);
    }
    return task->done;
}

bool sbx_task_wait(sbx_task *task, int64_t timeout_ms)
{
    int64_t deadline = sbi_deadline(timeout_ms);
    bool done;

    (void)pthread_mutex_lock(&task->lock);
    done = wait_until(task, deadline);
    (void)pthread_mutex_unlock(&task->lock);
    return done;
}

int sbx_task_result(sbx_task *task, sbx_error *err)
{
    (void)sbx_task_wait(task, -1);
    if (task->rc < 0 && err != NULL)
        *err = task->error;
    return task->rc;
}

void sbx_task_cancel(sbx_task *task)
{
    if (task != NULL)
        sbx_cancel_fire(task->cancel);
}

void sbx_task_free(sbx_task *task)
{
    if (task == NULL)
        return;
    sbx_cancel_fire(task->cancel);
    (void)pthread_join(task->thread, NULL);
    if (task->release != NULL)
        task->release(task->userdata);
    unmake(task);
}
