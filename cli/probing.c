#include "probing.h"

#include "prompt.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_CONNECT_MS = 15000 };

static void pool_clear(sbx_pool **pool)
{
    sbx_pool_free(*pool);
}

int probing_run(struct probing *probing, struct app *app, const struct places *places,
                const struct probing_opts *opts, sbx_error *err)
{
    const sbx_session_opts how = {
        .size = sizeof(how),
        .connect_timeout_ms = opts->limit_ms < MOST_CONNECT_MS ? opts->limit_ms : 0,
        .prompt = prompt_ask};
    const sbx_pick_ask_opts asked = {.size = sizeof(asked),
                                     .place_ms = opts->limit_ms,
                                     .sample_ms = opts->sample_ms,
                                     .folder = opts->folder,
                                     .cancel = app->cancel};
    CLEANUP(pool_clear) sbx_pool *pool = NULL;
    size_t i;
    int rc = sbx_pool_new(app->hosts, &how, &pool, err);

    if (rc == SBX_OK)
        rc = sbx_pick_ask(pool, places->names.items, &asked, &probing->told, err);
    if (rc < 0)
        return rc;
    probing->count = probing->told->count;
    probing->all = own_zeroed(probing->count + 1, sizeof(probing->all[0]));
    for (i = 0; i < probing->count; i++)
        probing->all[i] = (struct probed){.place = probing->told->items[i]->place,
                                          .report = probing->told->items[i]->report,
                                          .error = *probing->told->items[i]->error};
    return SBX_OK;
}

void probing_clear(struct probing *probing)
{
    sbx_pick_told_free(probing->told);
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
