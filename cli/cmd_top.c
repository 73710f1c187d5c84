/* cmd_top.c - `top`: all places and their GPUs in one table. */
#include "cmd.h"
#include "probing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct values {
    int64_t once;
    int64_t timeout_ms;
};

static const struct opt options[] = {
    {'1', "once", NULL, OPT_FLAG, offsetof(struct values, once),
     "Print the table once, and end", NULL, 0, 0, NULL},
    {'t', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),
     "Wait this long for a place at most; 5 by default", NULL, 0, 0, NULL},
    OPT_END,
};

enum { DEFAULT_LIMIT_MS = 5000, COLUMNS = 9, BAR = 8 };

static const char *const heads[COLUMNS] = {"PLACE", "CPU",  "MEMORY", "GPU", "MODEL",
                                           "VRAM",  "BUSY", "WHO",    "AGE"};

/* One line of the table; cells are owned. share is of the bar behind it, below 0: none.
 */
struct line {
    char *cells[COLUMNS];
    double share[COLUMNS];
    char *told; /* instead of all cells behind the first */
};

struct table {
    struct line *lines;
    size_t count;
    bool bars;
    bool colour;
};

static struct line *add_line(struct table *table)
{
    struct line *line;
    int i;

    table->lines = own_grown(table->lines, table->count + 1, sizeof(table->lines[0]));
    line = &table->lines[table->count++];
    memset(line, 0, sizeof(*line));
    for (i = 0; i < COLUMNS; i++)
        line->share[i] = -1;
    return line;
}

static void set(struct line *line, int column, struct text *text)
{
    line->cells[column] = own_copy(text->data != NULL ? text->data : "", text->length);
    text_clear(text);
}

static double share_of(int64_t part, int64_t whole)
{
    if (part == SBX_UNKNOWN || whole == SBX_UNKNOWN || whole <= 0)
        return -1;
    return (double)part / (double)whole;
}

static int64_t used_of(int64_t left, int64_t whole)
{
    return left == SBX_UNKNOWN || whole == SBX_UNKNOWN ? SBX_UNKNOWN : whole - left;
}

static void add_used(struct text *text, int64_t used, int64_t whole)
{
    probing_add_size(text, used);
    text_add(text, "/");
    probing_add_size(text, whole);
}

/* Each user once, as long as there is room. */
static void add_users(struct text *who, const sbx_gpu *gpu)
{
    size_t i;

    for (i = 0; i < gpu->process_count && who->length < 40; i++) {
        const sbx_gpu_process *process = gpu->processes[i];
        const char *user = process->user == NULL ? "?" : process->user;

        if (process->graphics == 1 ||
            (who->data != NULL && strstr(who->data, user) != NULL))
            continue;
        text_addf(who, "%s%s", who->length > 0 ? "," : "", user);
    }
    if (who->length == 0 && gpu->memory_unseen != SBX_UNKNOWN &&
        gpu->memory_unseen > 1 << 30)
        text_add(who, "not to be seen");
}

static void fill_gpu(struct line *line, const sbx_gpu *gpu, const sbx_gpu *whole)
{
    struct text text = {0};
    int64_t used = used_of(gpu->memory_free, gpu->memory_total);

    if (whole != NULL && whole->index != SBX_UNKNOWN)
        text_addf(&text, "%lld.", (long long)whole->index);
    if (gpu->index == SBX_UNKNOWN)
        text_add(&text, "?");
    else
        text_addf(&text, "%lld", (long long)gpu->index);
    set(line, 3, &text);
    text_addf(&text, "%.28s",
              gpu->profile != NULL ? gpu->profile
              : gpu->name != NULL  ? gpu->name
                                   : "?");
    set(line, 4, &text);
    if (gpu->fault != NULL) {
        text_addf(&text, "%.60s", gpu->fault);
        set(line, 7, &text);
        return;
    }
    add_used(&text, used, gpu->memory_total);
    set(line, 5, &text);
    line->share[5] = share_of(used, gpu->memory_total);
    if (gpu->busy_percent == SBX_UNKNOWN)
        text_add(&text, "?");
    else
        text_addf(&text, "%lld%%", (long long)gpu->busy_percent);
    set(line, 6, &text);
    line->share[6] = share_of(gpu->busy_percent, 100);
    add_users(&text, gpu);
    set(line, 7, &text);
}

