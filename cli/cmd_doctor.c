/* cmd_doctor.c - `doctor`: looks places over and says what mends what is wrong. */
#include "cmd.h"
#include "parallel.h"
#include "places.h"
#include "prompt.h"

#include <sandbox/doctor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    int64_t timeout_ms;
};

struct patient {
    const char *place;
    int code; /* of a look that was not taken: see error */
    sbx_error error;
    sbx_doctor_report *report;
};

struct round {
    struct app *app;
    const struct values *values;
    struct patient *patients;
};

static const struct opt options[] = {
    {'t', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),
     "Take this long for a place at most; 30 by default", NULL, 0, 0, NULL},
    OPT_END,
};

static void look_at(size_t index, void *userdata)
{
    struct round *round = userdata;
    struct patient *patient = &round->patients[index];
    const sbx_doctor_opts opts = {.size = sizeof(opts),
                                  .timeout_ms = round->values->timeout_ms,
                                  .prompt = prompt_ask,
                                  .cancel = round->app->cancel};

    patient->code = sbx_doctor(round->app->hosts, patient->place, &opts, &patient->report,
                               &patient->error);
}

static void print_check(const sbx_doctor_check *check, int width)
{
    (void)printf("%-9s%-*s  %s\n", sbx_doctor_state_name(check->state), width,
                 check->name, check->seen);
    if (check->fix[0] != '\0')
        (void)printf("%-9s%-*s  try: %s\n", "", width, "", check->fix);
}

static void print_counts(const sbx_doctor_report *report)
{
    AUTO_TEXT line = {0};
    int state;

    for (state = SBX_DOCTOR_OK; state <= SBX_DOCTOR_SKIPPED; state++) {
        int count = 0;
        size_t i;

        for (i = 0; i < report->check_count; i++)
            count += report->checks[i]->state == state;
        text_addf(&line, "%s%d %s", state == SBX_DOCTOR_OK ? "" : ", ", count,
                  sbx_doctor_state_name(state));
    }
    (void)printf("%s: %s\n", report->place, line.data);
}

static void print_report(const sbx_doctor_report *report)
{
    size_t width = 0;
    size_t i;

    for (i = 0; i < report->check_count; i++)
        if (strlen(report->checks[i]->name) > width)
            width = strlen(report->checks[i]->name);
    for (i = 0; i < report->check_count; i++)
        print_check(report->checks[i], (int)width);
    print_counts(report);
}

static void print_failure_json(const struct patient *patient)
{
    AUTO_TEXT line = {0};
    char *error = sbx_error_json(&patient->error);

    text_add(&line, "{\"place\":");
    text_add_json(&line, patient->place);
    text_addf(&line, ",\"ok\":false,\"error\":%s}", error != NULL ? error : "null");
    (void)printf("%s\n", line.data);
    sbx_free(error);
}

/* What kept us out is told on standard error too, as `host check` tells it. */
static void print_patient(const struct app *app, const struct patient *patient)
{
    const sbx_doctor_report *report = patient->report;

    if (report != NULL && app->json)
        out_json(sbx_doctor_json(report));
    else if (report != NULL)
        print_report(report);
    else if (app->json)
        print_failure_json(patient);
    (void)fflush(stdout);
    if (report == NULL)
        out_error(&patient->error);
    else if (!report->connected)
        out_error(&report->error);
}

static int status_of(const struct patient *patient)
{
    const sbx_doctor_report *report = patient->report;

    if (report == NULL)
        return out_status(patient->code);
    if (!report->connected)
        return out_status(report->error.code);
    return report->failed > 0 ? 1 : 0;
}

static int look_at_all(struct app *app, const struct values *values,
                       const struct places *places)
{
    size_t count = places->names.count;
    struct round round = {.app = app, .values = values};
    int worst = 0;
    size_t i;

    round.patients = own_zeroed(count, sizeof(round.patients[0]));
    for (i = 0; i < count; i++)
        round.patients[i].place = places->names.items[i];
    parallel_run(count, look_at, &round);
    for (i = 0; i < count; i++) {
        int status = status_of(&round.patients[i]);

        print_patient(app, &round.patients[i]);
        worst = status > worst ? status : worst;
        sbx_doctor_report_free(round.patients[i].report);
    }
    free(round.patients);
    return worst;
}

static int run_doctor(struct app *app, const void *values, const struct words *operands)
{
    AUTO_PLACES places = {0};
    sbx_error err = {0};
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < operands->count && rc == SBX_OK; i++)
        rc = places_add(&places, app, operands->items[i], &err);
    if (rc == SBX_OK)
        rc = app_open_pool(app, &err);
    return rc < 0 ? app_failed(app, &err) : look_at_all(app, values, &places);
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .usage = "[OPTION]... PLACE...",
    .help = "Look places over and say what mends what is wrong",
    .about =
        "Checks the way to a place (name, address, host key, login), the account, the "
        "disks, the tools and the GPUs, and prints a line for each check. What could not "
        "be learnt is told as unknown.\n"
        "The status is 1 when a check failed, and 255 when there was no way in.",
    .examples = "doctor gpu1\ndoctor -t 10 @lab local --json",
    .options = options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_doctor,
};
