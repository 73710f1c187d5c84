/* said.c - words, numbers and JSON for what became of a job. */
#include "base/json.h"

#include <sandbox/job.h>

#include <string.h>

const char *sbx_job_state_name(int state)
{
    static const char *const names[] = {"unknown", "running", "exited", "signaled",
                                        "oom",     "stopped", "lost",   "unreachable"};

    return names[state < 0 || state > SBX_JOB_UNREACHABLE ? 0 : state];
}

const char *sbx_job_loss_name(int loss)
{
    static const char *const names[] = {"", "reboot", "killed", "unknown", "unstarted"};

    return names[loss < 0 || loss > SBX_JOB_UNSTARTED ? 0 : loss];
}

bool sbx_job_ended(const sbx_job *job)
{
    return job != NULL && job->state != SBX_JOB_RUNNING &&
           job->state != SBX_JOB_UNREACHABLE;
}

int sbx_job_status(const sbx_job *job)
{
    switch (job == NULL ? 0 : job->state) {
    case SBX_JOB_EXITED:
        return job->exit_code;
    case SBX_JOB_SIGNALED:
        return 128 + job->signal;
    case SBX_JOB_OOM:
        return 137;
    case SBX_JOB_STOPPED:
        return 143;
    default:
        return 255;
    }
}

static void add_text(cJSON *json, const char *key, const char *text)
{
    (void)cJSON_AddItemToObject(json, key,
                                text == NULL ? cJSON_CreateNull()
                                             : sbi_json_bytes(text, strlen(text), true));
}

/* A number, or null where it is not known. */
static void add_number(cJSON *json, const char *key, int64_t number, bool known)
{
    (void)cJSON_AddItemToObject(
        json, key, known ? cJSON_CreateNumber((double)number) : cJSON_CreateNull());
}

static void add_words(cJSON *json, const char *key, const char *const *words)
{
    cJSON *list;

    if (words == NULL) {
        (void)cJSON_AddNullToObject(json, key);
        return;
    }
    list = cJSON_AddArrayToObject(json, key);
    for (; *words != NULL; words++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(*words));
}

static void add_survivors(cJSON *json, const sbx_job *job)
{
    cJSON *list = cJSON_AddArrayToObject(json, "survivors");
    size_t i;

    for (i = 0; i < job->survivor_count; i++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateNumber((double)job->survivors[i]));
}

static void add_error(cJSON *json, const sbx_error *error)
{
    char *text = error->code < 0 ? sbx_error_json(error) : NULL;
    cJSON *item = NULL;

    if (text != NULL)
        (void)sbi_json_parse(text, strlen(text), &item, NULL);
    (void)cJSON_AddItemToObject(json, "error", item == NULL ? cJSON_CreateNull() : item);
    sbx_free(text);
}

static void add_state(cJSON *json, const sbx_job *job)
{
    add_text(json, "state", sbx_job_state_name(job->state));
    add_text(json, "lost_by", job->loss == 0 ? NULL : sbx_job_loss_name(job->loss));
    add_number(json, "exit_code", job->exit_code,
               (job->state == SBX_JOB_EXITED || job->state == SBX_JOB_OOM) &&
                   job->exit_code >= 0);
    add_text(json, "signal", job->signal_name);
    add_number(json, "signal_number", job->signal, job->signal > 0);
    (void)cJSON_AddBoolToObject(json, "maybe_signal", job->maybe_signal);
    add_text(json, "stopped_by", job->stopped_by);
    add_number(json, "started_at", job->started_at_s, job->started_at_s >= 0);
    add_number(json, "ended_at", job->ended_at_s, job->ended_at_s >= 0);
    add_number(json, "seen_at", job->seen_at_s, job->seen_at_s > 0);
    add_number(json, "unreachable_at", job->unreachable_at_s, job->unreachable_at_s >= 0);
    add_number(json, "pid", job->pid, job->pid > 0);
    add_number(json, "peak_memory", job->peak_memory, job->peak_memory >= 0);
    add_number(json, "cgroup_peak", job->cgroup_peak, job->cgroup_peak >= 0);
    add_number(json, "oom_kills", job->oom_kills, job->oom_kills >= 0);
}

