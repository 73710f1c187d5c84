/*
 * ssh_target.h - all that is needed to log in to one host: what ssh_config says,
 * and on top of it what our own list of hosts says.
 *
 * It is made in session/host and read by the ssh transport; that is why it lies
 * below both. Secrets in it are wiped when it is freed.
 */
#ifndef SANDBOX_TRANSPORT_SSH_TARGET_H
#define SANDBOX_TRANSPORT_SSH_TARGET_H

#include "transport/ssh_config_options.h"

#include <sandbox/session.h>

struct sbi_ssh_target {
    char *place;                     /* its name, for messages */
    struct sbi_ssh_options *options; /* never NULL */

    /* NULL where the list says nothing. */
    char *password;
    char *password_command; /* its first line of output is the password */
    char *password_file;    /* its first line is */
    char *key_file;         /* tried first */
    char *key_passphrase;
    char *host_key;   /* pinned: "ssh-ed25519 AAAA..." or "SHA256:..." */
    char *hosts_file; /* where the entry stands, for messages; NULL: nowhere */

    bool openssh;     /* the installed ssh is to be the line */
    bool keeper;      /* the list wants its connection kept */
    bool unlisted;    /* its entry stands in no file, nor in the environment */
    char *ssh_config; /* the file that options are from, as `ssh -F` takes it; or NULL */

    int64_t connect_timeout_ms; /* 0: none said */
    int64_t keepalive_ms;       /* 0: none said */

    char *proxy;                 /* as ssh_proxy.h has it, or NULL; may hold a password */
    struct sbi_ssh_target *jump; /* the host through which this one is reached, or NULL */

    bool lend_agent; /* the caller's wish, whatever ssh_config says */

    sbx_prompt_fn prompt; /* NULL: nobody is there */
    void *userdata;
};

/* Wipes and frees, options and jumps too. */
void sbi_ssh_target_free(struct sbi_ssh_target *target);

#endif
