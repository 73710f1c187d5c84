/*
 * tell.c - the desktop, a command, an agent and a folder.
 *
 * Programs run on this machine as on any other place, by exec and job: without a shell
 * that reads their words, with a limit, and ended with all that they started.
 */
#include "watch/tell.h"

#include "base/path.h"
#include "base/str.h"
#include "base/strv.h"
#include "watch/event.h"
#include "watch/kind.h"

#include <sandbox/exec.h>
#include <sandbox/job.h>

#include <stdio.h>
#include <string.h>

#define DESKTOP_MS 10000

/* A body may be read as markup, a title is not. */
static void add_escaped(struct sbi_str *text, const char *from)
{
    for (; *from != '\0'; from++) {
        if (*from == '&')
            sbi_str_add(text, "&amp;");
        else if (*from == '<')
            sbi_str_add(text, "&lt;");
        else
            sbi_str_add_bytes(text, from, 1);
    }
}

/* SBX_ERR_UNSUPPORTED: there is no such program. */
static int run(const struct sbi_teller *teller, const char *const *argv,
               const char *const *env, const char *input, int64_t limit_ms,
               sbx_error *err)
{
    const sbx_exec_opts opts = {.size = sizeof(opts),
                                .flags = SBX_EXEC_NO_SPOOL,
                                .env = env,
                                .input = input,
                                .input_length = input == NULL ? 0 : strlen(input),
                                .timeout_ms = limit_ms,
                                .output_limit = 4096,
                                .cancel = teller->cancel};
    sbx_exec_result *result = NULL;
    int status, rc = sbx_exec_argv(teller->local, argv, &opts, &result, err);

    if (rc < 0)
        return rc;
    status = sbx_exec_status(result);
    if (result->end == SBX_EXEC_TIMED_OUT)
        rc = sbi_fail(err, SBX_ERR_TIMEOUT, "'%.80s' was ended after %lld ms", argv[0],
                      (long long)limit_ms);
    else if (status == 127)
        rc = sbi_fail(err, SBX_ERR_UNSUPPORTED, "there is no '%.80s'", argv[0]);
    else if (status != 0)
        rc = sbi_fail(err, SBX_ERR_REMOTE, "'%.80s' ended with status %d: %.120s",
                      argv[0], status, result->errors == NULL ? "" : result->errors);
    sbx_exec_result_free(result);
    return rc;
}

int sbi_tell_desktop(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                     const sbx_watch_event *event, sbx_error *err)
{
    SBI_AUTO_STR title = {0}, body = {0};
    int rc;

    (void)opts;
    sbi_str_addf(&title, "%s: %s", event->place, event->kind);
    add_escaped(&body, event->summary);
    if (title.status != SBX_OK || body.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "notify: out of memory");
    {
        const bool urgent = sbi_kind(sbi_kind_named(event->kind))->urgent;
        const char *const here[] = {"notify-send",
                                    "--app-name=sbx",
                                    urgent ? "--urgency=critical" : "--urgency=normal",
                                    "--",
                                    title.data,
                                    body.data,
                                    NULL};
        const char *const mac[] = {
            "osascript",
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run",
            title.data,
            event->summary,
            NULL};

        rc = run(teller, here, NULL, NULL, DESKTOP_MS, err);
        if (rc == SBX_ERR_UNSUPPORTED)
            rc = run(teller, mac, NULL, NULL, DESKTOP_MS, err);
    }
    if (rc == SBX_ERR_UNSUPPORTED)
        return sbi_fix(err, rc, NULL, "install notify-send (libnotify-bin)");
    return rc;
}

static int add_variable(char ***env, const char *name, const char *value, sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    sbi_str_addf(&text, "SBX_EVENT_%s=", name);
    sbi_str_add(&text, value);
    return text.status != SBX_OK ? sbi_fail(err, text.status, "tell: out of memory")
                                 : sbi_strv_add(env, text.data, err);
}

