#include "probing.h"

#include "parallel.h"
#include "prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    SAMPLE_MS = 500,
    MOST_TOOL_MS = 5000,
    LEAST_TOOL_MS = 1000,
    MOST_CONNECT_MS = 15000
};

struct round {
    struct app *app;
    struct probing *probing;
    const struct probing_opts *opts;
};

static int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* A tool that hangs must leave time to tell of the rest. */
static void probe_session(const struct round *round, struct probed *probed,
                          sbx_session *session, int64_t left_ms)
{
    int64_t sample_ms = round->opts->sample_ms > 0 ? round->opts->sample_ms : SAMPLE_MS;
    sbx_probe_opts opts = {.size = sizeof(opts),
                           .sample_ms = sample_ms,
                           .folder = round->opts->folder,
                           .cancel = round->app->cancel};

    if (round->opts->limit_ms > 0) {
        opts.timeout_ms = left_ms > 0 ? left_ms : 1;
        opts.tool_limit_ms =
            between(left_ms - sample_ms - 1000, LEAST_TOOL_MS, MOST_TOOL_MS);
    }
    (void)sbx_probe(session, &opts, &probed->report, &probed->error);
}

static void probe_one(size_t index, void *userdata)
{
    struct round *round = userdata;
    struct probed *probed = &round->probing->all[index];
    const sbx_session_opts opts = {
        .size = sizeof(opts),
        .connect_timeout_ms =
            round->opts->limit_ms < MOST_CONNECT_MS ? round->opts->limit_ms : 0,
        .prompt = prompt_ask,
        .cancel = round->app->cancel};
    int64_t start = now_ms();
    sbx_session *session = NULL;

    if (sbx_session_open(round->app->hosts, probed->place, &opts, &session,
                         &probed->error) < 0)
        return;
    probe_session(round, probed, session, round->opts->limit_ms - (now_ms() - start));
    sbx_session_free(session);
}

void probing_run(struct probing *probing, struct app *app, const struct places *places,
                 const struct probing_opts *opts)
{
    struct round round = {.app = app, .probing = probing, .opts = opts};
    size_t i;

    probing->count = places->names.count;
    probing->all = own_zeroed(probing->count + 1, sizeof(probing->all[0]));
    for (i = 0; i < probing->count; i++)
        probing->all[i].place = places->names.items[i];
    parallel_run(probing->count, probe_one, &round);
}

void probing_clear(struct probing *probing)
{
    size_t i;

    for (i = 0; i < probing->count; i++)
        sbx_probe_report_free(probing->all[i].report);
    free(probing->all);
    *probing = (struct probing){0};
}

void probing_add_size(struct text *text, int64_t bytes)
{
    static const char units[] = "KMGTP";
    double size = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes == SBX_UNKNOWN) {
        text_add(text, "?");
        return;
    }
    for (; size >= 1024 && units[unit + 1] != '\0'; unit++)
        size /= 1024;
    text_addf(text, size < 100 && unit > 1 ? "%.1f%c" : "%.0f%c", size, units[unit]);
}

void probing_print_error(const struct probed *probed)
{
    AUTO_TEXT line = {0};
    char *error = sbx_error_json(&probed->error);

    text_add(&line, "{\"place\":");
    text_add_json(&line, probed->place);
    text_addf(&line, ",\"ok\":false,\"error\":%s}", error != NULL ? error : "null");
    (void)printf("%s\n", line.data);
    sbx_free(error);
}
