#include "doctor/gather.h"

#include "base/clock.h"
#include "doctor/script.h"

#include <sandbox/exec.h>

#include <string.h>
#include <time.h>

#define CONNECT_MS 15000
#define ANSWER_MS 5000
#define KILL_MS 500
#define GRACE_MS 1000
#define MORE_MS 5000
#define CROWD 4
#define CROWD_MS 5000

struct asking {
    const sbx_doctor_opts *opts;
    int64_t deadline;
    sbx_session *session;
    struct sbi_gathered *into;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void parse_owned(char *text, cJSON **out)
{
    if (text != NULL)
        (void)sbi_json_parse(text, strlen(text), out, NULL);
}

const char *sbi_gathered_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) && item->valuestring[0] != '\0' ? item->valuestring
                                                                : NULL;
}

/* A host that cannot be resolved is the fault of what ssh_config or the list say. */
static int ask_hosts(struct asking *asking, sbx_hosts *hosts, sbx_error *err)
{
    struct sbi_gathered *into = asking->into;
    const sbx_host *host;
    char *text;
    int rc;

    rc = sbx_hosts_get(hosts, into->place, &host, &into->fault);
    if (rc == SBX_ERR_INVALID || rc == SBX_ERR_NO_MEMORY) {
        if (err != NULL)
            *err = into->fault;
        return rc;
    }
    if (rc < 0) {
        (void)sbi_fix(&into->fault, rc, "config", "mend the line that is named");
        return SBX_OK;
    }
    into->local = host->kind == SBX_HOST_LOCAL;
    into->prefixed = host->kind == SBX_HOST_PREFIX;
    into->source = host->source;
    if (host->source == SBX_HOST_NAME)
        into->nearest = sbx_hosts_nearest(hosts, into->place);
    text = sbx_host_json(hosts, host);
    parse_owned(text, &into->settings);
    sbx_free(text);
    return SBX_OK;
}

/* The host's own limit holds here too, within that of the whole. */
static int64_t connect_limit(const struct asking *asking)
{
    const cJSON *own =
        cJSON_GetObjectItemCaseSensitive(asking->into->settings, "connecttimeout");
    int64_t limit = cJSON_IsNumber(own) && own->valuedouble > 0
                        ? (int64_t)(own->valuedouble * 1000)
                        : CONNECT_MS;

    return least(limit, sbi_left_ms(asking->deadline)) + 1;
}

static int connect_to(struct asking *asking, sbx_hosts *hosts, sbx_error *err)
{
    struct sbi_gathered *into = asking->into;
    const sbx_session_opts opts = {.size = sizeof(opts),
                                   .connect_timeout_ms = connect_limit(asking),
                                   .prompt = asking->opts->prompt,
                                   .userdata = asking->opts->userdata,
                                   .cancel = asking->opts->cancel};
    int64_t start = sbi_now_ms();
    int rc;

    rc = sbx_session_open(hosts, into->place, &opts, &asking->session, &into->fault);
    into->connect_ms = sbi_now_ms() - start;
    into->connected = rc == SBX_OK;
    if (rc == SBX_ERR_CANCELLED || rc == SBX_ERR_NO_MEMORY) {
        if (err != NULL)
            *err = into->fault;
        return rc;
    }
    if (rc < 0)
        return SBX_OK;
    into->facts_text = sbx_session_facts_json(asking->session);
    parse_owned(into->facts_text, &into->facts);
    return SBX_OK;
}

static void sort3(int64_t *values)
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    size_t i;

    for (i = 0; i < 3; i++) {
        int64_t *a = &values[pairs[i][0]], *b = &values[pairs[i][1]];
        int64_t smaller = least(*a, *b);

        *b = *a + *b - smaller;
        *a = smaller;
    }
}

static void ask_answers(struct asking *asking)
{
    struct sbi_gathered *into = asking->into;
    int64_t times[3], start;
    int rc = SBX_OK;

    while (into->answers < 3 && rc == SBX_OK) {
        start = now_us();
        rc = sbx_session_check(asking->session,
                               least(ANSWER_MS, sbi_left_ms(asking->deadline)) + 1,
                               &into->answer_fault);
        times[into->answers] = now_us() - start;
        into->answers += rc == SBX_OK;
    }
    if (into->answers == 3) {
        sort3(times);
        into->answer_us = times[1];
    }
}

static int note_first_word(int stream, const void *data, size_t length, void *userdata)
{
    struct sbi_gathered *into = userdata;

    (void)data;
    if (into->told_after_s == 0 && stream == SBX_EXEC_STDOUT && length > 0) {
        into->told_after_s = (int64_t)time(NULL);
        into->first_word_ms += sbi_now_ms();
    }
    return 0;
}

static void note_end(struct sbi_gathered *into, const sbx_exec_result *result,
                     int64_t limit)
{
    if (sbi_told(&into->told, "end") != NULL)
        return;
    if (result->end == SBX_EXEC_LOST)
        into->told_fault = result->error;
    else if (result->end == SBX_EXEC_TIMED_OUT)
        (void)sbi_fail(&into->told_fault, SBX_ERR_TIMEOUT, "no answer within %lld s",
                       (long long)(limit + 999) / 1000);
    else
        (void)sbi_fail(&into->told_fault, SBX_ERR_REMOTE, "the script ended early: %s",
                       sbx_exec_end_name(result->end));
}

