/* serve.h - the MCP server: speaks on standard input and output until the client goes. */
#ifndef MCP_SERVE_H
#define MCP_SERVE_H

#include "text.h"

#include <sandbox/host.h>

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
};

/*
 * Does not return while the client is there; the exit status. Standard output is
 * pointed at standard error, so that nothing but messages gets to the client.
 */
int serve(const struct serve_opts *opts);

#endif