static void fill_host(struct line *line, const struct probed *probed)
{
    const sbx_probe_report *report = probed->report;
    int64_t used = used_of(report->memory_available, report->memory_limit);
    struct text text = {0};

    text_add(&text, probed->place);
    set(line, 0, &text);
    if (report->cpu_busy_milli == SBX_UNKNOWN)
        text_add(&text, "?");
    else
        text_addf(&text, "%lld%%", (long long)(report->cpu_busy_milli + 5) / 10);
    if (report->cpu_count != SBX_UNKNOWN)
        text_addf(&text, " of %lld", (long long)report->cpu_count);
    set(line, 1, &text);
    line->share[1] = share_of(report->cpu_busy_milli, 1000);
    add_used(&text, used, report->memory_limit);
    set(line, 2, &text);
    line->share[2] = share_of(used, report->memory_limit);
    text_addf(&text, "%llds", (long long)time(NULL) - (long long)report->taken_at_s);
    set(line, 8, &text);
}

/* The GPU goes to the host's own line if that has none yet. */
static struct line *line_for_gpu(struct table *table, size_t first)
{
    if (table->lines[first].cells[3] == NULL)
        return &table->lines[first];
    return add_line(table);
}

static void add_gpus(struct table *table, const sbx_probe_report *report)
{
    size_t first = table->count - 1;
    struct text text = {0};
    const char *why = sbx_probe_why(report, "gpus");
    size_t i;
    size_t j;

    for (i = 0; i < report->gpu_count; i++) {
        const sbx_gpu *gpu = report->gpus[i];

        fill_gpu(line_for_gpu(table, first), gpu, NULL);
        for (j = 0; j < gpu->instance_count; j++)
            fill_gpu(line_for_gpu(table, first), gpu->instances[j], gpu);
    }
    if (report->gpus_known)
        return;
    text_add(&text, "?");
    set(line_for_gpu(table, first), 3, &text);
    text_addf(&text, "%.60s", why == NULL ? "not known" : why);
    set(&table->lines[table->count - 1], 7, &text);
}

static void add_place(struct table *table, const struct probed *probed)
{
    struct line *line = add_line(table);
    struct text text = {0};

    if (probed->report != NULL) {
        fill_host(line, probed);
        add_gpus(table, probed->report);
        return;
    }
    text_add(&text, probed->place);
    set(line, 0, &text);
    text_addf(&text, "%s: %.120s",
              probed->error.code == SBX_ERR_TIMEOUT ? "slow" : "dead",
              probed->error.text);
    line->told = own_copy(text.data, text.length);
    text_clear(&text);
}

static const char *cell(const struct line *line, int column)
{
    return line->cells[column] == NULL ? "" : line->cells[column];
}

static int width_of(const struct table *table, int column)
{
    size_t width = strlen(heads[column]);
    size_t i;

    for (i = 0; i < table->count; i++)
        if (strlen(cell(&table->lines[i], column)) > width)
            width = strlen(cell(&table->lines[i], column));
    return (int)width;
}

static bool has_bar(const struct table *table, int column)
{
    size_t i;

    for (i = 0; i < table->count; i++)
        if (table->bars && table->lines[i].share[column] >= 0)
            return true;
    return false;
}

static void add_bar(struct text *out, double share, bool colour)
{
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
    int full = share > 1 ? BAR : (int)(share * BAR + 0.5);
    int i;

    if (colour && share >= 0)
        text_add(out, colours[share >= 0.85 ? 2 : share >= 0.5 ? 1 : 0]);
    for (i = 0; i < BAR; i++)
        text_add(out, share < 0 ? " " : i < full ? "#" : "-");
    if (colour && share >= 0)
        text_add(out, "\033[0m");
    text_add(out, " ");
}

