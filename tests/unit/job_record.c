/* job_record.c - what a far side tells of jobs is read whole, and decides their state. */
#include "support/unit.h"

#include "job/record_parse.h"
#include "job/result.h"
#include "job/token.h"

#include <stdio.h>
#include <string.h>

#define STAT(pid, name, state, since)                                                    \
    pid " (" name ") " state " 1 10 10 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 " since     \
        " 0 0\n"

/* The only job of an answer whose lines of processes and of files are these. */
static sbx_job *job_of(const char *stats, const char *files)
{
    SBI_AUTO_STR text = {0};
    SBI_AUTO_RECORDS records = {0};
    sbx_job *job = NULL;
    sbx_error err = {0};

    sbi_str_addf(&text,
                 "sbx1 1000 boot-a here\nbase /jobs\nstats\n%sfiles\njob j-1\n%s\nbye\n",
                 stats, files);
    ck_assert_msg(sbi_records_parse(text.data, text.length, &records, &err) == SBX_OK,
                  "%s", err.text);
    ck_assert_msg(sbi_result_only("gpu1", &records, &job, &err) == SBX_OK, "%s",
                  err.text);
    return job;
}

START_TEST(labels_are_told_by_name_and_the_first_of_a_name_counts)
{
    sbx_job *job = job_of("", "label code=a%0Ab=c\nlabel code=other\nlabel nothing\n"
                              "status j-1 0 999 100 exit 0 - -");
    char *json = sbx_job_json(job);

    ck_assert_str_eq(job->labels[0], "code=a\nb=c");
    ck_assert_ptr_eq(job->labels[3], NULL);
    ck_assert_ptr_ne(strstr(json, "\"labels\":{\"code\":\"a\\nb=c\"}"), NULL);
    sbx_free(json);
    sbx_job_free(job);
    job = job_of("", "status j-1 0 999 100 exit 0 - -");
    ck_assert_ptr_ne(job->labels, NULL);
    ck_assert_ptr_eq(job->labels[0], NULL);
    sbx_job_free(job);
}
END_TEST

