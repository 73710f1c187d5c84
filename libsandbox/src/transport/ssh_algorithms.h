/*
 * ssh_algorithms.h - lists of algorithms as ssh_config writes them: "a,b" in the place
 * of the defaults, "+a,b" behind them, "^a,b" ahead of them, "-a,b*" without these.
 * libssh knows the first form alone.
 */
#ifndef SANDBOX_TRANSPORT_SSH_ALGORITHMS_H
#define SANDBOX_TRANSPORT_SSH_ALGORITHMS_H

#include "base/error.h"

/* What is used where nothing is said. AES-GCM is measured at 1.6 times libssh's first. */
#define SBI_DEFAULT_CIPHERS                                                              \
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"       \
    "aes256-ctr,aes192-ctr,aes128-ctr"
#define SBI_DEFAULT_MACS                                                                 \
    "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,"         \
    "hmac-sha2-512"
#define SBI_DEFAULT_KEX                                                                  \
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,"                 \
    "ecdh-sha2-nistp384,ecdh-sha2-nistp521,diffie-hellman-group18-sha512,"               \
    "diffie-hellman-group16-sha512,diffie-hellman-group-exchange-sha256,"                \
    "diffie-hellman-group14-sha256"
#define SBI_DEFAULT_HOST_KEYS                                                            \
    "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,"           \
    "rsa-sha2-512,rsa-sha2-256"
#define SBI_DEFAULT_PUBKEY                                                               \
    "ssh-ed25519-cert-v01@openssh.com,sk-ssh-ed25519-cert-v01@openssh.com,"              \
    "ecdsa-sha2-nistp521-cert-v01@openssh.com,"                                          \
    "ecdsa-sha2-nistp384-cert-v01@openssh.com,"                                          \
    "ecdsa-sha2-nistp256-cert-v01@openssh.com,"                                          \
    "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com,"                                       \
    "rsa-sha2-512-cert-v01@openssh.com,rsa-sha2-256-cert-v01@openssh.com,"               \
    "ssh-ed25519,ecdsa-sha2-nistp521,ecdsa-sha2-nistp384,ecdsa-sha2-nistp256,"           \
    "sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com,rsa-sha2-512,"        \
    "rsa-sha2-256"

/* said: NULL for the defaults. Each name stands once in *out. */
int sbi_ssh_algorithms(const char *said, const char *defaults, char **out,
                       sbx_error *err);

/* Whether a plain list has that name. */
bool sbi_ssh_algorithms_have(const char *list, const char *name);

#endif
