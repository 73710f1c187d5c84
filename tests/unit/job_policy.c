/* job_policy.c - what a start says of resumes is read whole, or refused by its name. */
#include "support/unit.h"

#include "job/policy.h"

#include <string.h>

static const struct {
    const char *plan;
    const char *why; /* of the refusal */
    const char *fix;
} refused[] = {
    {"{\"comand\": \"x\"}", "resume plan: 'comand' is no key of it",
     "did you mean 'command'?"},
    {"{\"zzz\": 1}", "resume plan: 'zzz' is no key of it", ""},
    {"{\"max\": -1}", "resume plan: 'max' is not a number from 0 to 1000", ""},
    {"{\"max\": 1.5}", "resume plan: 'max' is not a number from 0 to 1000", ""},
    {"{\"max\": \"3\"}", "resume plan: 'max' is not a whole number", ""},
    {"{\"on_failure\": 1}", "resume plan: 'on_failure' is not true or false", ""},
    {"{\"command\": null}", "resume plan: 'command' is not text", ""},
    {"{\"command\": \"\"}", "the command of a resume is empty", ""},
    {"{\"delay_s\": 1e300}", "resume plan: 'delay_s' is not a number from 0 to 2592000",
     ""},
    {"{\"checkpoint\": \"a\", \"checkpoint_command\": \"b\"}",
     "a checkpoint is a path or a command, not both", ""},
    {"[]", "resume plan: it is not an object", ""},
};

START_TEST(a_plan_that_is_none_is_refused_by_its_name)
{
    const sbx_job_start_opts opts = {.size = sizeof(opts),
                                     .resume_plan = refused[_i].plan};
    SBI_AUTO_POLICY policy = {0};
    sbx_error err = {0};

    ck_assert_int_eq(sbi_policy_make(&opts, &policy, &err), SBX_ERR_INVALID);
    ck_assert_str_eq(err.text, refused[_i].why);
    ck_assert_str_eq(err.fix, refused[_i].fix);
}
END_TEST

/* The lines of the record for options. */
static char *record_of(sbx_job_start_opts opts)
{
    SBI_AUTO_POLICY policy = {0};
    SBI_AUTO_STR record = {0};
    char *text = NULL;
    sbx_error err = {0};

    opts.size = sizeof(opts);
    ck_assert_msg(sbi_policy_make(&opts, &policy, &err) == SBX_OK, "%s", err.text);
    sbi_str_add(&record, "");
    sbi_policy_add(&policy, &record);
    ck_assert_int_eq(sbi_str_take(&record, &text, NULL), SBX_OK);
    return text;
}

static void is(char *text, const char *due)
{
    ck_assert_str_eq(text, due);
    free(text);
}

START_TEST(what_is_given_makes_the_policy)
{
    is(record_of((sbx_job_start_opts){0}), "");
    is(record_of((sbx_job_start_opts){.resume_max = 3}), "resume 3 300 0\n");
    is(record_of((sbx_job_start_opts){.resume_delay_ms = -1}), "resume 1 0 0\n");
    is(record_of((sbx_job_start_opts){.resume_delay_ms = 1}), "resume 1 1 0\n");
    is(record_of((sbx_job_start_opts){.flags = SBX_JOB_RESUME_ON_FAILURE}),
       "resume 1 300 1\n");
    is(record_of((sbx_job_start_opts){.checkpoint = "a b"}), "checkpoint a b\n");
    is(record_of((sbx_job_start_opts){.resume_command = "a\nb"}),
       "resume 1 300 0\nresume-command a%0Ab\n");
    is(record_of((sbx_job_start_opts){.resume_plan = "{}"}), "resume 1 300 0\n");
    is(record_of((sbx_job_start_opts){.resume_plan = "{\"max\": 0}"}), "");
    is(record_of((sbx_job_start_opts){
           .resume_max = 5,
           .resume_plan = "{\"max\": 2, \"delay_s\": 60, \"on_failure\": true, "
                          "\"command\": \"go\", \"checkpoint_command\": \"cat x\"}"}),
       "resume 5 60 1\nresume-command go\ncheckpoint-command cat x\n");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, a_plan_that_is_none_is_refused_by_its_name, 0,
                        (int)(sizeof(refused) / sizeof(refused[0])));
    tcase_add_test(tests, what_is_given_makes_the_policy);
}
