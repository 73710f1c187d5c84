/*
 * ssh_config.h - what ssh_config(5) says of a host, as `ssh -G` would print it.
 *
 * libssh reads these files too, but passes over half of their keywords, so the
 * reader is ours. A keyword we do not know is skipped; a condition that cannot
 * be evaluated makes its block not match, with a warning in the result.
 */
#ifndef SANDBOX_TRANSPORT_SSH_CONFIG_H
#define SANDBOX_TRANSPORT_SSH_CONFIG_H

#include "base/error.h"
#include "base/strv.h"

enum sbi_strict_host_key {
    SBI_STRICT_YES = 1,        /* unknown: refused */
    SBI_STRICT_ASK = 2,        /* unknown: asks; the default of ssh */
    SBI_STRICT_ACCEPT_NEW = 3, /* unknown: remembered; changed: refused */
    SBI_STRICT_NO = 4          /* as ACCEPT_NEW here: a changed key is never accepted */
};

/* Paths are expanded (~ and tokens). NULL or 0: not set, unless said otherwise. */
struct sbi_ssh_options {
    char *original_host; /* the word that was asked for */
    char *hostname;      /* never NULL */
    char *user;          /* never NULL */
    int port;            /* never 0 */
    char *host_key_alias;

    char **identity_files; /* in order; the built-in defaults where none is named */
    bool identity_files_named;
    char **certificate_files;
    bool identities_only;
    char *identity_agent; /* NULL: $SSH_AUTH_SOCK; "none": no agent; else a path */
    bool forward_agent;
    char *forward_agent_path; /* which: NULL: the one that logs in; "none" or a path */

    char *proxy_jump;    /* "[user@]host[:port],..." or NULL ("none" is NULL) */
    char *proxy_command; /* expanded; NULL where proxy_jump is set, or "none" */

    char **user_known_hosts; /* expanded paths; "none" gives an empty list */
    char **global_known_hosts;
    int strict_host_key; /* enum sbi_strict_host_key */
    bool hash_known_hosts;
    bool update_host_keys;

    /* Lists as ssh writes them: "a,b", "+a", "-a", "^a"; NULL: the defaults. */
    char *host_key_algorithms;
    char *kex_algorithms;
    char *ciphers;
    char *macs;
    char *pubkey_algorithms;
    char *preferred_authentications;
    int password_prompts; /* default 3 */
    bool password_authentication;
    bool kbd_interactive_authentication;
    bool pubkey_authentication;
    bool batch_mode;

    int connect_timeout_s; /* 0: none said */
    int connection_attempts;
    int alive_interval_s;
    int alive_count_max;
    int address_family; /* AF_UNSPEC, AF_INET, AF_INET6 */
    char *bind_address;
    bool tcp_keepalive;
    bool compression;
    char **send_env;
    char **set_env; /* "NAME=value" */
    char *control_path;
    char *rekey_limit;
    bool request_tty_force;
    char *remote_command;
    char *tag;

    char **warnings; /* sentences for sbi_log */
};

struct sbi_ssh_config_source {
    const char *user_file;   /* NULL: ~/.ssh/config (home by passwd, as ssh); "none": no
                                file at all */
    const char *system_file; /* NULL: /etc/ssh/ssh_config; not read where user_file is
                                given (ssh -F) */
    const char *user;        /* a user named in the address; NULL: none */
    int port;                /* a port named in the address; 0: none */
};

/* *out is freed with sbi_ssh_options_free. A missing default file is no error. */
int sbi_ssh_config_resolve(const struct sbi_ssh_config_source *source, const char *host,
                           struct sbi_ssh_options **out, sbx_error *err);

/* The names on Host lines that are no patterns, each once, in order, through Include. */
int sbi_ssh_config_names(const struct sbi_ssh_config_source *source, char ***out,
                         sbx_error *err);

/* Frees what it holds, which is then all zero. */
void sbi_ssh_options_clear(struct sbi_ssh_options *options);
void sbi_ssh_options_free(struct sbi_ssh_options *options);

#endif
