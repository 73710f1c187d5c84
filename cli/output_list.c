/* output_list.c - `output` without an id: which outputs are stored, and which one is
 * meant. */
#include "output_list.h"

#include "out.h"
#include "text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LISTED = 20, ID_LENGTH = 32, SHORTEST = 4, COMMAND_SHOWN = 60 };

static void add_time(struct text *text, int64_t seconds)
{
    time_t then = (time_t)seconds;
    struct tm day;
    char when[32];

    if (localtime_r(&then, &day) == NULL ||
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &day) == 0)
        text_add(text, "-                  ");
    else
        text_add(text, when);
}

/* On one line, whatever the command has in it. */
static void add_command(struct text *text, const char *command)
{
    size_t length = strlen(command), shown = length, i;

    if (length > COMMAND_SHOWN)
        for (shown = COMMAND_SHOWN; shown > 0 && (command[shown] & 0xC0) == 0x80;)
            shown--;
    for (i = 0; i < shown; i++) {
        bool plain = (unsigned char)command[i] >= ' ' && command[i] != 127;

        text_add_bytes(text, plain ? &command[i] : " ", 1);
    }
    if (shown < length)
        text_add(text, "...");
}

static void add_run(struct text *text, const sbx_output_run *run)
{
    text_addf(text, "%s  ", run->run_id);
    add_time(text, run->started);
    text_addf(text, "  %-12s %10llu %10llu  ", run->place == NULL ? "-" : run->place,
              (unsigned long long)run->stdout_bytes,
              (unsigned long long)run->stderr_bytes);
    if (!run->complete)
        text_add(text, "(not complete) ");
    add_command(text, run->command == NULL ? "-" : run->command);
    text_add(text, "\n");
}

int output_list(bool json, sbx_error *err)
{
    sbx_output_runs *runs = NULL;
    AUTO_TEXT text = {0};
    int rc = sbx_output_list(LISTED, NULL, &runs, err);
    size_t i;

    if (rc < 0)
        return rc;
    if (!json && runs->count > 0)
        text_addf(&text, "%-32s  %-19s  %-12s %10s %10s  %s\n", "RUN_ID", "STARTED",
                  "PLACE", "STDOUT", "STDERR", "COMMAND");
    for (i = 0; i < runs->count; i++) {
        if (json)
            out_json(sbx_output_run_json(&runs->items[i]));
        else
            add_run(&text, &runs->items[i]);
    }
    if (text.data != NULL)
        (void)out_write(1, text.data, text.length);
    if (!json && runs->count == 0)
        out_note("no output is stored");
    sbx_output_runs_free(runs);
    return SBX_OK;
}

static bool may_be_short(const char *word)
{
    size_t length = strlen(word);

    return length >= SHORTEST && length < ID_LENGTH &&
           strspn(word, "0123456789abcdef") == length;
}

static int choose(const sbx_output_runs *runs, const char *word, char id[OUTPUT_ID_ROOM],
                  sbx_error *err)
{
    size_t i, matches = 0;

    for (i = 0; i < runs->count; i++)
        if (strncmp(runs->items[i].run_id, word, strlen(word)) == 0 && matches++ == 0)
            (void)snprintf(id, OUTPUT_ID_ROOM, "%s", runs->items[i].run_id);
    if (matches == 1)
        return SBX_OK;
    return matches == 0 ? fault(err, SBX_ERR_NOT_FOUND,
                                "no output of a run '%s...' is stored", word)
                        : fault(err, SBX_ERR_INVALID, "'%s' begins the ids of %zu runs",
                                word, matches);
}

int output_named(const char *word, char id[OUTPUT_ID_ROOM], sbx_error *err)
{
    bool last = strcmp(word, "last") == 0;
    sbx_output_runs *runs = NULL;
    int rc;

    (void)snprintf(id, OUTPUT_ID_ROOM, "%s", word);
    if (!last && !may_be_short(word))
        return SBX_OK;
    rc = sbx_output_list(last ? 1 : -1, NULL, &runs, err);
    if (rc == SBX_OK)
        rc = choose(runs, last ? "" : word, id, err);
    sbx_output_runs_free(runs);
    return rc;
}
