/*
 * result.c - a job as the caller sees it. The struct that is handed out is the first
 * member of ours, which owns its texts.
 */
#include "job/result.h"

#include "base/json.h"
#include "base/strv.h"
#include "job/state.h"

#include <string.h>

struct job {
    sbx_job public;
    char *place;
    char *warning;
    struct sbi_record record; /* owns the texts */
    int64_t *left;
    char **attach;
    char *checkpoint;
    sbx_job_run *runs;
    const sbx_job_run **run_list;
};

static const char *const no_words[] = {NULL};

const char *sbi_result_signal(int number)
{
    static const char *const names[] = {
        NULL,     "HUP",  "INT",    "QUIT", "ILL",   "TRAP", "ABRT", "BUS",
        "FPE",    "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM",
        "STKFLT", "CHLD", "CONT",   "STOP", "TSTP",  "TTIN", "TTOU", "URG",
        "XCPU",   "XFSZ", "VTALRM", "PROF", "WINCH", "IO",   "PWR",  "SYS"};

    if (number < 0 || number >= (int)(sizeof(names) / sizeof(names[0])))
        return NULL;
    return names[number];
}

static int make_attach(struct job *job, sbx_error *err)
{
    const char *words[] = {"tmux", "-u", "-L", "sbx", "attach-session", "-t", NULL, NULL};
    SBI_AUTO_STR target = {0};
    const char *const *word;
    int rc = SBX_OK;
    bool adopted = sbi_record_last(&job->record)->way == SBX_JOB_ADOPTED &&
                   job->record.socket != NULL && job->record.session != NULL;

    sbi_str_addf(&target, "=%s", adopted ? job->record.session : job->record.id);
    if (target.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    words[3] = adopted ? job->record.socket : words[3];
    words[6] = target.data;
    for (word = words; rc == SBX_OK && *word != NULL; word++)
        rc = sbi_strv_add(&job->attach, *word, err);
    return rc;
}

static void show_run(sbx_job_run *out, const struct sbi_records *records,
                     const struct sbi_record *record, const struct sbi_record_run *run)
{
    struct sbi_state state = sbi_state_of(records, record, run);

    out->generation = (int32_t)run->generation;
    out->state = state.state;
    out->loss = state.loss;
    out->exit_code = -1;
    if (run->end == SBI_RECORD_EXIT || run->end == SBI_RECORD_EITHER)
        out->exit_code = (int32_t)run->number;
    if (run->end == SBI_RECORD_SIGNAL)
        out->signal = (int32_t)run->number;
    out->forced = run->forced ? 1 : 0;
    out->started_at_s = run->started_s > 0 ? run->started_s : -1;
    out->ended_at_s = run->end != 0 && run->ended_s > 0 ? run->ended_s : -1;
    out->stopped_by = state.state == SBX_JOB_STOPPED ? run->stopped_by : NULL;
    out->resumed_by = run->resumed_by;
}

/* What a job is told as is what its last generation is. */
static void show_last(sbx_job *job, const struct sbi_records *records,
                      const struct sbi_record *record)
{
    const struct sbi_record_run *run = sbi_record_last(record);
    bool either = run->end == SBI_RECORD_EITHER;
    sbx_job_run last = {0};

    show_run(&last, records, record, run);
    job->generation = last.generation;
    job->state = last.state;
    job->loss = last.loss;
    job->exit_code = last.exit_code;
    job->signal = last.signal;
    job->maybe_signal = either ? 1 : 0;
    job->signal_name = sbi_result_signal(either ? job->exit_code - 128 : job->signal);
    job->started_at_s = last.started_at_s;
    job->ended_at_s = last.ended_at_s;
    job->stopped_by = last.stopped_by;
    job->way = run->way;
    job->pid = run->child.pid;
    job->peak_memory = run->peak;
    job->cgroup_peak = run->cgroup_peak;
    job->oom_kills = run->oom;
    if (last.state == SBX_JOB_UNREACHABLE && run->machine[0] != '\0')
        (void)sbi_fail(&job->error, SBX_ERR_CONFLICT,
                       "it was begun on '%s', which shares this home: ask there",
                       run->machine);
}

static void show_resume(sbx_job *job, const struct sbi_record *record)
{
    const struct sbi_record_run *run = sbi_record_last(record);

    job->resume_max = record->resume_max;
    job->resume_used = run->used;
    job->resume_delay_ms = record->resume_delay_s * 1000;
    job->resume_at_s = run->due_s > 0 ? run->due_s : -1;
    job->resume_on_failure = record->resume_on_failure ? 1 : 0;
    job->resume_command = record->resume_command;
    job->held_by = run->held_by;
    job->checkpoint_path = record->checkpoint_path;
    job->checkpoint_command = record->checkpoint_command;
}

static int make_runs(struct job *job, const struct sbi_records *records, sbx_error *err)
{
    const struct sbi_record *record = &job->record;
    size_t i;

    if (record->run_count == 0)
        return SBX_OK;
    job->runs = calloc(record->run_count, sizeof(*job->runs));
    job->run_list = calloc(record->run_count, sizeof(*job->run_list));
    if (job->runs == NULL || job->run_list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    for (i = 0; i < record->run_count; i++) {
        show_run(&job->runs[i], records, record, &record->runs[i]);
        job->run_list[i] = &job->runs[i];
    }
    job->public.runs = (const sbx_job_run *const *)job->run_list;
    job->public.run_count = record->run_count;
    return SBX_OK;
}

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

static void show(struct job *job, const struct sbi_records *records)
{
    const struct sbi_record *record = &job->record;
    sbx_job *public = &job->public;

    public->place = job->place;
    public->id = record->id;
    public->name = or_empty(record->name);
    public->command = or_empty(record->command);
    public->folder = or_empty(record->folder);
    public->cwd = record->cwd;
    public->owner = or_empty(record->owner);
    show_last(public, records, record);
    show_resume(public, record);
    public->checkpoint = job->checkpoint;
    public->created = records->created == 1 ? 1 : 0;
    public->labels =
        record->labels == NULL ? no_words : (const char *const *)record->labels;
    public->unreachable_at_s = -1;
    public->seen_at_s = records->now_s;
    public->limit_ms = record->limit_s * 1000;
    public->log_size = record->log_size;
    public->log_cut_from = record->cut_from;
    public->log_cut_to = record->cut_to;
    public->survivors = job->left;
    public->survivor_count = job->left == NULL ? 0 : records->left_count;
    public->attach = public->state == SBX_JOB_RUNNING && public->way >= SBX_JOB_TMUX
                         ? (const char *const *)job->attach
                         : NULL;
}

/* Of one job alone is it told; what is no text is not shown. */
static int keep_checkpoint(struct job *job, const struct sbi_records *records,
                           sbx_error *err)
{
    const struct sbi_str *text = &records->checkpoint;
    size_t length = text->length;

    while (length > 0 && text->data[length - 1] == '\n')
        length--;
    if (length == 0 || records->count != 1 || !sbi_json_is_text(text->data, length))
        return SBX_OK;
    job->checkpoint = strndup(text->data, length);
    if (job->checkpoint == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return SBX_OK;
}

int sbi_result_make(const char *place, const struct sbi_records *records,
                    struct sbi_record *record, sbx_job **out, sbx_error *err)
{
    SBI_AUTO_JOB public = NULL;
    struct job *job = calloc(1, sizeof(*job));
    int rc;

    if (job == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    public = &job->public;
    job->record = *record;
    *record = (struct sbi_record){0};
    job->place = strdup(place);
    if (records->left_count > 0) {
        job->left = calloc(records->left_count, sizeof(*job->left));
        if (job->left != NULL)
            memcpy(job->left, records->left, records->left_count * sizeof(*job->left));
    }
    if (job->place == NULL || (records->left_count > 0 && job->left == NULL))
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = make_attach(job, err);
    if (rc == SBX_OK)
        rc = make_runs(job, records, err);
    if (rc == SBX_OK)
        rc = keep_checkpoint(job, records, err);
    if (rc < 0)
        return rc;
    show(job, records);
    *out = SBI_STEAL(public);
    return SBX_OK;
}

int sbi_result_only(const char *place, struct sbi_records *records, sbx_job **out,
                    sbx_error *err)
{
    if (records->count < 1)
        return sbi_fail(err, SBX_ERR_REMOTE, "its record over there cannot be read");
    return sbi_result_make(place, records, &records->items[0], out, err);
}

int sbi_result_warn(sbx_job *public, const char *text, sbx_error *err)
{
    struct job *job = (struct job *)public;

    free(job->warning);
    job->warning = strdup(text);
    if (job->warning == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    public->warning = job->warning;
    return SBX_OK;
}

sbx_job *sbx_job_unreachable(const char *place, const char *id, const sbx_error *why)
{
    struct job *job = calloc(1, sizeof(*job));

    if (job == NULL)
        return NULL;
    job->place = strdup(place == NULL ? "" : place);
    job->record.id = strdup(id == NULL ? "" : id);
    if (job->place == NULL || job->record.id == NULL) {
        sbx_job_free(&job->public);
        return NULL;
    }
    show(job, &(struct sbi_records){.created = -1});
    job->public.state = SBX_JOB_UNREACHABLE;
    job->public.loss = 0;
    job->public.peak_memory = job->public.log_size = -1;
    job->public.cgroup_peak = job->public.oom_kills = -1;
    if (why != NULL)
        job->public.error = *why;
    return &job->public;
}

void sbx_job_free(sbx_job *public)
{
    struct job *job = (struct job *)public;

    if (job == NULL)
        return;
    free(job->place);
    free(job->warning);
    free(job->left);
    free(job->checkpoint);
    free(job->run_list);
    free(job->runs);
    sbi_strv_clear(&job->attach);
    sbi_record_clear(&job->record);
    free(job);
}

void sbi_result_clear(sbx_job **job)
{
    sbx_job_free(*job);
    *job = NULL;
}