static int make_env(const sbx_watch_event *event, const char *prompt, const char *json,
                    char ***out, sbx_error *err)
{
    SBI_AUTO_STRV env = NULL;
    char number[24], generation[24], at[24];
    const char *const variables[][2] = {
        {"ID", event->id},       {"NUMBER", number},          {"KIND", event->kind},
        {"PLACE", event->place}, {"JOB", event->job},         {"GENERATION", generation},
        {"AT_MS", at},           {"SUMMARY", event->summary}, {"PROMPT", prompt},
        {"JSON", json},
    };
    size_t i;
    int rc = SBX_OK;

    (void)snprintf(number, sizeof(number), "%lld", (long long)event->number);
    (void)snprintf(generation, sizeof(generation), "%lld", (long long)event->generation);
    (void)snprintf(at, sizeof(at), "%lld", (long long)event->at_ms);
    for (i = 0; i < sizeof(variables) / sizeof(variables[0]) && rc == SBX_OK; i++)
        rc = add_variable(&env, variables[i][0], variables[i][1], err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(env);
    return rc;
}

int sbi_tell_command(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                     const sbx_watch_event *event, sbx_error *err)
{
    SBI_AUTOFREE char *prompt = NULL;
    SBI_AUTOFREE char *json = sbx_watch_event_json(event);
    SBI_AUTO_STRV env = NULL;
    int rc = sbi_event_prompt(event, &prompt, err);

    if (rc == SBX_OK && json == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "tell: out of memory");
    if (rc == SBX_OK)
        rc = make_env(event, prompt, json, &env, err);
    if (rc < 0)
        return rc;
    return run(teller, opts->command, (const char *const *)env, json, teller->command_ms,
               err);
}

/* A job, and so one however often it is started; it outlives the watchdog. */
static int start_agent(const struct sbi_teller *teller, const char *wake,
                       const char *prompt, const sbx_job_start_opts *opts, sbx_error *err)
{
    const char *const codex[] = {"codex", "exec", prompt, NULL};
    const char *const claude[] = {"claude", "-p", prompt, NULL};
    sbx_job *job = NULL;
    int rc;

    if (strcmp(wake, "codex") == 0)
        rc = sbx_job_start_argv(teller->local, codex, opts, &job, err);
    else if (strcmp(wake, "claude") == 0)
        rc = sbx_job_start_argv(teller->local, claude, opts, &job, err);
    else
        rc = sbx_job_start(teller->local, wake, opts, &job, err);
    sbx_job_free(job);
    return rc;
}

int sbi_tell_agent(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                   const sbx_watch_event *event, sbx_error *err)
{
    SBI_AUTOFREE char *prompt = NULL;
    SBI_AUTOFREE char *json = sbx_watch_event_json(event);
    SBI_AUTO_STRV env = NULL;
    sbx_job_start_opts start = {.size = sizeof(start),
                                .name = "wake",
                                .flags = SBX_JOB_NO_TERMINAL,
                                .cancel = teller->cancel};
    char id[64];
    int rc = sbi_event_prompt(event, &prompt, err);

    if (rc == SBX_OK && json == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "wake: out of memory");
    if (rc == SBX_OK)
        rc = make_env(event, prompt, json, &env, err);
    if (rc < 0)
        return rc;
    (void)snprintf(id, sizeof(id), "wake-%.32s", event->id);
    start.id = id;
    start.env = (const char *const *)env;
    return start_agent(teller, opts->wake, prompt, &start, err);
}

/* Its name is its number: written again, it is the same file. */
int sbi_tell_folder(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                    const sbx_watch_event *event, sbx_error *err)
{
    SBI_AUTOFREE char *json = sbx_watch_event_json(event);
    SBI_AUTO_STR path = {0};
    int rc = json == NULL ? sbi_fail(err, SBX_ERR_NO_MEMORY, "tell: out of memory")
                          : sbi_path_make_folders(opts->folder, err);

    (void)teller;
    if (rc < 0)
        return rc;
    sbi_str_addf(&path, "%s/%010lld-%s.json", opts->folder, (long long)event->number,
                 event->kind);
    if (path.status != SBX_OK)
        return sbi_fail(err, path.status, "tell: out of memory");
    return sbi_path_write(path.data, json, strlen(json), 0600, err);
}
