/* app.h - what all commands share: the global options, the hosts, the sessions. */
#ifndef CLI_APP_H
#define CLI_APP_H

#include "opt.h"
#include "out.h"

#include <sandbox/pool.h>

struct app {
    const char *program; /* as the user calls it */
    const struct cmd *cmd;
    bool only_command; /* the program is this command alone */
    int64_t json;
    int64_t verbose;
    int64_t help;
    int64_t version;
    int64_t no_keeper;
    const char *ssh_config; /* NULL: not said */
    const char *list_file;
    bool forward_agent; /* of the sessions that are opened */
    bool own;           /* each has connections of its own alone */
    bool steady;        /* which stay though nothing runs on them */
    sbx_hosts *hosts;   /* NULL until they are asked for */
    sbx_pool *pool;
    sbx_cancel *cancel; /* there is one from the command's first step on */
};

extern const struct opt app_options[];

/* Reads the hosts where that was not done yet. */
int app_open_hosts(struct app *app, sbx_error *err);

/* Gets ready to open sessions: hosts, pool, prompts, and Ctrl-C into app->cancel. */
int app_open_pool(struct app *app, sbx_error *err);

/* The list file of --config, else the user's own, which may not be there yet. */
int app_list_file(const struct app *app, struct text *path, sbx_error *err);

/* A usage error: the text, then the help that tells better. Returns 2. */
int app_misused(const struct app *app, const char *form, ...) PRINTF(2, 3);

/* The same, of words that could not be read: where err says what mends it, that. */
int app_misread(const struct app *app, const sbx_error *err);

/* A failure as it is told to the user; with --json also as a line on stdout. */
int app_failed(const struct app *app, const sbx_error *err);

void app_close(struct app *app);

#endif