static void add_row(struct text *out, const struct table *table, const int *widths,
                    const struct line *line)
{
    size_t start = out->length;
    int i;

    for (i = 0; i < COLUMNS; i++) {
        if (line != NULL && line->told != NULL && i == 1) {
            text_add(out, line->told);
            break;
        }
        if (has_bar(table, i))
            add_bar(out, line == NULL ? -1 : line->share[i], table->colour);
        text_addf(out, "%-*s  ", widths[i], line == NULL ? heads[i] : cell(line, i));
    }
    while (out->length > start && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    text_add(out, "\n");
}

static void print_table(const struct table *table)
{
    AUTO_TEXT out = {0};
    int widths[COLUMNS];
    size_t i;
    int column;

    for (column = 0; column < COLUMNS; column++)
        widths[column] = width_of(table, column);
    add_row(&out, table, widths, NULL);
    for (i = 0; i < table->count; i++)
        add_row(&out, table, widths, &table->lines[i]);
    (void)fputs(out.data, stdout);
}

static void clear_table(struct table *table)
{
    size_t i;
    int column;

    for (i = 0; i < table->count; i++) {
        for (column = 0; column < COLUMNS; column++)
            free(table->lines[i].cells[column]);
        free(table->lines[i].told);
    }
    free(table->lines);
}

static int print_all(const struct app *app, const struct probing *probing)
{
    const char *no_colour = getenv("NO_COLOR");
    struct table table = {.bars = isatty(STDOUT_FILENO) == 1};
    int answered = 0;
    size_t i;

    table.colour = table.bars && (no_colour == NULL || no_colour[0] == '\0');
    for (i = 0; i < probing->count; i++) {
        const struct probed *probed = &probing->all[i];

        answered += probed->report != NULL;
        if (!app->json)
            add_place(&table, probed);
        else if (probed->report != NULL)
            out_json(sbx_probe_json(probed->report));
        else
            probing_print_error(probed);
    }
    if (!app->json)
        print_table(&table);
    clear_table(&table);
    return answered > 0 || probing->count == 0 ? 0 : 255;
}

static int run_top(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    const struct probing_opts opts = {
        .limit_ms = given->timeout_ms > 0 ? given->timeout_ms : DEFAULT_LIMIT_MS};
    AUTO_PLACES places = {0};
    AUTO_PROBING probing = {0};
    sbx_error err = {0};
    int rc = SBX_OK;
    size_t i;

    if (!given->once) {
        out_note("no --once given: there is no live view yet");
        out_note("try: %s top --once", app->program);
        return 2;
    }
    for (i = 0; i < operands->count && rc == SBX_OK; i++)
        rc = places_add(&places, app, operands->items[i], &err);
    if (rc == SBX_OK && operands->count == 0)
        rc = places_add_all(&places, app, true, &err);
    if (rc == SBX_OK)
        rc = app_open_pool(app, &err);
    if (rc == SBX_OK)
        rc = probing_run(&probing, app, &places, &opts, &err);
    if (rc < 0)
        return app_failed(app, &err);
    return sbx_cancel_fired(app->cancel) ? 130 : print_all(app, &probing);
}

const struct cmd cmd_top = {
    .name = "top",
    .usage = "--once [OPTION]... [PLACE]...",
    .help = "Show all places and their GPUs in one table",
    .about =
        "Without a PLACE, all that are known by name. A place that cannot be reached is "
        "told as dead, one that did not answer in time as slow; neither keeps the "
        "others waiting for more than the limit.",
    .examples = "top --once\ntop --once -t 2 @lab\ntop --once --json | jq .idle_score",
    .options = options,
    .values_size = sizeof(struct values),
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_top,
};
