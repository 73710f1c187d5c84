/* doctor.c - the public face: asks, judges, and hands out what was found. */
#include <sandbox/doctor.h>

#include "base/clock.h"
#include "base/opts.h"
#include "doctor/checks.h"

#include <string.h>

#define DEFAULT_TIMEOUT_MS 30000
#define LONGEST_MS 3600000

/* The report as we own it; the public part comes first. */
struct report {
    sbx_doctor_report public;
    char *place;
    char *facts;
    struct sbi_finding *findings;
    sbx_doctor_check *checks;
    const sbx_doctor_check **list;
};

static void report_clear(struct report **report)
{
    sbx_doctor_report_free((sbx_doctor_report *)*report);
}

static int new_report(const char *place, struct report **out, sbx_error *err)
{
    SBI_CLEANUP(report_clear) struct report *report = calloc(1, sizeof(*report));
    size_t count = sbi_check_count();

    if (report != NULL) {
        report->place = strdup(place);
        report->findings = calloc(count, sizeof(report->findings[0]));
        report->checks = calloc(count, sizeof(report->checks[0]));
        report->list = calloc(count + 1, sizeof(const sbx_doctor_check *));
    }
    if (report == NULL || report->place == NULL || report->findings == NULL ||
        report->checks == NULL || report->list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "look at '%s': out of memory", place);
    report->public.place = report->place;
    report->public.checks = report->list;
    report->public.check_count = count;
    *out = SBI_STEAL(report);
    return SBX_OK;
}

static void publish(struct report *report, struct sbi_gathered *gathered)
{
    sbx_doctor_report *public = &report->public;
    size_t i;

    sbi_check_all(gathered, report->findings);
    for (i = 0; i < public->check_count; i++) {
        const struct sbi_finding *finding = &report->findings[i];

        report->checks[i] = (sbx_doctor_check){.name = finding->name,
                                               .state = finding->state,
                                               .seen = finding->seen,
                                               .fix = finding->fix};
        report->list[i] = &report->checks[i];
        public->failed += finding->state == SBX_DOCTOR_FAIL;
    }
    report->facts = SBI_STEAL(gathered->facts_text);
    public->facts = report->facts;
    public->connected = gathered->connected;
    if (!gathered->connected)
    public->error = gathered->fault;
}

static int read_opts(const sbx_doctor_opts *theirs, sbx_doctor_opts *opts, sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc < 0)
        return rc;
    if (opts->timeout_ms < 0 || opts->timeout_ms > LONGEST_MS)
        return sbi_fail(err, SBX_ERR_INVALID, "timeout_ms %lld is out of range",
                        (long long)opts->timeout_ms);
    if (opts->timeout_ms == 0)
        opts->timeout_ms = DEFAULT_TIMEOUT_MS;
    return SBX_OK;
}

int sbx_doctor(sbx_hosts *hosts, const char *place, const sbx_doctor_opts *theirs,
               sbx_doctor_report **out, sbx_error *err)
{
    SBI_CLEANUP(report_clear) struct report *report = NULL;
    SBI_CLEANUP(sbi_gathered_clear) struct sbi_gathered gathered = {0};
    int64_t start = sbi_now_ms();
    sbx_doctor_opts opts;
    int rc;

    if (hosts == NULL || place == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "look at a place: none is named");
    rc = read_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = new_report(place, &report, err);
    if (rc == SBX_OK)
        rc = sbi_gather(hosts, report->place, &opts, sbi_deadline(opts.timeout_ms),
                        &gathered, err);
    if (rc < 0)
        return rc;
    publish(report, &gathered);
    report->public.duration_ms = sbi_now_ms() - start;
    *out = &SBI_STEAL(report)->public;
    return SBX_OK;
}

const char *sbx_doctor_state_name(int state)
{
    static const char *const names[] = {
        [SBX_DOCTOR_OK] = "ok",           [SBX_DOCTOR_WARN] = "warn",
        [SBX_DOCTOR_FAIL] = "fail",       [SBX_DOCTOR_UNKNOWN] = "unknown",
        [SBX_DOCTOR_SKIPPED] = "skipped",
    };

    return state >= SBX_DOCTOR_OK && state <= SBX_DOCTOR_SKIPPED ? names[state]
                                                                 : "unknown";
}

static void add_parsed(cJSON *object, const char *key, const char *text)
{
    cJSON *parsed = text == NULL ? NULL : cJSON_Parse(text);

    (void)cJSON_AddItemToObject(object, key,
                                parsed == NULL ? cJSON_CreateNull() : parsed);
}

static void add_check(cJSON *array, const sbx_doctor_check *check)
{
    cJSON *object = cJSON_CreateObject();

    sbi_json_add_text(object, "name", check->name);
    sbi_json_add_text(object, "state", sbx_doctor_state_name(check->state));
    sbi_json_add_text(object, "seen", check->seen);
    sbi_json_add_text(object, "fix", check->fix);
    (void)cJSON_AddItemToArray(array, object);
}

char *sbx_doctor_json(const sbx_doctor_report *report)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();
    char *error = report->connected ? NULL : sbx_error_json(&report->error);
    cJSON *checks;
    size_t i;

    sbi_json_add_text(object, "place", report->place);
    (void)cJSON_AddBoolToObject(object, "ok", report->failed == 0);
    (void)cJSON_AddBoolToObject(object, "connected", report->connected != 0);
    (void)cJSON_AddNumberToObject(object, "failed", report->failed);
    checks = cJSON_AddArrayToObject(object, "checks");
    for (i = 0; i < report->check_count; i++)
        add_check(checks, report->checks[i]);
    add_parsed(object, "facts", report->facts);
    (void)cJSON_AddNumberToObject(object, "duration_ms", (double)report->duration_ms);
    add_parsed(object, "error", error);
    sbx_free(error);
    return sbi_json_print(object);
}

void sbx_doctor_report_free(sbx_doctor_report *public)
{
    struct report *report = (struct report *)public;

    if (report == NULL)
        return;
    free(report->place);
    sbx_free(report->facts);
    free(report->findings);
    free(report->checks);
    free(report->list);
    free(report);
}
