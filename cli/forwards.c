/*
 * forwards.c - one socket a process, named by its pid. To connect is to ask; the answer
 * is four lines a forward: JSON, place, what is listened on, and the line for people.
 */
#include "forwards.h"

#include "interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG 16
#define ANSWER_MS 2000
#define STOP_STEPS 250
#define STEP_NS (20 * 1000000L)
#define LONGEST ((size_t)4 * 1024 * 1024)
#define LINES 4

static int find_folder(struct text *folder, sbx_error *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    const char *home = getenv("HOME");

    if (runtime != NULL && runtime[0] == '/')
        text_addf(folder, "%s/sbx/forward", runtime);
    else if (home != NULL && home[0] == '/')
        text_addf(folder, "%s/.local/state/sbx/forward", home);
    else
        return fault(err, SBX_ERR_CONFIG,
                     "no folder for forwards: HOME is not set, nor XDG_RUNTIME_DIR");
    return SBX_OK;
}

static int make_folder(const char *folder, sbx_error *err)
{
    AUTOFREE char *path = own_copy(folder, strlen(folder));
    struct stat info;
    char *slash;

    for (slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    if ((mkdir(path, 0700) < 0 && errno != EEXIST) || lstat(path, &info) < 0)
        return fault_errno(err, SBX_ERR_IO, "make folder '%s'", path);
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0)
        return fault_fix(
            err, fault(err, SBX_ERR_CONFIG, "folder '%s': others can reach it", path),
            "chmod 700 %s", path);
    return SBX_OK;
}

static int fill(struct sockaddr_un *address, const char *path, sbx_error *err)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address->sun_path))
        return fault(err, SBX_ERR_CONFIG, "socket '%s': its path is too long", path);
    memcpy(address->sun_path, path, strlen(path));
    return SBX_OK;
}

int forwards_listen(struct forwards *forwards, sbx_error *err)
{
    struct sockaddr_un address;
    AUTO_TEXT path = {0};
    int rc = find_folder(&path, err);

    if (rc == SBX_OK)
        rc = make_folder(path.data, err);
    if (rc == SBX_OK) {
        text_addf(&path, "/%lld", (long long)getpid());
        rc = fill(&address, path.data, err);
    }
    if (rc < 0)
        return rc;
    (void)unlink(path.data); /* of a process that had our number */
    forwards->path = own_copy(path.data, path.length);
    forwards->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (forwards->listener < 0 || fchmod(forwards->listener, 0600) < 0 ||
        bind(forwards->listener, (const struct sockaddr *)&address, sizeof(address)) <
            0 ||
        listen(forwards->listener, BACKLOG) < 0)
        return fault_errno(err, SBX_ERR_IO, "listen at '%s'", path.data);
    return SBX_OK;
}

void forwards_clear(struct forwards *forwards)
{
    size_t i;

    for (i = 0; i < forwards->count; i++)
        sbx_forward_free(forwards->items[i]);
    free(forwards->items);
    if (forwards->listener >= 0) {
        (void)close(forwards->listener);
        (void)unlink(forwards->path);
    }
    free(forwards->path);
}

void forwards_add_shown(struct text *text, const sbx_forward_info *info)
{
    switch (info->kind) {
    case SBX_FORWARD_REMOTE:
        text_addf(text, "%s on %s -> %s", info->listens, info->place, info->target);
        break;
    case SBX_FORWARD_SOCKS:
        text_addf(text, "%s -> SOCKS on %s", info->listens, info->place);
        break;
    default:
        text_addf(text, "%s -> %s on %s", info->listens, info->target, info->place);
        break;
    }
}

static void add_told(struct text *answer, sbx_forward *forward)
{
    sbx_forward_info *info = NULL;
    char *json;

    if (sbx_forward_look(forward, &info, NULL) < 0)
        return;
    json = sbx_forward_info_json(info);
    text_addf(answer, "%s\n%s\n%s\n%-4s  %4lld  ", json == NULL ? "{}" : json,
              info->place, info->listens, info->up ? "up" : "down",
              (long long)info->connections);
    forwards_add_shown(answer, info);
    if (info->error[0] != '\0')
        text_addf(answer, "  (%s)", info->error);
    text_add(answer, "\n");
    sbx_free(json);
    sbx_forward_info_free(info);
}

