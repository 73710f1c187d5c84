/*
 * ssh_auth.h - what the ways to log in share.
 *
 * A way tries what it has, one proof after the other, and says how that ended. Only
 * SBI_AUTH_BROKEN leaves an error text; a refusal is noted for the text that the
 * whole log-in may end with.
 */
#ifndef SANDBOX_TRANSPORT_SSH_AUTH_H
#define SANDBOX_TRANSPORT_SSH_AUTH_H

#include "base/str.h"
#include "transport/ssh_agent.h"
#include "transport/ssh_handshake.h"

#define SBI_SECRET_SIZE 1024

enum sbi_verdict {
    SBI_AUTH_DENIED = 0,
    SBI_AUTH_ACCEPTED = 1,
    SBI_AUTH_PARTIAL = 2, /* accepted, and the server wants another proof on top */
    SBI_AUTH_BROKEN = -1  /* err says how: time-out, cancel, the line is gone */
};

/* What came up on the way, for the advice at the end. */
enum sbi_auth_trouble {
    SBI_TROUBLE_PASSPHRASE_MISSING = 1,
    SBI_TROUBLE_PASSPHRASE_WRONG = 2,
    SBI_TROUBLE_KEY_MISSING = 4,
    SBI_TROUBLE_PASSWORD_WRONG = 8,
    SBI_TROUBLE_NOBODY_ANSWERS = 16,
    SBI_TROUBLE_KEY_REFUSED = 32,
    SBI_TROUBLE_AGENT_SILENT = 64,
    SBI_TROUBLE_ALGORITHM_OFF = 128
};

struct sbi_stand_in;

struct sbi_login {
    struct sbi_handshake *shake;
    unsigned allowed;     /* SSH_AUTH_METHOD_ bits; all until the server has said */
    bool heard;           /* the server has said what it takes */
    unsigned troubles;    /* SBI_TROUBLE_ bits */
    struct sbi_str tried; /* for the error text */
    bool more_tried;      /* than the text has room for */
    bool attempted;       /* something was shown to the server */
    int step;             /* from 1: one for each proof that the server wants */

    /* Public keys in base64: of this step, and those that were accepted before. */
    char **offered;
    char **spent;

    bool agent_asked;
    struct sbi_agent *agent; /* NULL: none, or it is of no use */
    struct sbi_stand_in *stand_in;

    bool password_used; /* the one that needs nobody to be asked */
    int password_rounds;
    bool keyboard_over;
};

typedef int (*sbi_way_fn)(struct sbi_login *login, sbx_error *err);

/* publickey: the keys that are named, the agent's, the default files. */
int sbi_auth_with_named_keys(struct sbi_login *login, sbx_error *err);
int sbi_auth_with_agent(struct sbi_login *login, sbx_error *err);
int sbi_auth_with_default_keys(struct sbi_login *login, sbx_error *err);

int sbi_auth_with_password(struct sbi_login *login, sbx_error *err);
int sbi_auth_with_keyboard(struct sbi_login *login, sbx_error *err);

/* Notes an attempt: "what 'which'", or what alone where which is "". */
void sbi_auth_note(struct sbi_login *login, const char *what, const char *which);

/* libssh's word for one attempt, once it no longer says "again". */
int sbi_auth_settle(struct sbi_login *login, int rc, sbx_error *err);

/* False: it took too long or was cancelled, and err says so. */
bool sbi_auth_wait(struct sbi_login *login, sbx_error *err);

bool sbi_auth_takes(const struct sbi_login *login, unsigned method);

/* Asks the person, if there is one: false where nobody answers. */
bool sbi_auth_ask_person(const struct sbi_login *login, const char *question, bool echo,
                         char *answer, size_t room);
bool sbi_auth_has_person(const struct sbi_login *login);

/* True once for each public key in a step, and never for one that is spent. */
bool sbi_auth_is_new(struct sbi_login *login, const char *key_base64);

/* The agent with its keys, asked the first time; NULL: there is none. */
const struct sbi_agent *sbi_auth_agent(struct sbi_login *login);

/*
 * Offers the server shown, a public key or a certificate, with signatures by the
 * agent's key. Needs sbi_auth_agent before.
 */
int sbi_auth_offer_by_agent(struct sbi_login *login, const unsigned char *shown,
                            size_t shown_length, const struct sbi_agent_key *key,
                            sbx_error *err);

/* The socket of the agent that logs in, or NULL. */
const char *sbi_auth_agent_path(const struct sbi_ssh_options *options);

/* Lets go of the agent. */
void sbi_auth_agent_clear(struct sbi_login *login);

/* The log-in has failed: what was tried, what the server takes, what mends it. */
int sbi_auth_explain(struct sbi_login *login, sbx_error *err);

#endif
