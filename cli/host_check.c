/* host_check.c - `host check`: opens a session to each place and asks for an answer. */
#include "cmd.h"
#include "parallel.h"
#include "places.h"

#include <sandbox/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct check {
    const char *place;
    int code;
    sbx_error error;
    int64_t connect_ms;
    int64_t answer_ms;
};

struct checks {
    struct app *app;
    struct check *items;
};

static int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void check_place(size_t index, void *userdata)
{
    struct checks *checks = userdata;
    struct app *app = checks->app;
    struct check *check = &checks->items[index];
    sbx_session *session = NULL;
    int64_t start = now_ms();

    check->code =
        sbx_pool_acquire(app->pool, check->place, app->cancel, &session, &check->error);
    if (check->code < 0)
        return;
    check->connect_ms = now_ms() - start;
    check->code = sbx_session_check(session, 0, &check->error);
    check->answer_ms = now_ms() - start - check->connect_ms;
    sbx_session_free(session);
}

static void print_json(const struct check *check)
{
    AUTO_TEXT line = {0};
    char *error = check->code < 0 ? sbx_error_json(&check->error) : NULL;

    text_add(&line, "{\"place\":");
    text_add_json(&line, check->place);
    if (check->code == SBX_OK)
        text_addf(&line,
                  ",\"ok\":true,\"connect_ms\":%lld,\"answer_ms\":%lld,\"error\":null}",
                  (long long)check->connect_ms, (long long)check->answer_ms);
    else
        text_addf(&line,
                  ",\"ok\":false,\"connect_ms\":null,\"answer_ms\":null,\"error\":%s}",
                  error != NULL ? error : "null");
    (void)printf("%s\n", line.data);
    sbx_free(error);
}

static void print_line(const struct check *check)
{
    if (check->code == SBX_OK) {
        (void)printf("%s: ok %lld ms (connected in %lld ms)\n", check->place,
                     (long long)check->answer_ms, (long long)check->connect_ms);
        return;
    }
    (void)fflush(stdout);
    out_error(&check->error);
}

static int check_all(struct app *app, const struct places *places)
{
    size_t count = places->names.count;
    struct checks checks = {.app = app,
                            .items = own_zeroed(count, sizeof(checks.items[0]))};
    int worst = 0;
    size_t i;

    for (i = 0; i < count; i++)
        checks.items[i].place = places->names.items[i];
    parallel_run(count, check_place, &checks);
    for (i = 0; i < count; i++) {
        int status = out_status(checks.items[i].code);

        (app->json ? print_json : print_line)(&checks.items[i]);
        worst = status > worst ? status : worst;
    }
    free(checks.items);
    return worst;
}

static int run_check(struct app *app, const void *values, const struct words *operands)
{
    AUTO_PLACES places = {0};
    sbx_error err = {0};
    int rc = SBX_OK;
    size_t i;

    (void)values;
    for (i = 0; i < operands->count && rc == SBX_OK; i++)
        rc = places_add(&places, app, operands->items[i], &err);
    if (rc == SBX_OK)
        rc = app_open_pool(app, &err);
    return rc < 0 ? app_failed(app, &err) : check_all(app, &places);
}

const struct cmd cmd_host_check = {
    .name = "host check",
    .usage = "[OPTION]... PLACE...",
    .help = "Log in to places and see whether they answer",
    .about = "Prints how long the answer took, and how long the log-in, or what is wrong "
             "and what mends it. All places are asked at once.",
    .examples = "host check gpu1\nhost check @lab local --json",
    .options = cmd_no_options,
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_check,
};
