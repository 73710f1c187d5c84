#include "watchdog.h"

#include "places.h"

#include <sandbox/exec.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CALL_MS = 10000, APPEAR_MS = 3000, STEP_MS = 20 };

static const char unit_name[] = "sbx-watch.service";
static const char agent_name[] = "dev.sbx.watch";

int watchdog_system(void)
{
    struct utsname name;

    return uname(&name) == 0 && strcmp(name.sysname, "Darwin") == 0 ? WATCHDOG_LAUNCHD
                                                                    : WATCHDOG_SYSTEMD;
}

void watchdog_own_program(const struct app *app, struct text *path)
{
    const char *own = own_program();

    text_add(path, own != NULL ? own : app->program);
}

int watchdog_unit_path(int system, struct text *path, sbx_error *err)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    const bool has_home = home != NULL && home[0] == '/';

    if (system == WATCHDOG_SYSTEMD && config != NULL && config[0] == '/')
        text_addf(path, "%s/systemd/user/%s", config, unit_name);
    else if (system == WATCHDOG_SYSTEMD && has_home)
        text_addf(path, "%s/.config/systemd/user/%s", home, unit_name);
    else if (has_home)
        text_addf(path, "%s/Library/LaunchAgents/%s.plist", home, agent_name);
    else
        return fault(err, SBX_ERR_CONFIG, "install a watchdog: HOME is not set");
    return SBX_OK;
}

/* A word of a unit file, between quotes: no specifier, no variable, no escape. */
static void add_word(struct text *text, const char *word)
{
    text_add(text, "\"");
    for (; *word != '\0'; word++) {
        if (*word == '%' || *word == '$')
            text_add_bytes(text, word, 1);
        if (*word == '"' || *word == '\\')
            text_add(text, "\\");
        text_add_bytes(text, word, 1);
    }
    text_add(text, "\"");
}

static void add_xml(struct text *text, const char *from)
{
    for (; *from != '\0'; from++) {
        if (*from == '&')
            text_add(text, "&amp;");
        else if (*from == '<')
            text_add(text, "&lt;");
        else
            text_add_bytes(text, from, 1);
    }
}

/* Where our own files are, if that was said: the service has not our environment. */
static const char *const kept[] = {"XDG_STATE_HOME", "XDG_CONFIG_HOME"};
enum { KEPT = 2 };

static void add_unit(struct text *text, const char *program)
{
    size_t i;

    text_add(text, "[Unit]\nDescription=sbx watch: looks after jobs\n\n[Service]\n");
    text_add(text, "ExecStart=");
    add_word(text, program);
    text_add(text, " watch run --stand-by\nRestart=on-failure\nRestartSec=30\n");
    for (i = 0; i < KEPT; i++) {
        AUTO_TEXT line = {0};

        if (getenv(kept[i]) == NULL)
            continue;
        text_addf(&line, "%s=%s", kept[i], getenv(kept[i]));
        text_add(text, "Environment=");
        add_word(text, line.data);
        text_add(text, "\n");
    }
    text_add(text, "\n[Install]\nWantedBy=default.target\n");
}

static void add_agent(struct text *text, const char *program)
{
    static const char *const words[] = {"watch", "run", "--stand-by"};
    size_t i;

    text_add(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                   "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
                   "<plist version=\"1.0\">\n<dict>\n<key>Label</key>");
    text_addf(text, "<string>%s</string>\n<key>ProgramArguments</key>\n<array>\n<string>",
              agent_name);
    add_xml(text, program);
    text_add(text, "</string>\n");
    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        text_addf(text, "<string>%s</string>\n", words[i]);
    text_add(text, "</array>\n<key>RunAtLoad</key><true/>\n<key>KeepAlive</key><dict>"
                   "<key>SuccessfulExit</key><false/></dict>\n"
                   "<key>EnvironmentVariables</key>\n<dict>\n");
    for (i = 0; i < KEPT; i++) {
        if (getenv(kept[i]) == NULL)
            continue;
        text_addf(text, "<key>%s</key><string>", kept[i]);
        add_xml(text, getenv(kept[i]));
        text_add(text, "</string>\n");
    }
    text_add(text, "</dict>\n</dict>\n</plist>\n");
}