static const struct {
    const char *stats;
    const char *files;
    const char *told; /* state, loss, code, signal */
} states[] = {
    {"", "status j-1 0 999 100 exit 3 - -", "exited  3 0"},
    {"", "status j-1 0 999 100 exit 137 - -", "exited  137 0"},
    {"", "status j-1 0 999 100 signal 9 - -", "signaled  -1 9"},
    {"", "status j-1 0 999 100 signal 9 - 0", "signaled  -1 9"},
    {"", "status j-1 0 999 100 signal 9 - 1", "oom  -1 9"},
    {"", "status j-1 0 999 100 exit 1 - 1", "exited  1 0"},
    {"", "status j-1 0 999 100 signal 9 - 2 4096", "oom  -1 9"},
    {"", "status j-1 0 999 100 signal 15 - 1", "signaled  -1 15"},
    {"", "status j-1 0 999 100 exit 137 - 1", "oom  137 0"},
    {"", "status j-1 0 999 100 exit 137 - 0", "exited  137 0"},
    {"", "status j-1 0 999 100 either 137 - 1", "oom  137 0"},
    {"", "status j-1 0 999 100 either 137 - -", "exited  137 0"},
    {"", "status j-1 0 999 100 unknown 0 - -", "lost unknown -1 0"},
    {"", "status j-1 0 999 100 exit 300 - -", "lost unknown -1 0"},
    {"", "status j-1 0 999 100 nonsense 3 - -", "lost unknown -1 0"},
    {"", "stopped j-1 0 998 eve\nstatus j-1 0 999 100 signal 15 - -", "stopped  -1 15"},
    {"", "stopped j-1 0 998 eve\npid j-1 0 10 55 boot-a 990 plain", "stopped  -1 0"},
    {STAT("10", "sh", "S", "55"), "pid j-1 0 10 55 boot-a 990 plain", "running  -1 0"},
    {STAT("10", "sh", "S", "56"), "pid j-1 0 10 55 boot-a 990 plain", "lost killed -1 0"},
    {STAT("10", "sh", "Z", "55"), "pid j-1 0 10 55 boot-a 990 plain", "lost killed -1 0"},
    {STAT("10", "sh", "S", "55"), "pid j-1 0 10 55 boot-b 990 plain", "lost reboot -1 0"},
    {STAT("11", "a) Z (b", "R", "60"),
     "pid j-1 0 10 55 boot-a 990 plain\nchild j-1 0 11 60", "running  -1 0"},
    {STAT("10", "sh", "S", "55"),
     "stopped j-1 0 998 eve\npid j-1 0 10 55 boot-a 990 plain", "running  -1 0"},
    {"", "pid j-1 0 10 55 - 990 plain", "lost unknown -1 0"},
    {"", "pid j-1 0 10 55 boot-b 990 plain 7 there", "unreachable  -1 0"},
    {"", "pid j-1 0 10 55 boot-a 990 plain 7 there", "unreachable  -1 0"},
    {"", "pid j-1 0 10 55 boot-b 990 plain 7 here", "lost reboot -1 0"},
    {"", "pid j-1 0 10 55 boot-b 990 plain 7 there\nstatus j-1 0 999 100 exit 3 - -",
     "exited  3 0"},
    {"",
     "status j-1 0 999 100 exit 3 - -\nstopped j-1 0 998 eve\n"
     "status j-1 1 999 100 signal 15 - -",
     "signaled  -1 15"},
    {STAT("12", "sh", "S", "57"),
     "pid j-1 0 10 55 boot-b 990 plain 7 here\nstatus j-1 0 999 100 exit 3 - -\n"
     "pid j-1 1 12 57 boot-a 995 plain 7 here",
     "running  -1 0"},
    {"",
     "pid j-1 2 12 57 boot-a 995 plain 7 here\nstatus j-1 10 999 100 exit 5 - -\n"
     "status j-1 9 999 100 exit 3 - -",
     "exited  5 0"},
    {"", "made j-1 990", "running  -1 0"},
    {"", "made j-1 900", "lost unstarted -1 0"},
    {"", "made j-1 1003", "running  -1 0"}, /* the clock was set back meanwhile */
    {"", "made j-1 4600", "lost unstarted -1 0"},
    {"", "", "lost unstarted -1 0"},
    {"ps 10 S Sun Nov 29 22:00:00 2026\n",
     "pid j-1 0 10 Sun_Nov_29_22:00:00_2026 boot-a 990 plain", "running  -1 0"},
};

START_TEST(each_set_of_facts_is_one_state)
{
    sbx_job *job = job_of(states[_i].stats, states[_i].files);
    char told[80];

    (void)snprintf(told, sizeof(told), "%s %s %d %d", sbx_job_state_name(job->state),
                   sbx_job_loss_name(job->loss), job->exit_code, job->signal);
    ck_assert_str_eq(told, states[_i].told);
    sbx_job_free(job);
}
END_TEST

START_TEST(a_code_that_may_be_a_signal_says_so)
{
    sbx_job *job = job_of("", "status j-1 0 999 100 either 137 - -");

    ck_assert_int_eq(job->maybe_signal, 1);
    ck_assert_str_eq(job->signal_name, "KILL");
    ck_assert_int_eq(sbx_job_status(job), 137);
    sbx_job_free(job);
}
END_TEST

START_TEST(any_byte_of_a_name_comes_back)
{
    SBI_AUTO_STR line = {0};
    char name[256];
    sbx_job *job;
    int i;

    for (i = 0; i < 255; i++)
        name[i] = (char)(i + 1);
    name[255] = '\0';
    sbi_token_add(&line, "name", name, 255);
    ck_assert_ptr_null(memchr(line.data, '\n', line.length - 1));
    job = job_of("", line.data);
    ck_assert_str_eq(job->name, name);
    sbx_job_free(job);
}
END_TEST

