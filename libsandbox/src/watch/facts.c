#include "watch/facts.h"

#include "base/json.h"
#include "base/str.h"
#include "watch/kind.h"

#include <string.h>

#define SHOWN 60 /* bytes of a name */

/* Bytes of somebody's as one line of UTF-8, cut where they are long. */
static void add_shown(struct sbi_str *line, const char *bytes)
{
    size_t length = strlen(bytes);
    SBI_AUTO_JSON json = sbi_json_bytes(bytes, length > SHOWN ? SHOWN : length, true);
    char *at = cJSON_GetStringValue(json);

    if (at == NULL)
        return;
    sbi_str_add(line, at);
    for (at = line->data; at != NULL && *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = ' ';
}

static void add_name(struct sbi_str *line, const struct sbi_facts *facts)
{
    if (facts->job != NULL && facts->job->name != NULL && facts->job->name[0] != '\0')
        add_shown(line, facts->job->name);
    else
        sbi_str_add(line, facts->id);
    sbi_str_add(line, " on ");
    add_shown(line, facts->place);
}

static void add_end(struct sbi_str *line, const struct sbi_end *end)
{
    static const char *const losses[] = {
        "", "the machine was started anew", "what watched it was killed too",
        "how it ended is not known", "its start was cut off"};

    switch (end->state) {
    case SBX_JOB_EXITED:
        sbi_str_addf(line, "exited %d", end->exit_code);
        break;
    case SBX_JOB_SIGNALED:
        sbi_str_addf(line, "killed by signal %d", end->signal);
        break;
    case SBX_JOB_STOPPED:
        sbi_str_add(line, "stopped by ");
        add_shown(line, end->stopped_by == NULL ? "?" : end->stopped_by);
        break;
    case SBX_JOB_LOST:
        sbi_str_add(line, losses[end->loss >= 0 && end->loss <= 4 ? end->loss : 3]);
        break;
    default:
        sbi_str_add(line, sbx_job_state_name(end->state));
    }
}

static void add_took(struct sbi_str *line, const struct sbi_end *end)
{
    int64_t took = end->ended_at_s - end->started_at_s;

    if (end->started_at_s <= 0 || took < 0)
        return;
    if (took < 120)
        sbi_str_addf(line, " after %llds", (long long)took);
    else if (took < 7200)
        sbi_str_addf(line, " after %lldm", (long long)(took / 60));
    else
        sbi_str_addf(line, " after %lldh", (long long)(took / 3600));
}

/* What is said of each kind; of the rest more is known than its kind. */
static const char *const words[] = {
    [SBI_KIND_STARTED] = "it has started",
    [SBI_KIND_UNREACHABLE] = "its place cannot be reached",
    [SBI_KIND_REACHABLE] = "its place can be reached again",
    [SBI_KIND_COMPLETED] = "completed",
    [SBI_KIND_FAILED] = "failed: ",
    [SBI_KIND_OOM] = "killed for want of memory",
    [SBI_KIND_INTERRUPTED] = "interrupted: ",
    [SBI_KIND_RESUME_SCHEDULED] = "it will be resumed",
    [SBI_KIND_RESUME_STARTED] = "it was resumed",
    [SBI_KIND_RESUME_FAILED] = "it could not be resumed",
    [SBI_KIND_CRASH_LOOP] = "it ends soon after each start, and is not resumed any more",
    [SBI_KIND_GAVE_UP] = "it was resumed as often as it may be, and is not any more",
};

static void add_words(struct sbi_str *line, const struct sbi_facts *facts, int kind)
{
    struct sbi_end end = {0};
    const bool ended = kind >= SBI_KIND_COMPLETED && kind <= SBI_KIND_INTERRUPTED;

    if (facts->job != NULL)
        sbi_turn_end_of(facts->job, facts->generation, &end);
    sbi_str_add(line, ": ");
    if (kind == SBI_KIND_PROGRESS)
        sbi_str_addf(line, "%lld %% done", (long long)facts->percent);
    else
        sbi_str_add(line, words[kind]);
    if (kind == SBI_KIND_FAILED || kind == SBI_KIND_INTERRUPTED)
        add_end(line, &end);
    if (ended)
        add_took(line, &end);
    if (kind == SBI_KIND_RESUME_STARTED && end.resumed_by != NULL) {
        sbi_str_add(line, " by ");
        add_shown(line, end.resumed_by);
    }
    if (facts->why != NULL && facts->why->text[0] != '\0') {
        sbi_str_add(line, ": ");
        sbi_str_add(line, facts->why->text);
    } else if (facts->said != NULL) {
        sbi_str_add(line, " ");
        sbi_str_add(line, facts->said);
    }
}

static void add_bytes(cJSON *object, const char *key, const char *bytes)
{
    if (bytes == NULL)
        sbi_json_add_text(object, key, NULL);
    else
        (void)cJSON_AddItemToObject(object, key,
                                    sbi_json_bytes(bytes, strlen(bytes), true));
}

static void add_moment(cJSON *object, const char *key, int64_t at)
{
    if (at > 0)
        (void)cJSON_AddNumberToObject(object, key, (double)at);
    else
        (void)cJSON_AddNullToObject(object, key);
}

static void add_job(cJSON *object, const sbx_job *job, int64_t generation)
{
    struct sbi_end end;
    const char *loss;

    sbi_turn_end_of(job, generation, &end);
    loss = sbx_job_loss_name(end.loss);
    add_bytes(object, "name", job->name);
    sbi_json_add_text(object, "state", sbx_job_state_name(end.state));
    if (end.state == SBX_JOB_EXITED)
        (void)cJSON_AddNumberToObject(object, "exit_code", end.exit_code);
    else
        (void)cJSON_AddNullToObject(object, "exit_code");
    add_moment(object, "signal_number", end.signal);
    sbi_json_add_text(object, "lost_by", loss[0] == '\0' ? NULL : loss);
    add_bytes(object, "stopped_by", end.stopped_by);
    add_bytes(object, "resumed_by", end.resumed_by);
    add_moment(object, "started_at", end.started_at_s);
    add_moment(object, "ended_at", end.ended_at_s);
    add_moment(object, "peak_memory", job->peak_memory);
    add_moment(object, "cgroup_peak", job->cgroup_peak);
    add_moment(object, "oom_kills", job->oom_kills);
}

static int write_detail(const struct sbi_facts *facts, char **out, sbx_error *err)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();
    char *text;

    if (facts->job != NULL)
        add_job(object, facts->job, facts->generation);
    if (facts->percent >= 0)
        (void)cJSON_AddNumberToObject(object, "percent", (double)facts->percent);
    if (facts->why != NULL && facts->why->text[0] != '\0')
        sbi_json_add_text(object, "error", facts->why->text);
    if (facts->said != NULL)
        sbi_json_add_text(object, "said", facts->said);
    text = sbi_json_print(object);
    if (text == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "tell of a job: out of memory");
    *out = text;
    return SBX_OK;
}

int sbi_facts_tell(const struct sbi_facts *facts, int kind, char **summary, char **detail,
                   sbx_error *err)
{
    SBI_AUTOFREE char *line = NULL;
    SBI_AUTO_STR text = {0};
    int rc;

    add_name(&text, facts);
    add_words(&text, facts, kind);
    rc = sbi_str_take(&text, &line, err);
    if (rc == SBX_OK)
        rc = write_detail(facts, detail, err);
    if (rc == SBX_OK)
        *summary = SBI_STEAL(line);
    return rc;
}