void watchdog_unit_text(int system, const struct app *app, struct text *text)
{
    AUTO_TEXT program = {0};

    watchdog_own_program(app, &program);
    if (system == WATCHDOG_LAUNCHD)
        add_agent(text, program.data);
    else
        add_unit(text, program.data);
}

int watchdog_call(struct app *app, const char *const *argv, struct text *said,
                  sbx_error *err)
{
    const sbx_exec_opts opts = {
        .size = sizeof(opts), .flags = SBX_EXEC_NO_SPOOL, .timeout_ms = CALL_MS};
    sbx_exec_result *result = NULL;
    sbx_session *session = NULL;
    int status = -1;
    int rc = places_open(app, "local", &session, err);

    if (rc == SBX_OK)
        rc = sbx_exec_argv(session, argv, &opts, &result, err);
    if (rc == SBX_OK) {
        status = sbx_exec_status(result);
        text_add_bytes(said, result->errors, strcspn(result->errors, "\n"));
    }
    sbx_exec_result_free(result);
    sbx_session_free(session);
    return status;
}

/* In a session of its own, with nothing of ours open: it outlives us, our terminal and
 * the folder we are in. */
static int spawn(const char *const *argv, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int rc = posix_spawn_file_actions_init(&actions);

    if (rc != 0)
        return rc;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    rc = posix_spawnattr_init(&attributes);
    if (rc == 0) {
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID |
                                                        POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setsigdefault(&attributes, &all);
        rc = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(&actions, 0, 1);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(&actions, 0, 2);
        if (rc == 0)
            rc = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        if (rc == 0)
            rc = posix_spawn_file_actions_addchdir_np(&actions, "/");
        if (rc == 0)
            rc = posix_spawnp(pid, argv[0], &actions, &attributes,
                              (char *const *)(uintptr_t)argv, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static bool works(sbx_ledger *ledger)
{
    sbx_watch_status status = {.size = sizeof(status)};

    return sbx_watch_status_read(ledger, &status, NULL) == SBX_OK && status.running;
}

/* Until it is at the work, or has ended: then another was quicker, or it cannot. */
static bool appears(sbx_ledger *ledger, pid_t pid)
{
    int waited;

    for (waited = 0; waited < APPEAR_MS; waited += STEP_MS) {
        if (works(ledger))
            return true;
        if (pid > 0 && waitpid(pid, NULL, WNOHANG) == pid)
            return works(ledger);
        (void)poll(NULL, 0, STEP_MS);
    }
    return false;
}

/* The service, where it is installed. */
static bool start_service(sbx_ledger *ledger)
{
    const char *const argv[] = {"systemctl", "--user", "start", unit_name, NULL};
    AUTO_TEXT path = {0};
    pid_t pid = 0;
    int status = 0;

    if (watchdog_system() != WATCHDOG_SYSTEMD ||
        watchdog_unit_path(WATCHDOG_SYSTEMD, &path, NULL) < 0 ||
        access(path.data, F_OK) < 0 || spawn(argv, &pid) != 0)
        return false;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0 && appears(ledger, 0);
}

void watchdog_ensure(const struct app *app, sbx_ledger *ledger)
{
    AUTO_TEXT program = {0};
    pid_t pid = 0;
    int rc;

    if (works(ledger) || start_service(ledger))
        return;
    watchdog_own_program(app, &program);
    {
        const char *const argv[] = {program.data, "watch", "run", "--until-idle", NULL};

        rc = spawn(argv, &pid);
    }
    if (rc == 0 && appears(ledger, pid))
        return;
    out_note("no watchdog runs, so nobody looks after it: %s",
             rc != 0 ? "none could be started" : "it ended as soon as it was started");
    out_note("try: %s watch run", app->program);
}
