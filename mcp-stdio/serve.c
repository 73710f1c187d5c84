#include "serve.h"

#include "ending.h"
#include "fleet.h"
#include "guard.h"
#include "out.h"
#include "owning.h"
#include "reaper.h"
#include "rpc.h"
#include "tool.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void server_send(struct server *server, const char *line, size_t length)
{
    if (atomic_load(&server->broken))
        return;
    if (wire_send(&server->out, line, length))
        return;
    atomic_store(&server->broken, true);
    atomic_store(&server->ended, true);
    ending_ring(server);
}

/* Standard output becomes ours alone; what else writes there gets to standard error. */
static bool take_output(struct server *server)
{
    server->out.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    return server->out.fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

/* Nor is standard input anybody else's. */
static int take_input(void)
{
    int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
        return -1;
    (void)close(nothing);
    return fd;
}

static void read_lines(struct server *server, struct wire_in *in)
{
    struct raw line;
    enum wire_got got;

    while ((got = wire_next(in, &line)) != WIRE_END)
        if (got == WIRE_LINE)
            rpc_take(server, line);
        else
            rpc_refuse_long(server, line);
}

static int failed(const char *what)
{
    (void)fprintf(stderr, "sbx-mcp: %s\n", what);
    return 255;
}

/* What the user asked for cannot be: status 2, as of the program. */
static int refused(const sbx_error *err)
{
    out_error(err);
    return out_status(err->code);
}

/* All that a client ends is the program: what is made here is never given back. */
int serve(const struct serve_opts *opts)
{
    static struct server server = {
        .out = {.lock = PTHREAD_MUTEX_INITIALIZER},
        .calls = {.lock = PTHREAD_MUTEX_INITIALIZER, .none = PTHREAD_COND_INITIALIZER},
        .workers = {.lock = PTHREAD_MUTEX_INITIALIZER,
                    .more = PTHREAD_COND_INITIALIZER,
                    .run = rpc_run},
    };
    static struct wire_in in;
    sbx_error err = {0};

    server.opts = opts;
    atomic_store(&server.era, era_latest_handshake());
    if (!take_output(&server) || (server.in_fd = take_input()) < 0)
        return failed("standard input or output is not open");
    in.fd = server.in_fd;
    if (ending_begin(&server) != 0)
        return failed("no descriptor is left to watch for the end");
    server.fleet = fleet_new(opts);
    server.owning = owning_new();
    server.reaper = reaper_new(opts);
    if (tool_choose(opts, &err) < 0 || guard_new(opts, &server.guard, &err) < 0)
        return refused(&err);
    if (ending_watch(&server) != 0)
        return failed("no thread could be started");
    reaper_look(&server);

    read_lines(&server, &in);
    atomic_store(&server.ended, true);
    ending_ring(&server);
    for (;;)
        (void)pause();
}