/* {"gpus": "GPU-1,GPU-2"} */
static void add_labels(cJSON *json, const sbx_job *job)
{
    cJSON *item = cJSON_AddObjectToObject(json, "labels");
    const char *const *label;

    for (label = job->labels; label != NULL && *label != NULL; label++) {
        size_t length = strcspn(*label, "=");
        char name[80];

        if (length >= sizeof(name) || (*label)[length] == '\0')
            continue;
        memcpy(name, *label, length);
        name[length] = '\0';
        if (!cJSON_HasObjectItem(item, name))
            add_text(item, name, *label + length + 1);
    }
}

/* How it is resumed; null where it is not. */
static void add_resume(cJSON *json, const sbx_job *job)
{
    cJSON *item;

    if (job->resume_max == 0) {
        (void)cJSON_AddNullToObject(json, "resume");
        return;
    }
    item = cJSON_AddObjectToObject(json, "resume");
    add_number(item, "max", job->resume_max, true);
    add_number(item, "used", job->resume_used, true);
    add_number(item, "delay_ms", job->resume_delay_ms, true);
    add_number(item, "next_at", job->resume_at_s, job->resume_at_s >= 0);
    (void)cJSON_AddBoolToObject(item, "on_failure", job->resume_on_failure != 0);
    add_text(item, "command", job->resume_command);
    add_text(item, "held_by", job->held_by);
}

/* What a checkpoint says: as JSON where it is that, else as text. */
static void add_checkpoint(cJSON *json, const sbx_job *job)
{
    cJSON *value = NULL;

    add_text(json, "checkpoint_path", job->checkpoint_path);
    add_text(json, "checkpoint_command", job->checkpoint_command);
    if (job->checkpoint != NULL &&
        sbi_json_parse(job->checkpoint, strlen(job->checkpoint), &value, NULL) == SBX_OK)
        (void)cJSON_AddItemToObject(json, "checkpoint", value);
    else
        add_text(json, "checkpoint", job->checkpoint);
}

static void add_runs(cJSON *json, const sbx_job *job)
{
    cJSON *list = cJSON_AddArrayToObject(json, "generations");
    size_t i;

    for (i = 0; i < job->run_count; i++) {
        const sbx_job_run *run = job->runs[i];
        cJSON *item = cJSON_CreateObject();

        add_number(item, "generation", run->generation, true);
        add_text(item, "state", sbx_job_state_name(run->state));
        add_text(item, "lost_by", run->loss == 0 ? NULL : sbx_job_loss_name(run->loss));
        add_number(item, "exit_code", run->exit_code, run->state == SBX_JOB_EXITED);
        add_number(item, "signal_number", run->signal, run->signal > 0);
        add_number(item, "started_at", run->started_at_s, run->started_at_s >= 0);
        add_number(item, "ended_at", run->ended_at_s, run->ended_at_s >= 0);
        add_text(item, "stopped_by", run->stopped_by);
        add_text(item, "resumed_by", run->resumed_by);
        (void)cJSON_AddBoolToObject(item, "forced", run->forced);
        (void)cJSON_AddItemToArray(list, item);
    }
}

char *sbx_job_json(const sbx_job *job)
{
    static const char *const ways[] = {NULL, "plain", "tmux", "adopted"};
    SBI_AUTO_JSON json = cJSON_CreateObject();

    if (json == NULL)
        return NULL;
    add_text(json, "place", job->place);
    add_text(json, "id", job->id);
    add_text(json, "name", job->name);
    add_text(json, "command", job->command);
    add_state(json, job);
    add_text(json, "owner", job->owner);
    add_text(json, "folder", job->folder);
    add_text(json, "cwd", job->cwd);
    add_text(json, "way", ways[job->way]);
    add_number(json, "generation", job->generation, true);
    add_labels(json, job);
    add_resume(json, job);
    add_checkpoint(json, job);
    add_runs(json, job);
    add_number(json, "limit_ms", job->limit_ms, job->limit_ms > 0);
    add_number(json, "log_size", job->log_size, job->log_size >= 0);
    add_number(json, "log_cut_from", job->log_cut_from, job->log_cut_to > 0);
    add_number(json, "log_cut_to", job->log_cut_to, job->log_cut_to > 0);
    add_survivors(json, job);
    add_words(json, "attach", job->attach);
    add_text(json, "warning", job->warning);
    (void)cJSON_AddBoolToObject(json, "created", job->created);
    add_error(json, &job->error);
    return sbi_json_print(json);
}
