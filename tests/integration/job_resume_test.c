/* job_resume_test.c - many who ask for the same next generation get one, and are told. */
#include "support/places.h"

#include <sandbox/job.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASKERS 6

struct asker {
    sbx_session *session;
    const char *id;
    sbx_job_resumed *resumed;
    sbx_error error;
    pthread_t thread;
};

static void *ask(void *userdata)
{
    struct asker *asker = userdata;

    (void)sbx_job_resume(asker->session, asker->id,
                         &SBX_OPTS(sbx_job_resume_opts, .generation = 1, .by = "asker"),
                         &asker->resumed, &asker->error);
    return NULL;
}

static sbx_job *start(sbx_session *session, const char *command)
{
    sbx_job *job = NULL;
    sbx_error err = {0};
    const sbx_job_start_opts opts = {.size = sizeof(opts),
                                     .flags = SBX_JOB_NO_TERMINAL,
                                     .resume_max = 1,
                                     .resume_delay_ms = -1,
                                     .resume_command = "echo again; exit 4"};

    ck_assert_msg(sbx_job_start(session, command, &opts, &job, &err) == SBX_OK, "%s",
                  err.text);
    return job;
}

/* As it is once its generation of that number has ended. */
static sbx_job *ended(sbx_session *session, const char *id, int generation)
{
    sbx_job *job = NULL;
    sbx_error err = {0};
    int i;

    for (i = 0; i < 200; i++) {
        sbx_job_free(job);
        job = NULL;
        ck_assert_msg(sbx_job_show(session, id, NULL, &job, &err) == SBX_OK, "%s",
                      err.text);
        if (job->generation == generation && sbx_job_ended(job))
            return job;
        (void)usleep(100000);
    }
    ck_abort_msg("it did not end");
}

START_TEST(of_many_who_ask_at_once_one_makes_the_generation)
{
    sbx_session *session = place_open(_i);
    sbx_job *job = start(session, "echo first; kill -9 $$");
    struct asker askers[ASKERS];
    sbx_job_log *log = NULL;
    int counts[SBX_JOB_LEFTOVERS + 1] = {0};
    int i;

    sbx_job_free(ended(session, job->id, 0));
    for (i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){.session = session, .id = job->id};
        ck_assert_int_eq(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
    }
    for (i = 0; i < ASKERS; i++) {
        (void)pthread_join(askers[i].thread, NULL);
        ck_assert_msg(askers[i].resumed != NULL, "%s", askers[i].error.text);
        ck_assert_int_eq(askers[i].resumed->generation, 1);
        counts[askers[i].resumed->answer]++;
        sbx_job_resumed_free(askers[i].resumed);
    }
    ck_assert_int_eq(counts[SBX_JOB_RESUMED], 1);
    ck_assert_int_eq(counts[SBX_JOB_ALREADY], ASKERS - 1);
    sbx_job_free(ended(session, job->id, 1));
    ck_assert_int_eq(sbx_job_log_read(session, job->id, NULL, &log, NULL), SBX_OK);
    ck_assert_ptr_nonnull(strstr(log->data, "first\n[sbx: resumed, generation 1, "));
    ck_assert_ptr_nonnull(strstr(log->data, ", by asker]\nagain\n"));
    ck_assert_ptr_null(strstr(strstr(log->data, "again\n") + 1, "again\n"));
    sbx_job_log_free(log);
    sbx_job_free(job);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_generation_that_is_not_the_next_is_refused)
{
    sbx_session *session = place_open(_i);
    sbx_job *job = start(session, "kill -9 $$"), *now;
    sbx_job_resumed *resumed = NULL;
    sbx_error err = {0};

    sbx_job_free(ended(session, job->id, 0));
    ck_assert_int_eq(sbx_job_resume(session, job->id,
                                    &SBX_OPTS(sbx_job_resume_opts, .generation = 2),
                                    &resumed, &err),
                     SBX_ERR_CONFLICT);
    ck_assert_ptr_null(resumed);
    ck_assert_msg(sbx_job_resume(session, job->id,
                                 &SBX_OPTS(sbx_job_resume_opts, .by = "a\nb"), &resumed,
                                 &err) == SBX_OK,
                  "%s", err.text);
    ck_assert_int_eq(resumed->answer, SBX_JOB_RESUMED);
    sbx_job_resumed_free(resumed);
    now = ended(session, job->id, 1);
    ck_assert_int_eq(now->exit_code, 4);
    ck_assert_uint_eq(now->run_count, 2);
    ck_assert_str_eq(now->runs[1]->resumed_by, "a\nb");
    sbx_job_free(now);
    sbx_job_free(job);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, DROPBEAR);
    tcase_add_loop_test(tests, of_many_who_ask_at_once_one_makes_the_generation, LOCAL,
                        DROPBEAR);
    tcase_add_loop_test(tests, a_generation_that_is_not_the_next_is_refused, LOCAL,
                        DROPBEAR);
}
