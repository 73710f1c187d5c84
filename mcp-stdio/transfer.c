#include "transfer.h"

#include "fault.h"
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 4 << 20 };

static int make_folders(char *path, sbx_error *err)
{
    char *at;

    for (at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return fault_errno(err, SBX_ERR_IO, "make folder '%s'", path);
        *at = '/';
    }
    return SBX_OK;
}

static bool is_id(const char *id)
{
    return strlen(id) == TRANSFER_ID - 1 &&
           strspn(id, "0123456789abcdef") == TRANSFER_ID - 1;
}

static int path_of(const char *id, struct text *path, sbx_error *err)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    if (!is_id(id))
        return fault_fix(err,
                         fault(err, SBX_ERR_INVALID, "'%.60s' is no transfer_id", id),
                         "the transfer_id that sync told");
    if (state != NULL && state[0] == '/')
        text_addf(path, "%s/sbx/transfers/%s.json", state, id);
    else if (home != NULL && home[0] == '/')
        text_addf(path, "%s/.local/state/sbx/transfers/%s.json", home, id);
    else
        return fault(err, SBX_ERR_CONFIG, "HOME is not set, nor XDG_STATE_HOME");
    return make_folders(path->data, err);
}

static int write_file(const char *path, const char *bytes, sbx_error *err)
{
    AUTOCLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t left = strlen(bytes);

    if (fd < 0)
        return fault_errno(err, SBX_ERR_IO, "write '%s'", path);
    while (left > 0) {
        ssize_t n = write(fd, bytes, left);

        if (n < 0 && errno != EINTR)
            return fault_errno(err, SBX_ERR_IO, "write '%s'", path);
        bytes += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    return SBX_OK;
}

int transfer_write(const char *id, const tree *status, sbx_error *err)
{
    AUTOFREE char *bytes = tree_print(status);
    AUTO_TEXT path = {0};
    AUTO_TEXT beside = {0};
    int rc = path_of(id, &path, err);

    if (rc < 0)
        return rc;
    text_addf(&beside, "%s.%ld", path.data, (long)getpid());
    rc = write_file(beside.data, bytes, err);
    if (rc == SBX_OK && rename(beside.data, path.data) < 0)
        rc = fault_errno(err, SBX_ERR_IO, "write '%s'", path.data);
    return rc;
}

/* The 22nd field of its stat: pids come again, a start time with one does not. */
int64_t transfer_start_time(int64_t pid)
{
    char path[64];
    char line[1024] = "";
    const char *at;
    FILE *file;
    int field;

    (void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    file = fopen(path, "re");
    if (file == NULL)
        return -1;
    (void)!fgets(line, sizeof(line), file);
    (void)fclose(file);
    at = strrchr(line, ')');
    for (field = 2; at != NULL && field < 22; field++) {
        at = strchr(at + 1, ' ');
        if (field == 2 && at != NULL && (at[1] == 'Z' || at[1] == 'X'))
            return -1;
    }
    return at == NULL ? -1 : (int64_t)strtoll(at + 1, NULL, 10);
}

static bool is_alive(const tree *status)
{
    const tree *pid = tree_at(status, "pid");
    const tree *started = tree_at(status, "started");

    return cJSON_IsNumber(pid) && cJSON_IsNumber(started) &&
           transfer_start_time((int64_t)pid->valuedouble) ==
               (int64_t)started->valuedouble;
}

bool transfer_is_over(const tree *status)
{
    const char *state = tree_text(status, "state");

    return state == NULL ||
           (strcmp(state, "running") != 0 && strcmp(state, "starting") != 0);
}

static int read_whole(const char *id, const char *path, tree **out, sbx_error *err)
{
    AUTOFREE char *bytes = own_zeroed(1, LARGEST);
    FILE *file = fopen(path, "re");
    size_t length;

    if (file == NULL && errno == ENOENT)
        return fault_fix(err,
                         fault(err, SBX_ERR_NOT_FOUND, "there is no transfer '%s'", id),
                         "the transfer_id that sync told");
    if (file == NULL)
        return fault_errno(err, SBX_ERR_IO, "read '%s'", path);
    length = fread(bytes, 1, LARGEST, file);
    (void)fclose(file);
    *out = tree_parse((struct raw){bytes, length});
    return *out != NULL
               ? SBX_OK
               : fault(err, SBX_ERR_IO, "the file of transfer '%s' is damaged", id);
}

int transfer_read(const char *id, tree **out, sbx_error *err)
{
    AUTO_TEXT path = {0};
    const char *state;
    int rc = path_of(id, &path, err);

    if (rc == SBX_OK)
        rc = read_whole(id, path.data, out, err);
    if (rc < 0)
        return rc;
    state = tree_text(*out, "state");
    if (state == NULL || strcmp(state, "running") != 0 || is_alive(*out))
        return SBX_OK;
    cJSON_ReplaceItemInObjectCaseSensitive(*out, "state", cJSON_CreateString("lost"));
    tree_add_text(*out, "error",
                  "its process is gone without a word: sync again, what "
                  "was carried already is not carried twice");
    return SBX_OK;
}

int transfer_cancel(const char *id, sbx_error *err)
{
    AUTO_TREE status = NULL;
    int rc = transfer_read(id, &status, err);

    if (rc == SBX_OK && is_alive(status))
        (void)kill((pid_t)tree_at(status, "pid")->valuedouble, SIGTERM);
    return rc;
}

/* Its own begin: a process that the server does not have to wait for. */
static int spawn(const struct serve_opts *opts, const char *id, sbx_error *err)
{
    const char *const words[] = {"transfer", id, NULL};
    pid_t pid = 0;
    int rc = process_start(opts, words, -1, &pid, err);

    if (rc == SBX_OK)
        (void)waitpid(pid, NULL, 0);
    return rc;
}

int transfer_start(const struct serve_opts *opts, const tree *spec, char id[TRANSFER_ID],
                   sbx_error *err)
{
    AUTO_TREE status = cJSON_Duplicate(spec, true);
    uint64_t number = 0;
    int rc;

    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return fault_errno(err, SBX_ERR_IO, "name a transfer");
    (void)snprintf(id, TRANSFER_ID, "%016llx", (unsigned long long)number);
    tree_add_text(status, "transfer_id", id);
    tree_add_text(status, "state", "starting");
    rc = transfer_write(id, status, err);
    return rc < 0 ? rc : spawn(opts, id, err);
}
