/*
 * host.h - the places that the caller may use.
 *
 * A place is named by a word: `local` is this machine; any other is looked for
 * in our own list of hosts (hosts.json or the environment), then in the user's
 * ssh_config, and is at last taken as a host name as ssh(1) would take it. See
 * docs/hosts.md for the format of the list.
 *
 * A set of hosts may be used by any number of threads. Secrets (passwords,
 * passphrases) are kept inside and show in no struct, log line or error text.
 */
#ifndef SANDBOX_HOST_H
#define SANDBOX_HOST_H

#include <sandbox/error.h>

SBX_BEGIN_DECLS

typedef struct sbx_hosts sbx_hosts;

typedef enum sbx_host_kind {
    SBX_HOST_LOCAL = 1, /* this machine, without a network */
    SBX_HOST_SSH = 2,
    SBX_HOST_PREFIX = 3 /* behind a command on another place, as in a container */
} sbx_host_kind;

/* Where a host's entry was read. */
typedef enum sbx_host_source {
    SBX_HOST_BUILTIN = 1,     /* `local` */
    SBX_HOST_LIST = 2,        /* hosts.json, or JSON given by the caller */
    SBX_HOST_ENVIRONMENT = 3, /* REMOTE_SANDBOX_LIST, REMOTE_HOST... */
    SBX_HOST_SSH_CONFIG = 4,  /* a Host line of ssh_config without wildcards */
    SBX_HOST_NAME = 5         /* none of these: the word is the machine's name */
} sbx_host_source;

/* Read-only; owned by its set, alive as long as that. Reach it by pointer. */
typedef struct sbx_host {
    const char *name;
    int32_t kind;        /* an sbx_host_kind */
    int32_t source;      /* an sbx_host_source */
    const char *address; /* the fields of SSH are NULL or 0 for the others */
    const char *user;
    int64_t port;
    const char *jump;          /* "a,b" or NULL */
    const char *const *tags;   /* NULL-ended, maybe empty, never NULL */
    const char *on;            /* of one behind a prefix: the place that this stands on */
    const char *const *prefix; /* the words before each command there, NULL-ended; NULL
                                  for the others */
} sbx_host;

/* "local", "ssh", "prefix"; never NULL. */
SBX_API const char *sbx_host_kind_name(int kind);

/* Where hosts are read from. Zero is the default of each. */
typedef struct sbx_hosts_opts {
    size_t size;
    const char *list_file;  /* default: $XDG_CONFIG_HOME/sbx/hosts.json, if it is there */
    const char *ssh_config; /* default: ~/.ssh/config and /etc/ssh/ssh_config; "none"
                               reads none */
} sbx_hosts_opts;

/*
 * Reads the list file, the environment (REMOTE_SANDBOX_LIST, else REMOTE_HOST,
 * _PORT, _USER, _PASSWORD, _KEY_FILE, _KEY_PASSPHRASE) and the names in
 * ssh_config. A list that holds a secret and is readable by others is refused
 * (SBX_ERR_CONFIG, with the chmod that mends it); a name twice, a key that no
 * entry has (the nearest right one is named) and a value of the wrong type too.
 * ssh_config is read again once one of its files has changed: for hosts that are first
 * asked for then, and for sessions that are opened then.
 */
SBX_API int sbx_hosts_load(const sbx_hosts_opts *opts, sbx_hosts **out, sbx_error *err);

/*
 * json: an array of host objects, or one object; comments are allowed. Nothing
 * else is read but opts->ssh_config.
 */
SBX_API int sbx_hosts_parse(const char *json, size_t length, const sbx_hosts_opts *opts,
                            sbx_hosts **out, sbx_error *err);

/* Those known by name: `local` first, then the list, then ssh_config. */
SBX_API size_t sbx_hosts_count(const sbx_hosts *hosts);
SBX_API const sbx_host *sbx_hosts_at(const sbx_hosts *hosts, size_t index);

/*
 * The host of that name, resolved in full. Fails with SBX_ERR_INVALID on a word
 * that cannot be a host (empty, a leading '-', a blank, a control character).
 * A word that is in no list is a host all the same, of source SBX_HOST_NAME.
 */
SBX_API int sbx_hosts_get(sbx_hosts *hosts, const char *name, const sbx_host **out,
                          sbx_error *err);

/* Every known host that carries the tag, in the order of sbx_hosts_at. */
SBX_API int sbx_hosts_tagged(sbx_hosts *hosts, const char *tag,
                             const sbx_host *const **out, size_t *count, sbx_error *err);

/* The known name nearest to a mistyped one, or NULL where none is near. */
SBX_API const char *sbx_hosts_nearest(const sbx_hosts *hosts, const char *name);

/*
 * What a connection to that host would use, under the keys of `ssh -G`, with
 * name, source, tags and which secrets are set (never their values).
 */
SBX_API char *sbx_host_json(sbx_hosts *hosts, const sbx_host *host);

/*
 * Adds an entry (a JSON object) to a list file, or removes one by name. The file
 * is replaced whole or not at all, is 0600, and keeps its comments where it can.
 */
SBX_API int sbx_hosts_file_add(const char *list_file, const char *entry_json,
                               sbx_error *err);
SBX_API int sbx_hosts_file_remove(const char *list_file, const char *name,
                                  sbx_error *err);

SBX_API void sbx_hosts_free(sbx_hosts *hosts);

SBX_END_DECLS
#endif
