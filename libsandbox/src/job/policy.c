#include "job/policy.h"

#include "base/json.h"
#include "base/nearest.h"
#include "job/token.h"

#include <stddef.h>
#include <string.h>

#define MOST_RESUMES 1000
#define MOST_DELAY_S (30 * 24 * 3600)
#define DEFAULT_DELAY_S 300
#define MOST_TEXT ((size_t)32 * 1024)
#define MOST_PATH 4096
#define MOST_PLAN ((size_t)256 * 1024)
#define SHOWN 200

enum kind { NUMBER = 1, YES_NO, TEXT };

/* What a plan may hold, and where it goes. */
static const struct {
    const char *key;
    int kind;
    size_t at;
    int64_t most;
} keys[] = {
    {"max", NUMBER, offsetof(struct sbi_policy, max), MOST_RESUMES},
    {"delay_s", NUMBER, offsetof(struct sbi_policy, delay_s), MOST_DELAY_S},
    {"on_failure", YES_NO, offsetof(struct sbi_policy, on_failure), 0},
    {"command", TEXT, offsetof(struct sbi_policy, command), 0},
    {"checkpoint", TEXT, offsetof(struct sbi_policy, checkpoint), 0},
    {"checkpoint_command", TEXT, offsetof(struct sbi_policy, checkpoint_command), 0},
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static int unknown_key(const char *key, sbx_error *err)
{
    struct sbi_nearest nearest = {.word = key};
    size_t i;
    int rc;

    for (i = 0; i < KEY_COUNT; i++)
        sbi_nearest_offer(&nearest, keys[i].key);
    rc = sbi_fail(err, SBX_ERR_INVALID, "'%.60s' is no key of it", key);
    if (nearest.best != NULL)
        rc = sbi_fix(err, rc, NULL, "did you mean '%s'?", nearest.best);
    return rc;
}

static int keep(char **out, const char *text, sbx_error *err)
{
    free(*out);
    *out = strdup(text);
    return *out == NULL ? sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory") : SBX_OK;
}

static int take_key(const cJSON *item, struct sbi_policy *policy, sbx_error *err)
{
    static const char *const kinds[] = {"", "a whole number", "true or false", "text"};
    size_t i = 0;
    char *at;

    while (i < KEY_COUNT && strcmp(keys[i].key, item->string) != 0)
        i++;
    if (i == KEY_COUNT)
        return unknown_key(item->string, err);
    at = (char *)policy + keys[i].at;
    if (keys[i].kind == TEXT && cJSON_IsString(item))
        return keep((char **)(void *)at, item->valuestring, err);
    if (keys[i].kind == YES_NO && cJSON_IsBool(item)) {
        *(bool *)at = cJSON_IsTrue(item);
        return SBX_OK;
    }
    if (keys[i].kind != NUMBER || !cJSON_IsNumber(item))
        return sbi_fail(err, SBX_ERR_INVALID, "'%s' is not %s", keys[i].key,
                        kinds[keys[i].kind]);
    if (item->valuedouble < 0 || item->valuedouble > (double)keys[i].most ||
        item->valuedouble != (double)(int64_t)item->valuedouble)
        return sbi_fail(err, SBX_ERR_INVALID, "'%s' is not a number from 0 to %lld",
                        keys[i].key, (long long)keys[i].most);
    *(int64_t *)(void *)at = (int64_t)item->valuedouble;
    return SBX_OK;
}

static int read_plan(const char *plan, struct sbi_policy *policy, sbx_error *err)
{
    SBI_AUTO_JSON json = NULL;
    const cJSON *item;
    int rc;

    if (strlen(plan) > MOST_PLAN)
        return sbi_fail(err, SBX_ERR_INVALID, "it is over 256 KiB");
    rc = sbi_json_parse(plan, strlen(plan), &json, err);
    if (rc == SBX_OK && !cJSON_IsObject(json))
        rc = sbi_fail(err, SBX_ERR_INVALID, "it is not an object");
    policy->max = 1;
    for (item = json == NULL ? NULL : json->child; rc == SBX_OK && item != NULL;
         item = item->next)
        rc = take_key(item, policy, err);
    return rc < 0 ? sbi_wrap(err, rc, "resume plan") : SBX_OK;
}

/* What an option says goes before what the plan says. */
static int take_opts(const sbx_job_start_opts *opts, struct sbi_policy *policy,
                     sbx_error *err)
{
    bool on_failure = (opts->flags & SBX_JOB_RESUME_ON_FAILURE) != 0;
    int rc = SBX_OK;

    if (opts->resume_max > MOST_RESUMES || opts->resume_max < 0)
        return sbi_fail(err, SBX_ERR_INVALID, "resume_max %lld is not from 0 to %d",
                        (long long)opts->resume_max, MOST_RESUMES);
    if (opts->resume_delay_ms > (int64_t)MOST_DELAY_S * 1000)
        return sbi_fail(err, SBX_ERR_INVALID, "resume_delay_ms is over 30 days");
    if (policy->max == 0 &&
        (on_failure || opts->resume_command != NULL || opts->resume_delay_ms != 0))
        policy->max = 1;
    if (opts->resume_max != 0)
        policy->max = opts->resume_max;
    if (opts->resume_delay_ms != 0)
        policy->delay_s =
            opts->resume_delay_ms < 0 ? 0 : (opts->resume_delay_ms + 999) / 1000;
    policy->on_failure = policy->on_failure || on_failure;
    if (opts->resume_command != NULL)
        rc = keep(&policy->command, opts->resume_command, err);
    if (rc == SBX_OK && opts->checkpoint != NULL)
        rc = keep(&policy->checkpoint, opts->checkpoint, err);
    if (rc == SBX_OK && opts->checkpoint_command != NULL)
        rc = keep(&policy->checkpoint_command, opts->checkpoint_command, err);
    return rc;
}

static int check_text(const char *what, const char *text, size_t most, sbx_error *err)
{
    if (text == NULL)
        return SBX_OK;
    if (text[0] == '\0')
        return sbi_fail(err, SBX_ERR_INVALID, "%s is empty", what);
    if (strlen(text) > most)
        return sbi_fail(err, SBX_ERR_INVALID, "%s over %zu bytes", what, most);
    return SBX_OK;
}

int sbi_policy_make(const sbx_job_start_opts *opts, struct sbi_policy *out,
                    sbx_error *err)
{
    SBI_AUTO_POLICY policy = {.delay_s = DEFAULT_DELAY_S};
    int rc = SBX_OK;

    if (opts->resume_plan != NULL)
        rc = read_plan(opts->resume_plan, &policy, err);
    if (rc == SBX_OK)
        rc = take_opts(opts, &policy, err);
    if (rc == SBX_OK)
        rc = check_text("the command of a resume", policy.command, MOST_TEXT, err);
    if (rc == SBX_OK)
        rc = check_text("the path of the checkpoint", policy.checkpoint, MOST_PATH, err);
    if (rc == SBX_OK)
        rc = check_text("the command of the checkpoint", policy.checkpoint_command,
                        MOST_TEXT, err);
    if (rc == SBX_OK && policy.checkpoint != NULL && policy.checkpoint_command != NULL)
        rc = sbi_fail(err, SBX_ERR_INVALID,
                      "a checkpoint is a path or a command, not both");
    if (rc < 0)
        return rc;
    *out = policy;
    policy = (struct sbi_policy){0};
    return SBX_OK;
}

static void add(struct sbi_str *record, const char *key, const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);

    if (text != NULL)
        sbi_token_add(record, key, text, length < SHOWN ? length : SHOWN);
}

void sbi_policy_add(const struct sbi_policy *policy, struct sbi_str *record)
{
    if (policy->max > 0)
        sbi_str_addf(record, "resume %lld %lld %d\n", (long long)policy->max,
                     (long long)policy->delay_s, policy->on_failure ? 1 : 0);
    add(record, "resume-command", policy->command);
    if (policy->checkpoint != NULL)
        sbi_token_add(record, "checkpoint", policy->checkpoint,
                      strlen(policy->checkpoint));
    add(record, "checkpoint-command", policy->checkpoint_command);
}

void sbi_policy_clear(struct sbi_policy *policy)
{
    free(policy->command);
    free(policy->checkpoint);
    free(policy->checkpoint_command);
    *policy = (struct sbi_policy){0};
}
