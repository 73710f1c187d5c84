/*
 * known_hosts.h - what known_hosts files say of a host's key.
 *
 * libssh passes over the marked lines (@revoked, @cert-authority), so the check
 * is ours. Pure but for the files themselves.
 */
#ifndef SANDBOX_TRANSPORT_KNOWN_HOSTS_H
#define SANDBOX_TRANSPORT_KNOWN_HOSTS_H

#include "base/error.h"
#include "base/strv.h"

enum sbi_known {
    SBI_KNOWN_NOT = 0,     /* no line names the host */
    SBI_KNOWN_OK = 1,      /* a line names it with this very key */
    SBI_KNOWN_CHANGED = 2, /* a line of the same key type has another key */
    SBI_KNOWN_OTHER = 3,   /* it is known, but only by other key types */
    SBI_KNOWN_REVOKED = 4, /* this key is marked @revoked */
    SBI_KNOWN_CA = 5       /* only a @cert-authority line covers it */
};

struct sbi_known_match {
    int known;         /* enum sbi_known */
    char *file;        /* of the line that decided, or NULL */
    int64_t line;      /* from 1 */
    char *fingerprint; /* "SHA256:..." of the key on that line, or NULL */
};

/*
 * host: the name to look for (the alias where there is one), in lower case;
 * port 22 matches plain names, another port "[host]:port" as OpenSSH has it.
 * key_type: "ssh-ed25519"...; blob: the key in SSH wire form. A missing or
 * unreadable file says nothing; one over 8 MiB is SBX_ERR_LIMIT.
 */
int sbi_known_hosts_check(const char *const *files, const char *host, int port,
                          const char *key_type, const void *blob, size_t length,
                          struct sbi_known_match *out, sbx_error *err);

/* Key types by which plain lines know the host, first the ones to ask for. */
int sbi_known_hosts_types(const char *const *files, const char *host, int port,
                          char ***out, sbx_error *err);

/*
 * Appends a line, hashed if asked; makes the file (0600) and its folder (0700).
 * Safe when many processes do it at once: whole lines, each key once. Fails with
 * SBX_ERR_HOST_KEY where the file has another key of that type for the host, or
 * revokes this one.
 */
int sbi_known_hosts_add(const char *file, const char *host, int port,
                        const char *key_type, const void *blob, size_t length,
                        bool hashed, sbx_error *err);

/* "SHA256:..." as ssh-keygen -l prints it. */
int sbi_key_fingerprint(const void *blob, size_t length, char **out, sbx_error *err);

void sbi_known_match_clear(struct sbi_known_match *match);

#endif
