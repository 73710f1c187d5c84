/*
 * ssh_agent.h - a client of ssh-agent whose every wait has a deadline.
 *
 * libssh talks to agents too, but waits for them without a limit, and cannot be told
 * which of their keys to use.
 */
#ifndef SANDBOX_TRANSPORT_SSH_AGENT_H
#define SANDBOX_TRANSPORT_SSH_AGENT_H

#include "base/cancel.h"
#include "base/str.h"

/* Message types of draft-miller-ssh-agent. */
enum sbi_agent_message {
    SBI_AGENT_FAILURE = 5,
    SBI_AGENT_LIST = 11,
    SBI_AGENT_KEYS = 12,
    SBI_AGENT_SIGN = 13,
    SBI_AGENT_SIGNED = 14
};

/* No message of an agent's is longer. */
#define SBI_AGENT_LIMIT (256 * 1024)

struct sbi_agent_key {
    unsigned char *blob; /* the public key, or a certificate, in SSH wire form */
    size_t length;
    char *comment;
};

struct sbi_agent {
    int fd;
    struct sbi_agent_key *keys; /* as it listed them, of whatever type */
    size_t count;
};

/* Connects at once or not at all; non-blocking and close-on-exec. */
int sbi_agent_dial(const char *path, int *out, sbx_error *err);

/* Connects to the socket at path and lists its keys. */
int sbi_agent_open(const char *path, int64_t deadline, sbx_cancel *cancel,
                   struct sbi_agent **out, sbx_error *err);

/*
 * Sends a message and reads the answer, both without the length ahead. After a
 * failure the agent is of no more use.
 */
int sbi_agent_ask(struct sbi_agent *agent, const struct sbi_str *message,
                  int64_t deadline, sbx_cancel *cancel, struct sbi_str *answer,
                  sbx_error *err);

void sbi_agent_free(struct sbi_agent *agent);

/* One message over any socket, with its length ahead. No error text. */
int sbi_agent_send(int fd, const struct sbi_str *message, int64_t deadline,
                   sbx_cancel *cancel);
int sbi_agent_receive(int fd, struct sbi_str *message, int64_t deadline,
                      sbx_cancel *cancel);

/* A string or number of SSH's wire form, appended, or taken off the front. */
void sbi_wire_add_u32(struct sbi_str *message, uint32_t number);
void sbi_wire_add_string(struct sbi_str *message, const void *bytes, size_t length);
bool sbi_wire_take_u32(const char **at, size_t *left, uint32_t *number);
bool sbi_wire_take_string(const char **at, size_t *left, const char **bytes,
                          size_t *length);

#endif
