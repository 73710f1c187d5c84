/* forward_spec.h - what the text of a forward says; pure. */
#ifndef SANDBOX_SESSION_FORWARD_SPEC_H
#define SANDBOX_SESSION_FORWARD_SPEC_H

#include "base/str.h"

#include <sandbox/forward.h>

/* An address, or a socket's path. All zero: none. */
struct sbi_forward_end {
    char *host; /* NULL: not said; "": all */
    char *path;
    int port;
};

struct sbi_forward_spec {
    struct sbi_forward_end listen;
    struct sbi_forward_end target; /* none of a SOCKS proxy */
};

/* Fails with SBX_ERR_INVALID, saying what the form is. */
int sbi_forward_parse(int kind, const char *text, struct sbi_forward_spec *out,
                      sbx_error *err);

/* Adds "host:port", "[::1]:port" or the path. */
void sbi_forward_add_address(struct sbi_str *text, const char *host, int port);
void sbi_forward_add_end(struct sbi_str *text, const struct sbi_forward_end *end);

void sbi_forward_spec_clear(struct sbi_forward_spec *spec);

#endif
