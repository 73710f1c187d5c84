/* sync_say.c - a line of progress on a terminal, a plan by lines, a report in one. */
#include "sync_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_NOTES 20

static bool line_shown;

static void add_bytes(struct text *text, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double amount = (double)bytes;
    size_t unit = 0;

    while (amount >= 1000 && unit < 4) {
        amount /= 1000;
        unit++;
    }
    text_addf(text, unit == 0 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
}

/* 1:02:03, or 2:03. */
static void add_time(struct text *text, int64_t seconds)
{
    if (seconds >= 3600)
        text_addf(text, "%lld:%02d:%02d", (long long)seconds / 3600,
                  (int)(seconds / 60 % 60), (int)(seconds % 60));
    else
        text_addf(text, "%d:%02d", (int)(seconds / 60), (int)(seconds % 60));
}

static void add_speed(struct text *text, const sbx_sync_progress *progress)
{
    double rate = progress->elapsed_ms > 0
                      ? (double)progress->bytes_done * 1000 / (double)progress->elapsed_ms
                      : 0;
    uint64_t left = progress->bytes_total > progress->bytes_done
                        ? progress->bytes_total - progress->bytes_done
                        : 0;

    text_add(text, "  ");
    add_bytes(text, (uint64_t)rate);
    text_add(text, "/s");
    if (rate >= 1) {
        text_add(text, "  ");
        add_time(text, (int64_t)((double)left / rate));
        text_add(text, " left");
    }
}

int sync_say_progress(const sbx_sync_progress *progress, void *userdata)
{
    static const char *const phases[] = {"", "looking", "comparing", "carrying",
                                         "placing"};
    AUTO_TEXT line = {0};

    (void)userdata;
    text_addf(&line, "\r%s",
              phases[progress->phase >= 1 && progress->phase <= 4 ? progress->phase : 0]);
    if (progress->phase >= SBX_SYNC_CARRYING) {
        text_addf(&line, "  %llu/%llu files  ", (unsigned long long)progress->files_done,
                  (unsigned long long)progress->files_total);
        add_bytes(&line, progress->bytes_done);
        text_add(&line, "/");
        add_bytes(&line, progress->bytes_total);
        add_speed(&line, progress);
    }
    text_add(&line, "\033[K");
    (void)out_write(STDERR_FILENO, line.data, line.length);
    line_shown = true;
    return 0;
}

void sync_end_progress(void)
{
    if (line_shown)
        (void)out_write(STDERR_FILENO, "\r\033[K", 4);
    line_shown = false;
}

/* A path in a line of its own: what a terminal obeys is made visible. */
static void add_path(struct text *text, const char *path)
{
    if (path[0] == '\0')
        text_add(text, ".");
    for (; *path != '\0'; path++) {
        unsigned char c = (unsigned char)*path;

        if (c < 0x20 || c == 0x7f)
            text_addf(text, "\\x%02x", c);
        else
            text_add_bytes(text, path, 1);
    }
}

static void print_item(const sbx_sync_item *item)
{
    AUTO_TEXT line = {0};

    text_addf(&line, "%-11s ", item->action);
    add_path(&line, item->path);
    text_addf(&line, "  (%s)\n", item->reason);
    (void)fputs(line.data, stdout);
}

static bool is_removal(const sbx_sync_item *item)
{
    return strcmp(item->action, "delete") == 0 || strcmp(item->action, "remove") == 0;
}

void sync_say_plan(const struct app *app, const sbx_sync_plan *plan, bool removals_only)
{
    const sbx_sync_summary *sum = sbx_sync_plan_summary(plan);
    size_t count = sbx_sync_plan_count(plan), i;
    AUTO_TEXT line = {0};

    (void)app;
    for (i = 0; i < count; i++) {
        sbx_sync_item item = {.size = sizeof(item)};

        if (sbx_sync_plan_item(plan, i, &item) && (!removals_only || is_removal(&item)))
            print_item(&item);
    }
    (void)fflush(stdout);
    if (removals_only)
        return;
    text_addf(&line, "to send: %llu files, ", (unsigned long long)sum->send_files);
    add_bytes(&line, sum->send_bytes);
    text_addf(&line, "; to delete: %llu; unchanged: %llu\nplan: %s\n",
              (unsigned long long)sum->delete_count, (unsigned long long)sum->unchanged,
              sum->token);
    (void)fputs(line.data, stdout);
}

static void note_items(const sbx_sync_report *report, const char *action, uint64_t total)
{
    size_t count = sbx_sync_report_count(report), i;
    uint64_t told = 0;

    for (i = 0; i < count && told < MOST_NOTES; i++) {
        sbx_sync_item item = {.size = sizeof(item)};

        if (!sbx_sync_report_item(report, i, &item) || strcmp(item.action, action) != 0)
            continue;
        told++;
        if (item.path[0] == '\0')
            out_note("%s: %s", strcmp(action, "skip") == 0 ? "skipped" : "failed",
                     item.reason);
        else
            out_note("%s '%s': %s", strcmp(action, "skip") == 0 ? "skipped" : "failed",
                     item.path, item.reason);
    }
    if (total > told)
        out_note("and %llu more; --json tells of them",
                 (unsigned long long)(total - told));
}

void sync_say_report(const struct app *app, const sbx_sync_report *report)
{
    AUTO_TEXT line = {0};

    note_items(report, "skip", report->skipped);
    note_items(report, "fail", report->failed);
    text_addf(&line, "sent: %llu files, ", (unsigned long long)report->sent_files);
    add_bytes(&line, report->sent_bytes);
    text_addf(&line, "; deleted: %llu; unchanged: %llu",
              (unsigned long long)report->deleted, (unsigned long long)report->unchanged);
    if (report->skipped > 0)
        text_addf(&line, "; skipped: %llu", (unsigned long long)report->skipped);
    if (report->failed > 0)
        text_addf(&line, "; failed: %llu", (unsigned long long)report->failed);
    if (app->verbose > 0) {
        text_add(&line, "; on the wire: ");
        add_bytes(&line, report->wire_up + report->wire_down);
        text_addf(&line, "; %lld ms", (long long)report->duration_ms);
    }
    text_add(&line, "\n");
    (void)fputs(line.data, stdout);
}
