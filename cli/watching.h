/* watching.h - what `watch add`, `job start` and `run` share: whom to tell of a job. */
#ifndef CLI_WATCHING_H
#define CLI_WATCHING_H

#include "app.h"

#include <sandbox/job.h>
#include <sandbox/watch.h>

struct watching_values {
    int64_t notify;
    const char *webhook;
    const char *webhook_secret;
    const char *webhook_ca;
    struct words on_event;
    const char *wake;
    const char *events;
    int64_t progress;
    int64_t interval_ms; /* of `watch add` alone */
    int64_t no_watch;    /* of `job start` and `run` */
};

/* The rows of options, where `struct values` has a watching_values `member`. */
/* clang-format off */
#define WATCHING_AT(member, field)                                                       \
    offsetof(struct values, member) + offsetof(struct watching_values, field)
#define WATCHING_OPTIONS(member)                                                         \
    {0, "notify", NULL, OPT_FLAG, WATCHING_AT(member, notify),                           \
     "Tell of it on the desktop of this machine", NULL, 0, 0, NULL},                     \
    {0, "webhook", "URL", OPT_TEXT, WATCHING_AT(member, webhook),                        \
     "POST each event there, as JSON", opt_check_filled, 0, 0, NULL},                    \
    {0, "webhook-secret", "FILE", OPT_TEXT, WATCHING_AT(member, webhook_secret),         \
     "Sign what is POSTed with the first line of this file", opt_check_filled, 0, 0,     \
     "file"},                                                                            \
    {0, "webhook-ca", "FILE", OPT_TEXT, WATCHING_AT(member, webhook_ca),                 \
     "Have these certificates alone vouch for who is POSTed to", opt_check_filled, 0, 0, \
     "file"},                                                                            \
    {0, "on-event", "WORD", OPT_LIST, WATCHING_AT(member, on_event),                     \
     "Run this program for each event; given again, its arguments", NULL, 0, 0,          \
     "file"},                                                                            \
    {0, "wake", "AGENT", OPT_TEXT, WATCHING_AT(member, wake),                            \
     "When it has ended: run codex, claude or a command here, as a job",                 \
     opt_check_filled, 0, 0, "codex claude"},                                            \
    {0, "events", "DIR", OPT_TEXT, WATCHING_AT(member, events),                          \
     "Put a file of JSON for each event into this folder", opt_check_filled, 0, 0,       \
     "dir"},                                                                             \
    {0, "progress", "PERCENT", OPT_INT, WATCHING_AT(member, progress),                   \
     "Tell each so many percent how far its log says it got", NULL, 1, 100, NULL}
#define WATCHING_NO_OPTION(member)                                                       \
    {0, "no-watch", NULL, OPT_FLAG, WATCHING_AT(member, no_watch),                       \
     "Do not look after it from here", NULL, 0, 0, NULL}
/* clang-format on */

/* The options as the library takes them. Its paths are absolute. */
struct watching {
    sbx_watch_opts opts;
    struct text secret, ca, folder, ssh_config, list_file, program;
    struct words command;
};
#define AUTO_WATCHING CLEANUP(watching_clear) struct watching
void watching_clear(struct watching *watching);

/* Refuses what could never be delivered, before anything is done. */
int watching_prepare(struct watching *watching, const struct app *app,
                     const struct watching_values *values, sbx_error *err);

/* Watches a job that was started, and sees to a watchdog. What cannot be is told. */
void watching_begin(const struct app *app, const struct watching *watching,
                    const sbx_job *job);

#endif
