/*
 * known_hosts_line.h - the form of a known_hosts file: its lines, and which
 * hosts a line names. Pure.
 */
#ifndef SANDBOX_TRANSPORT_KNOWN_HOSTS_LINE_H
#define SANDBOX_TRANSPORT_KNOWN_HOSTS_LINE_H

#include "base/error.h"

enum sbi_known_marker {
    SBI_KNOWN_PLAIN = 0,
    SBI_KNOWN_MARK_CA = 1,     /* @cert-authority */
    SBI_KNOWN_MARK_REVOKED = 2 /* @revoked */
};

/* Points into the text it was read from. */
struct sbi_known_line {
    int64_t number; /* from 1 */
    int marker;     /* enum sbi_known_marker */
    const char *names;
    size_t names_length;
    const char *type;
    size_t type_length;
    const char *key; /* base64 */
    size_t key_length;
};

/* How one host may stand in a line. */
struct sbi_known_name {
    char *name;      /* as ssh writes it: "host" for port 22, else "[host]:port" */
    char *with_port; /* "[host]:22", which a person may have written; else NULL */
};

int sbi_known_name_set(struct sbi_known_name *name, const char *host, int port,
                       sbx_error *err);
void sbi_known_name_clear(struct sbi_known_name *name);

/*
 * The next line at or behind *offset that has the form of an entry; false at the
 * end. Comments, garbage and lines over 64 KiB are passed over. line->number is
 * carried on from call to call: start with a zeroed one.
 */
bool sbi_known_line_next(const char *text, size_t length, size_t *offset,
                         struct sbi_known_line *line);

/* Whether the names of a line, plain or hashed, cover a host. */
int sbi_known_line_covers(const struct sbi_known_line *line,
                          const struct sbi_known_name *name, bool *out, sbx_error *err);

/* The key of a line; fails with SBX_ERR_INVALID where it is none of its own type. */
int sbi_known_line_key(const struct sbi_known_line *line, unsigned char **out,
                       size_t *length, sbx_error *err);

/* Whether a key in SSH wire form says it is of that type. */
bool sbi_key_is_of_type(const void *blob, size_t length, const char *type,
                        size_t type_length);

#endif
