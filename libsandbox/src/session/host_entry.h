/*
 * host_entry.h - one host as a list states it: what each key of its JSON object
 * means, which values it takes, and what is a secret.
 */
#ifndef SANDBOX_SESSION_HOST_ENTRY_H
#define SANDBOX_SESSION_HOST_ENTRY_H

#include "base/json.h"
#include "base/strv.h"

/* NULL or 0: the list does not say. */
struct sbi_host_entry {
    char *name; /* never NULL */
    char *host; /* never NULL: the name where it was not said */
    char *user;
    int64_t port;
    char *jump; /* "a,b", or "none" */

    char *password;
    char *password_command;
    char *password_file;
    char *key_file;
    char *key_passphrase;
    char *host_key;
    int64_t host_key_policy; /* enum sbi_strict_host_key */
    int64_t transport;       /* enum sbi_host_transport */

    char **tags;
    char **env; /* "NAME=value" */
    char *cwd;
    char *shell;
    char *on;          /* of one behind a prefix: where that stands; never NULL there */
    char **prefix;     /* the words before each command; NULL: it is reached by SSH */
    char **prefix_pty; /* the same before one with a terminal; NULL: prefix */
    int64_t keeper;    /* 1: its connection is to be kept */
    int64_t connect_timeout_ms;
    int64_t keepalive_ms;

    int source; /* sbx_host_source */
    char *file; /* where it stands; NULL: in no file */
};

/* One of which nothing is stated but where it is. */
int sbi_host_entry_new(const char *name, const char *host, int source,
                       struct sbi_host_entry **out, sbx_error *err);

/* The error names the key, not the entry. */
int sbi_host_entry_parse(const cJSON *object, struct sbi_host_entry **out,
                         sbx_error *err);

/* Whether it holds a password or passphrase in plain. */
bool sbi_host_entry_is_secret(const struct sbi_host_entry *entry);

/* Wipes and frees. */
void sbi_host_entry_free(struct sbi_host_entry *entry);

#endif