static void answer(const struct forwards *forwards, int fd)
{
    AUTO_TEXT text = {0};
    struct ucred peer;
    socklen_t length = sizeof(peer);
    size_t i;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 ||
        peer.uid != geteuid())
        return;
    for (i = 0; i < forwards->count; i++)
        add_told(&text, forwards->items[i]);
    if (text.length > 0)
        (void)!send(fd, text.data, text.length, MSG_NOSIGNAL);
}

void forwards_serve(struct forwards *forwards, sbx_cancel *cancel)
{
    struct pollfd fds[] = {{interrupt_fd(), POLLIN, 0}, {forwards->listener, POLLIN, 0}};
    int fd;

    while (!sbx_cancel_fired(cancel)) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        while ((fd = accept4(forwards->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
            answer(forwards, fd);
            (void)close(fd);
        }
    }
}

/* The whole answer, and who gave it; false: nobody is there. */
static bool ask(const char *path, struct text *said, int64_t *pid)
{
    AUTOCLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address;
    struct ucred peer;
    socklen_t length = sizeof(peer);
    struct pollfd one = {fd, POLLIN, 0};
    char piece[4096];
    ssize_t got = 1;

    if (fd < 0 || fill(&address, path, NULL) < 0 ||
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return errno != ECONNREFUSED;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 ||
        peer.uid != geteuid())
        return true;
    *pid = peer.pid;
    while (got > 0 && said->length < LONGEST && poll(&one, 1, ANSWER_MS) > 0) {
        got = read(fd, piece, sizeof(piece));
        if (got > 0)
            text_add_bytes(said, piece, (size_t)got);
    }
    return true;
}

static void tell_all(char *said, int64_t pid, forwards_fn fn, void *userdata)
{
    char *lines[LINES];
    size_t i;

    while (said != NULL && *said != '\0') {
        for (i = 0; i < LINES && said != NULL; i++)
            lines[i] = strsep(&said, "\n");
        if (i < LINES || said == NULL)
            return;
        fn(&(struct forwards_told){pid, lines[0], lines[1], lines[2], lines[3]},
           userdata);
    }
}

static void tell_one(const char *folder, const char *name, forwards_fn fn, void *userdata)
{
    AUTO_TEXT path = {0};
    AUTO_TEXT said = {0};
    int64_t pid = 0;

    text_addf(&path, "%s/%s", folder, name);
    if (!ask(path.data, &said, &pid))
        (void)unlink(path.data);
    else
        tell_all(said.data, pid, fn, userdata);
}

int forwards_each(forwards_fn fn, void *userdata, sbx_error *err)
{
    AUTO_TEXT folder = {0};
    struct dirent *entry;
    DIR *dir;
    int rc = find_folder(&folder, err);

    if (rc < 0)
        return rc;
    dir = opendir(folder.data);
    if (dir == NULL)
        return errno == ENOENT
                   ? SBX_OK
                   : fault_errno(err, SBX_ERR_IO, "read folder '%s'", folder.data);
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            tell_one(folder.data, entry->d_name, fn, userdata);
    (void)closedir(dir);
    return SBX_OK;
}

int forwards_stop(int64_t pid, sbx_error *err)
{
    const struct timespec step = {0, STEP_NS};
    AUTO_TEXT path = {0};
    int i, rc = find_folder(&path, err);

    if (rc < 0)
        return rc;
    text_addf(&path, "/%lld", (long long)pid);
    if (kill((pid_t)pid, SIGTERM) < 0 && errno != ESRCH)
        return fault_errno(err, SBX_ERR_IO, "stop process %lld", (long long)pid);
    for (i = 0; i < STOP_STEPS && access(path.data, F_OK) == 0; i++)
        (void)nanosleep(&step, NULL);
    return i < STOP_STEPS
               ? SBX_OK
               : fault(err, SBX_ERR_TIMEOUT, "process %lld does not end", (long long)pid);
}