START_TEST(all_fields_are_read)
{
    sbx_job *job =
        job_of("", "command make -j\ncwd /src\nowner ada@laptop\nlimit 60\nend\n"
                   "pid j-1 2 10 55 boot-a 990 tmux 100 here\nchild j-1 2 11 60\n"
                   "cut j-1 4096 8192\nstatus j-1 2 996 100 exit 0 1024 - 4096\n"
                   "sizes\n-rw------- 1 0 0 9000 Nov 29 22:00 /jobs/j-1/log\nfiles");

    ck_assert_str_eq(job->command, "make -j");
    ck_assert_str_eq(job->cwd, "/src");
    ck_assert_str_eq(job->folder, "/jobs/j-1");
    ck_assert_str_eq(job->owner, "ada@laptop");
    ck_assert_int_eq(job->limit_ms, 60000);
    ck_assert_int_eq(job->generation, 2);
    ck_assert_int_eq(job->pid, 11);
    ck_assert_int_eq(job->way, SBX_JOB_TMUX);
    ck_assert_int_eq(job->started_at_s, 990);
    ck_assert_int_eq(job->ended_at_s, 996);
    ck_assert_int_eq(job->peak_memory, 1024);
    ck_assert_int_eq(job->cgroup_peak, 4096);
    ck_assert_int_eq(job->oom_kills, -1);
    ck_assert_int_eq(job->log_size, 9000);
    ck_assert_int_eq(job->log_cut_from, 4096);
    ck_assert_int_eq(job->log_cut_to, 8192);
    ck_assert_ptr_null(job->attach);
    sbx_job_free(job);
}
END_TEST

START_TEST(each_generation_keeps_its_ending)
{
    sbx_job *job = job_of(
        "", "resume 3 300 1\nresume-command go on\ncheckpoint last\nend\n"
            "pid j-1 0 10 55 boot-b 900 plain 7 here\n"
            "pid j-1 1 11 56 boot-a 950 plain 8 here\nresumed j-1 1 949 1 0 0 00ff eve\n"
            "status j-1 1 960 9 signal 9 - -\ndue j-1 1 1260 30960 boot-a\n"
            "held j-1 1 970 ada");

    ck_assert_uint_eq(job->run_count, 2);
    ck_assert_int_eq(job->runs[0]->loss, SBX_JOB_REBOOT);
    ck_assert_ptr_null(job->runs[0]->resumed_by);
    ck_assert_int_eq(job->runs[1]->state, SBX_JOB_SIGNALED);
    ck_assert_int_eq(job->runs[1]->ended_at_s, 960);
    ck_assert_str_eq(job->runs[1]->resumed_by, "eve");
    ck_assert_int_eq(job->generation, 1);
    ck_assert_int_eq(job->resume_max, 3);
    ck_assert_int_eq(job->resume_used, 1);
    ck_assert_int_eq(job->resume_delay_ms, 300000);
    ck_assert_int_eq(job->resume_on_failure, 1);
    ck_assert_int_eq(job->resume_at_s, 1260);
    ck_assert_str_eq(job->resume_command, "go on");
    ck_assert_str_eq(job->checkpoint_path, "last");
    ck_assert_str_eq(job->held_by, "ada");
    sbx_job_free(job);
}
END_TEST

/* By how od(1) wrote it: what a checkpoint holds, and what is shown of it. */
static const struct {
    const char *hex;
    const char *shown;
} checkpoints[] = {
    {" 7b 22 73 22 3a 20 31 7d 0a\n", "\"checkpoint\":{\"s\":1}"},
    {" 73 74 65 70 20 35 0a 0a\n", "\"checkpoint\":\"step 5\""},
    {" 61\n 62\n", "\"checkpoint\":\"ab\""},
    {" ff fe 00\n", "\"checkpoint\":null"},
    {"", "\"checkpoint\":null"},
};

