#include "reaper.h"

#include "computers.h"
#include "process.h"

#include <sandbox/computer.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_PLACES = 256,
    LONGEST_PLACE = 1024,
    PARTING_MS = 5000, /* of a server whose input to us has ended */
    COLLECT_MS = 20000
};

struct reaper {
    const struct serve_opts *opts;
    pthread_mutex_t lock;
    int fd; /* to the process; -1: none was needed yet */
};

struct reaper *reaper_new(const struct serve_opts *opts)
{
    struct reaper *reaper = own_zeroed(1, sizeof(*reaper));

    reaper->opts = opts;
    reaper->fd = -1;
    (void)pthread_mutex_init(&reaper->lock, NULL);
    return reaper;
}

static void start_locked(struct reaper *reaper)
{
    const char *const words[] = {"reap", NULL};
    sbx_error err = {0};
    int ends[2];
    pid_t pid = 0;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    if (process_start(reaper->opts, words, ends[0], &pid, &err) == SBX_OK)
        reaper->fd = ends[1];
    else
        (void)close(ends[1]);
    (void)close(ends[0]);
}

/* What cannot be told is left to who looks next. */
static void tell(struct reaper *reaper, const char *sign, const char *place)
{
    AUTO_TEXT line = {0};

    text_addf(&line, "%s%s\n", sign, place);
    (void)pthread_mutex_lock(&reaper->lock);
    if (reaper->fd < 0)
        start_locked(reaper);
    if (reaper->fd >= 0 && line.length < LONGEST_PLACE)
        (void)!write(reaper->fd, line.data, line.length);
    (void)pthread_mutex_unlock(&reaper->lock);
}

void reaper_add(struct server *server, const char *place)
{
    tell(server->reaper, "+", place);
}

void reaper_remove(struct server *server, const char *place)
{
    tell(server->reaper, "-", place);
}

static void collect(sbx_session *session)
{
    const sbx_computer_opts opts = {.size = sizeof(opts), .timeout_ms = COLLECT_MS};
    sbx_computer_list *list = NULL;

    if (sbx_computer_collect(session, &opts, &list, NULL) == SBX_OK)
        sbx_computer_list_free(list);
}

static void *look(void *userdata)
{
    struct server *server = userdata;
    const char *place = server->opts->sandbox == NULL ? "local" : server->opts->sandbox;
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_error err = {0};

    if (strchr(place, '/') == NULL &&
        fleet_any(server->fleet, place, &host, &err) == SBX_OK &&
        fleet_check_writable(host, &err) == SBX_OK &&
        fleet_reach(server->fleet, place, &session, &err) == SBX_OK)
        collect(session);
    return NULL;
}

void reaper_look(struct server *server)
{
    pthread_t thread;

    if (!computers_offered(server->opts) || server->opts->read_only)
        return;
    if (pthread_create(&thread, NULL, look, server) == 0)
        (void)pthread_detach(thread);
}

/* A place, and how many temporary computers the server has there. */
struct due {
    char *place;
    int64_t count;
    sbx_session *session;
};

static void hear(struct due *all, size_t *count, const char *line)
{
    const char *place = line + 1;
    size_t i = 0;

    while (i < *count && strcmp(all[i].place, place) != 0)
        i++;
    if (i == MOST_PLACES)
        return;
    if (i == *count)
        all[(*count)++] = (struct due){.place = own_copy(place, strlen(place))};
    all[i].count += line[0] == '+' ? 1 : all[i].count > 0 ? -1 : 0;
}

static size_t hear_all(struct due *all)
{
    char line[LONGEST_PLACE];
    size_t count = 0;

    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0')
            hear(all, &count, line);
    }
    return count;
}

/* Its streams end before it counts as gone. */
static void await_parting(pid_t server)
{
    int64_t end = now_ms() + PARTING_MS;

    while (getppid() == server && now_ms() < end)
        (void)poll(NULL, 0, 20);
}

static void reap(sbx_hosts *hosts, struct due *due)
{
    const sbx_session_opts opts = {.size = sizeof(opts)};

    if (due->count > 0 && due->session == NULL)
        (void)sbx_session_open(hosts, due->place, &opts, &due->session, NULL);
    if (due->session != NULL)
        collect(due->session);
}

/* What was being made when the server ended may be there only a moment later. */
int reaper_run(const struct serve_opts *opts)
{
    static const int pauses_ms[] = {0, 2000, 8000};
    static struct due all[MOST_PLACES];
    const sbx_hosts_opts hosts_opts = {.size = sizeof(hosts_opts),
                                       .list_file = opts->list_file,
                                       .ssh_config = opts->ssh_config};
    pid_t server = getppid();
    sbx_hosts *hosts = NULL;
    size_t count;
    size_t round;
    size_t i;

    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    count = hear_all(all);
    await_parting(server);
    if (count == 0 || sbx_hosts_load(&hosts_opts, &hosts, NULL) < 0)
        return 0;
    for (round = 0; round < sizeof(pauses_ms) / sizeof(pauses_ms[0]); round++) {
        (void)poll(NULL, 0, pauses_ms[round]);
        for (i = 0; i < count; i++)
            reap(hosts, &all[i]);
    }
    for (i = 0; i < count; i++)
        sbx_session_free(all[i].session);
    sbx_hosts_free(hosts);
    return 0;
}
