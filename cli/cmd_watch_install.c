/* cmd_watch_install.c - `watch install` and `watch uninstall`: a service of the user's.
 */
#include "cmd.h"
#include "places.h"
#include "watchdog.h"

#include <sandbox/file.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    const char *print;
};

static int check_system(const char *value, sbx_error *err)
{
    if (strcmp(value, "systemd") != 0 && strcmp(value, "launchd") != 0)
        return fault(err, SBX_ERR_INVALID, "neither systemd nor launchd");
    return SBX_OK;
}

static const struct opt install_options[] = {
    {0, "print", "SYSTEM", OPT_TEXT, offsetof(struct values, print),
     "Print what would be written for systemd or launchd, and end", check_system, 0, 0,
     "systemd launchd"},
    OPT_END,
};

/* The steps of each system: words, with the unit's path for "@". */
static const char *const install_steps[][6] = {
    [WATCHDOG_SYSTEMD] = {"systemctl", "--user", "enable", "--now", "sbx-watch.service",
                          NULL},
    [WATCHDOG_LAUNCHD] = {"launchctl", "load", "-w", "@", NULL, NULL},
};
static const char *const uninstall_steps[][6] = {
    [WATCHDOG_SYSTEMD] = {"systemctl", "--user", "disable", "--now", "sbx-watch.service",
                          NULL},
    [WATCHDOG_LAUNCHD] = {"launchctl", "unload", "-w", "@", NULL, NULL},
};

/* Fails with what the program said of it. */
static int call(struct app *app, const char *const *words, const char *path,
                sbx_error *err)
{
    const char *argv[6] = {NULL};
    AUTO_TEXT said = {0};
    size_t i;
    int status;

    for (i = 0; i < 5 && words[i] != NULL; i++)
        argv[i] = strcmp(words[i], "@") == 0 ? path : words[i];
    status = watchdog_call(app, argv, &said, err);
    if (status < 0)
        return err->code;
    if (status == 0)
        return SBX_OK;
    return fault(err, SBX_ERR_UNSUPPORTED, "%s: %.200s", argv[0],
                 status == 127      ? "it is not here"
                 : said.length == 0 ? "it failed and did not say why"
                                    : said.data);
}

static int reload(struct app *app, int system, sbx_error *err)
{
    static const char *const words[] = {"systemctl", "--user", "daemon-reload",
                                        NULL,        NULL,     NULL};

    return system == WATCHDOG_SYSTEMD ? call(app, words, "", err) : SBX_OK;
}

static int write_unit(struct app *app, const char *path, const struct text *text,
                      sbx_error *err)
{
    const sbx_file_write_opts opts = {
        .size = sizeof(opts), .flags = SBX_FILE_PARENTS, .mode = 0644};
    sbx_file_written *written = NULL;
    sbx_session *session = NULL;
    int rc = places_open(app, "local", &session, err);

    if (rc == SBX_OK)
        rc =
            sbx_file_write(session, path, text->data, text->length, &opts, &written, err);
    sbx_file_written_free(written);
    sbx_session_free(session);
    return rc;
}

static int run_install(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    int system = watchdog_system();
    AUTO_TEXT path = {0};
    AUTO_TEXT text = {0};
    sbx_error err = {0};
    int rc;

    (void)operands;
    if (given->print != NULL)
        system =
            strcmp(given->print, "launchd") == 0 ? WATCHDOG_LAUNCHD : WATCHDOG_SYSTEMD;
    watchdog_unit_text(system, app, &text);
    if (given->print != NULL) {
        (void)fputs(text.data, stdout);
        return 0;
    }
    rc = watchdog_unit_path(system, &path, &err);
    if (rc == SBX_OK)
        rc = write_unit(app, path.data, &text, &err);
    if (rc < 0)
        return app_failed(app, &err);
    (void)printf("%s\n", path.data);
    (void)fflush(stdout);
    rc = reload(app, system, &err);
    if (rc == SBX_OK)
        rc = call(app, install_steps[system], path.data, &err);
    if (rc == SBX_OK)
        return 0;
    out_note("it is written, and could not be started: %s", err.text);
    out_note("try: %s watch run", app->program);
    return 1;
}

/* That it runs no more where it never ran is no failure. */
static int run_uninstall(struct app *app, const void *values,
                         const struct words *operands)
{
    int system = watchdog_system();
    AUTO_TEXT path = {0};
    sbx_error err = {0};

    (void)values;
    (void)operands;
    if (watchdog_unit_path(system, &path, &err) < 0)
        return app_failed(app, &err);
    if (access(path.data, F_OK) < 0) {
        out_note("it is not installed: there is no '%s'", path.data);
        return 1;
    }
    (void)call(app, uninstall_steps[system], path.data, &err);
    if (unlink(path.data) < 0) {
        (void)fault_errno(&err, SBX_ERR_IO, "remove '%s'", path.data);
        return app_failed(app, &err);
    }
    (void)reload(app, system, &err);
    return 0;
}

const struct cmd cmd_watch_install = {
    .name = "watch install",
    .usage = "[OPTION]...",
    .help = "Make a watchdog run whenever you are logged in; print the file it is in",
    .about =
        "A unit of systemd --user (Linux) or an agent of launchd (macOS), written whole and "
        "started. The status is 1 where it is written and cannot be started. For a machine "
        "on which you are not logged in: loginctl enable-linger.",
    .examples = "watch install\nwatch install --print launchd",
    .options = install_options,
    .values_size = sizeof(struct values),
    .run = run_install,
};

const struct cmd cmd_watch_uninstall = {
    .name = "watch uninstall",
    .usage = "",
    .help = "Stop that watchdog, and remove its file",
    .examples = "watch uninstall",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .run = run_uninstall,
};
