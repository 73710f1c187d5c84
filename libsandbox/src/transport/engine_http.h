/*
 * engine_http.h - one answer of an HTTP/1.1 server, as its bytes come.
 *
 * No I/O, and no more of HTTP than an engine needs: one answer to one request. Whatever
 * else stands in a head is passed over.
 */
#ifndef SANDBOX_TRANSPORT_ENGINE_HTTP_H
#define SANDBOX_TRANSPORT_ENGINE_HTTP_H

#include "base/str.h"

#include <stdint.h>

enum sbi_engine_http_stage {
    SBI_HTTP_STATUS = 0,
    SBI_HTTP_FIELDS,
    SBI_HTTP_BODY,     /* `left` bytes of it are to come */
    SBI_HTTP_REST,     /* it goes to the connection's end */
    SBI_HTTP_SIZE,     /* of a chunk */
    SBI_HTTP_CHUNK,    /* `left` bytes of it are to come */
    SBI_HTTP_GAP,      /* the line's end behind a chunk */
    SBI_HTTP_TRAILERS, /* behind the last one */
    SBI_HTTP_DONE,
    SBI_HTTP_BROKEN
};

/* All zero: nothing has come yet. */
struct sbi_engine_http {
    enum sbi_engine_http_stage stage;
    int status;   /* once the stage is beyond the fields */
    bool closes;  /* the connection is good for no other request */
    int64_t date; /* seconds since 1970 by the server's clock; 0: it did not tell */
    bool chunked;
    bool has_length;
    uint64_t left;
    size_t head; /* bytes of it so far */
    struct sbi_str line;
    struct sbi_str body;
};

/*
 * How many of the bytes belong to the answer: less than length once it is whole, or
 * broken. What comes behind a 101 is another protocol's.
 */
size_t sbi_engine_http_take(struct sbi_engine_http *answer, const char *data,
                            size_t length);

/* The connection has ended: the answer is whole with that, or broken. */
void sbi_engine_http_end(struct sbi_engine_http *answer);

/* All zero again. */
void sbi_engine_http_clear(struct sbi_engine_http *answer);

#endif
