/* serve.h - the MCP server: speaks on standard input and output until the client goes. */
#ifndef MCP_SERVE_H
#define MCP_SERVE_H

#include "text.h"

#include <sandbox/host.h>

/* The computers that an agent may make: as it gets them where it does not say. */
struct serve_computers {
    int64_t offered;
    const char *engine;
    const char *docker_host; /* where this machine's engine is */
    const char *image;
    const char *cpus;
    const char *network;
    const char *shell;
    int64_t memory;
    int64_t no_network;
    int64_t timeout_ms;   /* of a command that does not say */
    int64_t output_limit; /* characters of it that are shown */
    const char *about;    /* stands for what terminal_execute tells of itself */
    const char *more;     /* stands behind it */
};

/* How it was started. All is borrowed; zero is the default of each. */
struct serve_opts {
    const char *const *self; /* the words that call this program again; NULL-ended */
    const char *ssh_config;
    const char *list_file;
    const char *sandbox; /* where what names no place goes */
    const char *groups;  /* "exec,files": no tools but these */
    struct words roots;  /* folders here that files may come from and go to */
    int64_t read_only;   /* no tool that changes anything */
    int64_t local;       /* this machine is a place too */
    int64_t any_host;    /* so is every word that ssh would take */
    int64_t no_mask;     /* secrets in output are shown */
    struct serve_computers computers;
};

/*
 * Does not return while the client is there; the exit status. Standard output is
 * pointed at standard error, so that nothing but messages gets to the client.
 */
int serve(const struct serve_opts *opts);

#endif
