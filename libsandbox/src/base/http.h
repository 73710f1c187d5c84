/* http.h - the library's door to libcurl: one request, its answer's status. */
#ifndef SANDBOX_BASE_HTTP_H
#define SANDBOX_BASE_HTTP_H

#include "base/error.h"

#include <sandbox/cancel.h>

struct sbi_http {
    const char *url;            /* http:// or https://; no redirect is followed */
    const char *const *headers; /* "Name: value", NULL-ended; may be NULL */
    const char *body;
    size_t length;
    const char
        *ca_file; /* who may vouch for the other side; NULL: as the system has it */
    int64_t deadline;
    sbx_cancel *cancel;
};

/*
 * POSTs body. The certificate of the other side is checked. *status: what was answered;
 * what it says besides is not kept. An error is that no answer came: SBX_ERR_CONNECT,
 * SBX_ERR_TIMEOUT, SBX_ERR_CANCELLED, SBX_ERR_HOST_KEY for a certificate.
 */
int sbi_http_post(const struct sbi_http *request, long *status, sbx_error *err);

#endif