/* From the root folder, since the host's own may not be there. */
static int ask_script(struct asking *asking, sbx_error *err)
{
    const char *const argv[] = {"/bin/sh", "-c", sbi_doctor_script, NULL};
    struct sbi_gathered *into = asking->into;
    sbx_exec_result *result = NULL;
    const sbx_exec_opts opts = {
        .size = sizeof(opts),
        .flags = SBX_EXEC_NO_SPOOL,
        .cwd = "/",
        .timeout_ms =
            least(INT32_MAX, sbi_left_ms(asking->deadline) - KILL_MS - GRACE_MS),
        .kill_after_ms = KILL_MS,
        .grace_ms = GRACE_MS,
        .on_output = note_first_word,
        .userdata = into,
        .cancel = asking->opts->cancel};
    int rc;

    if (opts.timeout_ms <= 0) {
        (void)sbi_fail(&into->told_fault, SBX_ERR_TIMEOUT, "no time was left to ask");
        return SBX_OK;
    }
    into->told_before_s = (int64_t)time(NULL);
    into->first_word_ms = -sbi_now_ms();
    rc = sbx_exec_argv(asking->session, argv, &opts, &result, &into->told_fault);
    if (rc == SBX_OK)
        rc = sbi_told_parse(result->output, result->output_length, &into->told, err);
    else if (rc != SBX_ERR_CANCELLED && rc != SBX_ERR_NO_MEMORY)
        return SBX_OK;
    else if (err != NULL)
        *err = into->told_fault;
    if (rc == SBX_OK && result->end == SBX_EXEC_CANCELLED)
        rc = sbi_fail(err, SBX_ERR_CANCELLED, "look at '%s': cancelled", into->place);
    if (rc == SBX_OK)
        note_end(into, result, opts.timeout_ms);
    sbx_exec_result_free(result);
    return rc;
}

static void ask_crowd(struct asking *asking)
{
    struct sbi_gathered *into = asking->into;
    int64_t left = sbi_left_ms(asking->deadline) - KILL_MS - GRACE_MS;
    int64_t enough = CROWD_MS + CROWD * into->first_word_ms;

    if (left <= 0 || into->told.count == 0 || sbi_told(&into->told, "end") == NULL)
        return;
    into->crowd.asked = CROWD;
    sbi_crowd(asking->session, least(left, enough), asking->opts->cancel, &into->crowd);
}

/* Words of a message stand in the file that prints it, as a rule. */
static void ask_more(struct asking *asking)
{
    struct sbi_gathered *into = asking->into;
    const char *noise = sbi_told(&into->told, "noise");
    sbx_cancel *cancel = asking->opts->cancel;
    int64_t enough = least(MORE_MS, sbi_left_ms(asking->deadline) - KILL_MS - GRACE_MS);

    if (enough <= 0 || into->told.count == 0)
        return;
    if (noise != NULL && noise[0] != '\0')
        sbi_find_rc_file(asking->session, noise, enough, cancel, into->rc_file,
                         sizeof(into->rc_file));
    sbi_try_terminal(asking->session, enough, cancel, &into->terminal);
    if (!into->local && !into->prefixed)
        sbi_try_forwarding(asking->session, enough, cancel, &into->forwarding);
}

int sbi_gather(sbx_hosts *hosts, const char *place, const sbx_doctor_opts *opts,
               int64_t deadline, struct sbi_gathered *out, sbx_error *err)
{
    SBI_CLEANUP(sbi_gathered_clear) struct sbi_gathered gathered = {.place = place};
    struct asking asking = {.opts = opts, .deadline = deadline, .into = &gathered};
    int rc;

    rc = ask_hosts(&asking, hosts, err);
    if (rc == SBX_OK && gathered.settings != NULL)
        rc = connect_to(&asking, hosts, err);
    if (rc == SBX_OK && gathered.connected)
        rc = ask_script(&asking, err);
    if (rc == SBX_OK && gathered.connected) {
        ask_answers(&asking);
        ask_more(&asking);
        ask_crowd(&asking);
    }
    sbx_session_free(asking.session);
    if (rc == SBX_OK && opts->cancel != NULL && sbx_cancel_fired(opts->cancel))
        rc = sbi_fail(err, SBX_ERR_CANCELLED, "look at '%s': cancelled", place);
    if (rc < 0)
        return rc;
    *out = gathered;
    gathered = (struct sbi_gathered){0};
    return SBX_OK;
}

void sbi_gathered_clear(struct sbi_gathered *gathered)
{
    sbi_json_clear(&gathered->settings);
    sbi_json_clear(&gathered->facts);
    sbx_free(gathered->facts_text);
    sbi_told_clear(&gathered->told);
    *gathered = (struct sbi_gathered){0};
}
