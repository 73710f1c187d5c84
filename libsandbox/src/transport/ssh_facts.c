/* ssh_facts.c - what a connection was made of, for those who look for a fault in it. */
#include "transport/ssh_line.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void keep(char *to, size_t room, const char *text)
{
    (void)snprintf(to, room, "%s", text == NULL ? "" : text);
}

/* Of a pair of sockets, behind which another host or a command is, there is none. */
static void read_peer(int fd, struct sbi_line_facts *facts)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof(address);

    if (getpeername(fd, (struct sockaddr *)&address, &length) < 0 ||
        (address.ss_family != AF_INET && address.ss_family != AF_INET6) ||
        getnameinfo((struct sockaddr *)&address, length, facts->peer, sizeof(facts->peer),
                    NULL, 0, NI_NUMERICHOST) != 0)
        facts->peer[0] = '\0';
}

static void read_host_key(ssh_session session, struct sbi_line_facts *facts)
{
    ssh_key key = NULL;
    unsigned char *hash = NULL;
    size_t length = 0;
    char *print = NULL;

    if (sbi_libssh.ssh_get_server_publickey(session, &key) != SSH_OK)
        return;
    if (sbi_libssh.ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash,
                                          &length) == 0)
        print =
            sbi_libssh.ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
    if (print != NULL)
        (void)snprintf(facts->host_key, sizeof(facts->host_key), "%s %s",
                       sbi_libssh.ssh_key_type_to_char(sbi_libssh.ssh_key_type(key)),
                       print);
    sbi_libssh.ssh_string_free_char(print);
    sbi_libssh.ssh_clean_pubkey_hash(&hash);
    sbi_libssh.ssh_key_free(key);
}

void sbi_ssh_facts_read(ssh_session session, struct sbi_line_facts *facts)
{
    keep(facts->server, sizeof(facts->server), sbi_libssh.ssh_get_serverbanner(session));
    keep(facts->kex, sizeof(facts->kex), sbi_libssh.ssh_get_kex_algo(session));
    keep(facts->cipher, sizeof(facts->cipher), sbi_libssh.ssh_get_cipher_out(session));
    keep(facts->mac, sizeof(facts->mac), sbi_libssh.ssh_get_hmac_out(session));
    read_peer(sbi_libssh.ssh_get_fd(session), facts);
    read_host_key(session, facts);
}
