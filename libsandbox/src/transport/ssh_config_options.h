/* ssh_config_options.h - the options of one host, and what of it was asked for. */
#ifndef SANDBOX_TRANSPORT_SSH_CONFIG_OPTIONS_H
#define SANDBOX_TRANSPORT_SSH_CONFIG_OPTIONS_H

#include "base/error.h"
#include "base/strv.h"

/* What an address says by itself. */
struct sbi_ssh_asked {
    const char *host;
    const char *user; /* NULL: none named */
    int port;         /* 0: none named */
};

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

/* Frees what it holds, which is then all zero. */
void sbi_ssh_options_clear(struct sbi_ssh_options *options);
void sbi_ssh_options_free(struct sbi_ssh_options *options);

#endif