START_TEST(a_checkpoint_is_json_or_text)
{
    SBI_AUTO_STR files = {0};
    sbx_job *job;
    char *json;

    sbi_str_addf(&files, "checkpoint last\nend\ncheckpoint\n%sfiles",
                 checkpoints[_i].hex);
    job = job_of("", files.data);
    json = sbx_job_json(job);
    ck_assert_msg(strstr(json, checkpoints[_i].shown) != NULL, "%s", json);
    sbx_free(json);
    sbx_job_free(job);
}
END_TEST

START_TEST(an_answer_that_was_cut_is_refused_anywhere)
{
    static const char text[] =
        "sbx1 1 b\nbase /jobs\nstats\nfiles\njob j-1\nname x\nend\n"
        "status j-1 0 1 100 exit 0 - -\nsizes\nfiles\nbye\n";
    size_t length;

    for (length = 0; length < sizeof(text) - 1; length++) {
        SBI_AUTO_RECORDS records = {0};

        ck_assert_int_eq(sbi_records_parse(text, length, &records, NULL), SBX_ERR_REMOTE);
        ck_assert_uint_eq(records.count, 0);
    }
}
END_TEST

START_TEST(lines_go_to_the_job_they_name)
{
    static const char text[] =
        "sbx1 1000 b\nbase /one\nstats\nfiles\njob a-1\nend\nstatus a-1 0 1 100 exit 1 - -\n"
        "job b-1\nend\nstatus b-1 0 1 100 exit 2 - -\nstatus nobody 0 1 100 exit 9 - -\nsizes\n"
        "-rw------- 1 0 0 10 Nov 29 22:00 /one/a-1/log\n"
        "-rw------- 1 0 0 20 Nov 29  2025 /one/b-1/log\nfiles\nbase /two\nstats\nfiles\njob c-1\nend\nstatus a-1 0 1 100 exit 7 - -\nbye\n";
    SBI_AUTO_RECORDS records = {0};

    ck_assert_int_eq(sbi_records_parse(text, sizeof(text) - 1, &records, NULL), SBX_OK);
    ck_assert_uint_eq(records.count, 3);
    ck_assert_int_eq(sbi_record_last(&records.items[0])->number, 7);
    ck_assert_int_eq(sbi_record_last(&records.items[1])->number, 2);
    ck_assert_int_eq(records.items[1].log_size, 20);
    ck_assert_str_eq(records.items[2].folder, "/two/c-1");
}
END_TEST

START_TEST(an_unreachable_place_is_a_state_too)
{
    sbx_error err = {.code = SBX_ERR_CONNECT, .text = "no"};
    sbx_job *job = sbx_job_unreachable("gpu1", "j-1", &err);
    char *json = sbx_job_json(job);

    ck_assert_int_eq(job->state, SBX_JOB_UNREACHABLE);
    ck_assert(!sbx_job_ended(job));
    ck_assert_ptr_nonnull(strstr(json, "\"state\":\"unreachable\""));
    ck_assert_ptr_nonnull(strstr(json, "SBX_ERR_CONNECT"));
    sbx_free(json);
    sbx_job_free(job);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, each_set_of_facts_is_one_state, 0,
                        (int)(sizeof(states) / sizeof(states[0])));
    tcase_add_test(tests, a_code_that_may_be_a_signal_says_so);
    tcase_add_test(tests, any_byte_of_a_name_comes_back);
    tcase_add_test(tests, all_fields_are_read);
    tcase_add_test(tests, labels_are_told_by_name_and_the_first_of_a_name_counts);
    tcase_add_test(tests, each_generation_keeps_its_ending);
    tcase_add_loop_test(tests, a_checkpoint_is_json_or_text, 0,
                        (int)(sizeof(checkpoints) / sizeof(checkpoints[0])));
    tcase_add_test(tests, an_answer_that_was_cut_is_refused_anywhere);
    tcase_add_test(tests, lines_go_to_the_job_they_name);
    tcase_add_test(tests, an_unreachable_place_is_a_state_too);
}
