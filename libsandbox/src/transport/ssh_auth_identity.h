/*
 * ssh_auth_identity.h - what lies on the disk of one key: the private half, maybe
 * locked by a passphrase, the public half, its certificates.
 */
#ifndef SANDBOX_TRANSPORT_SSH_AUTH_IDENTITY_H
#define SANDBOX_TRANSPORT_SSH_AUTH_IDENTITY_H

#include "base/error.h"
#include "base/strv.h"
#include "transport/ssh_library.h"

struct sbi_identity {
    const char *path; /* as it was named: the private half, or a .pub */
    ssh_key secret;   /* NULL: locked, or not there */
    ssh_key known;    /* the public half, or NULL */
    char *base64;     /* of the public half, or NULL */
    bool locked;      /* a passphrase is needed */
    bool hopeless;    /* and was not to be had */
    bool unreadable;  /* there is a file, and no key in it */
};

/* Reads what is there. False: nothing is. */
bool sbi_identity_read(const char *path, struct sbi_identity *out);

/* True if the passphrase fits; then `secret` is there. */
bool sbi_identity_unlock(struct sbi_identity *identity, const char *passphrase);

void sbi_identity_clear(struct sbi_identity *identity);

/* A certificate, where the file has one and it is for that key. */
ssh_key sbi_certificate_read(const char *path, ssh_key known);

/* A key or certificate in SSH wire form, as libssh can read it; else NULL. */
ssh_key sbi_key_of_blob(const void *blob, size_t length);

/* The wire form of a key's public half, or of the certificate, for free(). */
char *sbi_key_base64(ssh_key key);

void sbi_key_clear(ssh_key *key);

#endif
