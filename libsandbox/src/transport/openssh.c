/* openssh.c - the line over a master of our own: its opening and its end. */
#include "transport/openssh.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "base/wait.h"
#include "base/write.h"
#include "transport/mux.h"
#include "transport/openssh_start.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#define LOOK_MS 10
#define END_MS 2000
#define SSH_ADDS 18 /* to the name of a socket, while it makes it */
#define MOST_SAID 65536

struct openssh_line {
    struct sbi_line base;
    struct sbi_line *mux; /* NULL: not logged in yet */
    struct sbi_openssh_child child;
    char *path;
};

static bool has_ended(pid_t pid, siginfo_t *end)
{
    memset(end, 0, sizeof(*end));
    return waitid(P_PID, (id_t)pid, end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end->si_pid == pid;
}

/*
 * Until it is reaped the number is its own. Then its guard is told that there is nothing
 * left to end.
 */
static void end_child(struct sbi_openssh_child *child)
{
    int64_t deadline = sbi_deadline(END_MS);
    siginfo_t end;

    if (child->pid > 0) {
        (void)kill(child->pid, SIGTERM);
        while (!has_ended(child->pid, &end) && sbi_left_ms(deadline) > 0)
            (void)sbi_wait_readable(-1, sbi_deadline(LOOK_MS), NULL);
        (void)kill(child->pid, SIGKILL);
        (void)sbi_write_some(child->guard, "\n", 1);
        (void)waitpid(child->pid, NULL, 0);
    }
    sbi_close_fd(&child->guard);
    sbi_close_fd(&child->said);
}

static void line_free(struct sbi_line *base)
{
    struct openssh_line *line = (struct openssh_line *)base;

    sbi_line_free(line->mux);
    end_child(&line->child);
    if (line->path != NULL)
        (void)unlink(line->path);
    free(line->path);
    free(line);
}

static void line_clear(struct openssh_line **line)
{
    if (*line != NULL)
        line_free(&(*line)->base);
}

/* What ssh has to say of single connections is of no use to anybody. */
static int line_start(struct sbi_line *base, const struct sbi_process_spec *spec,
                      struct sbi_process **out, sbx_error *err)
{
    struct openssh_line *line = (struct openssh_line *)base;
    struct stat info;

    if (fstat(line->child.said, &info) == 0 && info.st_size > MOST_SAID)
        (void)!ftruncate(line->child.said, 0);
    return sbi_line_start(line->mux, spec, out, err);
}

static bool line_alive(struct sbi_line *base)
{
    struct openssh_line *line = (struct openssh_line *)base;
    siginfo_t end;

    return sbi_line_alive(line->mux) && !has_ended(line->child.pid, &end);
}

static int line_ping(struct sbi_line *base, int64_t deadline, sbx_cancel *cancel,
                     sbx_error *err)
{
    return sbi_line_ping(((struct openssh_line *)base)->mux, deadline, cancel, err);
}

static const struct sbi_line_facts *line_facts(struct sbi_line *base)
{
    return sbi_line_facts(((struct openssh_line *)base)->mux);
}

static const struct sbi_line_ops line_ops = {
    .start = line_start,
    .alive = line_alive,
    .ping = line_ping,
    .facts = line_facts,
    .free = line_free,
};

static int find_path(char **out, sbx_error *err)
{
    SBI_AUTOFREE char *folder = NULL;
    SBI_AUTO_STR path = {0};
    char name[2 * 6 + 1];
    int rc = sbi_path_user(SBI_PATH_RUNTIME, "ssh", &folder, err);

    if (rc == SBX_OK)
        rc = sbi_path_make_folders(folder, err);
    if (rc == SBX_OK)
        rc = sbi_random_hex(name, sizeof(name) / 2, err);
    if (rc < 0)
        return rc;
    sbi_str_addf(&path, "%s/%s", folder, name);
    if (path.length + SSH_ADDS >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
        return sbi_fix(
            err,
            sbi_fail(err, SBX_ERR_CONFIG, "socket '%s': its path is too long", path.data),
            NULL, "set XDG_RUNTIME_DIR to a short folder of yours");
    return sbi_str_take(&path, out, err);
}

/* It makes the socket once it has logged in. */
static int await_login(struct openssh_line *line, const struct sbi_ssh_target *target,
                       int64_t deadline, sbx_cancel *cancel, sbx_error *err)
{
    siginfo_t end;
    int64_t look;
    int rc = SBX_OK;

    while (access(line->path, F_OK) != 0) {
        if (has_ended(line->child.pid, &end))
            return sbi_openssh_explain(&line->child, target, &end, err);
        look = sbi_deadline(LOOK_MS);
        rc = sbi_wait_readable(-1, look < deadline ? look : deadline, cancel);
        if (rc == SBX_ERR_CANCELLED)
            return sbi_fail(err, rc, "wait for ssh to log in: cancelled");
        if (sbi_left_ms(deadline) == 0)
            return sbi_fail(err, SBX_ERR_TIMEOUT,
                            "wait for ssh to log in: not done in time");
    }
    return sbi_mux_open(line->path, false, deadline, cancel, &line->mux, err);
}

static int refuse_agent(const struct sbi_ssh_target *target, sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_UNSUPPORTED,
                    "lend the agent to '%s': not over transport 'openssh'",
                    target->place);
}

int sbi_openssh_open(const struct sbi_ssh_target *target, const struct sbi_ssh_care *care,
                     int64_t deadline, sbx_cancel *cancel, struct sbi_line **out,
                     sbx_error *err)
{
    SBI_CLEANUP(line_clear) struct openssh_line *line = NULL;
    int rc;

    if (target->lend_agent)
        return refuse_agent(target, err);
    line = calloc(1, sizeof(*line));
    if (line == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    line->base.ops = &line_ops;
    line->child = (struct sbi_openssh_child){.guard = -1, .said = -1};
    rc = find_path(&line->path, err);
    if (rc == SBX_OK)
        rc = sbi_openssh_start(target, line->path, care->keepalive_ms, deadline,
                               &line->child, err);
    if (rc == SBX_OK)
        rc = await_login(line, target, deadline, cancel, err);
    if (rc < 0)
        return rc;
    sbi_log(SBX_LOG_INFO, "%s: over the installed ssh, process %ld", target->place,
            (long)line->child.pid);
    *out = &SBI_STEAL(line)->base;
    return SBX_OK;
}
