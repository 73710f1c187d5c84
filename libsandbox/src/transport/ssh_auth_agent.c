/*
 * ssh_auth_agent.c - lets the agent sign with the one key that is meant.
 *
 * libssh offers all keys of an agent, in the agent's order, and waits for it without
 * a limit. So it is given a socket of ours as its agent. Behind that socket a thread
 * lists the one key that is to be offered, passes what is to be signed on to the real
 * agent, and answers within a bound whatever the real one does. A certificate is
 * listed in the place of its key, which signs for it.
 */
#include "transport/ssh_auth.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

#define LIST_MS 2000
#define SIGN_LEAST_MS 1000

struct sbi_stand_in {
    pthread_t thread;
    int ours;
    int theirs; /* libssh's end */
    struct sbi_agent *agent;
    int64_t deadline; /* of the log-in */
    sbx_cancel *cancel;
    atomic_bool silent; /* the agent did not answer: it is not asked again */

    pthread_mutex_t lock; /* over these: */
    const unsigned char *shown;
    size_t shown_length;
    const struct sbi_agent_key *key;
};

static void add_type(struct sbi_str *message, enum sbi_agent_message type)
{
    const char byte = (char)type;

    sbi_str_add_bytes(message, &byte, 1);
}

static void answer_list(struct sbi_stand_in *stand_in, struct sbi_str *answer)
{
    add_type(answer, SBI_AGENT_KEYS);
    sbi_wire_add_u32(answer, 1);
    sbi_wire_add_string(answer, stand_in->shown, stand_in->shown_length);
    sbi_wire_add_string(answer, "", 0);
}

/* Half of what is left, so that a silent agent leaves time for the other ways. */
static int64_t signing_deadline(const struct sbi_stand_in *stand_in)
{
    int left = sbi_left_ms(stand_in->deadline);

    if (left < 0)
        return SBI_NEVER;
    return sbi_deadline(left / 2 > SIGN_LEAST_MS ? left / 2 : left / 4);
}

static bool pass_on(struct sbi_stand_in *stand_in, const struct sbi_str *request,
                    struct sbi_str *answer)
{
    SBI_AUTO_STR message = {.limit = SBI_AGENT_LIMIT};
    const char *at = request->data + 1, *shown, *data;
    size_t left = request->length - 1, length;
    uint32_t flags;
    int rc;

    if (!sbi_wire_take_string(&at, &left, &shown, &length) ||
        !sbi_wire_take_string(&at, &left, &data, &length) ||
        !sbi_wire_take_u32(&at, &left, &flags))
        return false;
    add_type(&message, SBI_AGENT_SIGN);
    sbi_wire_add_string(&message, stand_in->key->blob, stand_in->key->length);
    sbi_wire_add_string(&message, data, length);
    sbi_wire_add_u32(&message, flags);
    rc = sbi_agent_ask(stand_in->agent, &message, signing_deadline(stand_in),
                       stand_in->cancel, answer, NULL);
    if (rc < 0)
        atomic_store(&stand_in->silent, true);
    return rc == SBX_OK;
}

static void answer(struct sbi_stand_in *stand_in, const struct sbi_str *request,
                   struct sbi_str *out)
{
    bool answered = false;

    (void)pthread_mutex_lock(&stand_in->lock);
    if (request->data[0] == SBI_AGENT_LIST) {
        answer_list(stand_in, out);
        answered = true;
    } else if (request->data[0] == SBI_AGENT_SIGN && !atomic_load(&stand_in->silent)) {
        answered = pass_on(stand_in, request, out);
    }
    (void)pthread_mutex_unlock(&stand_in->lock);
    if (!answered) {
        sbi_str_clear(out);
        add_type(out, SBI_AGENT_FAILURE);
    }
}

static void *serve(void *userdata)
{
    struct sbi_stand_in *stand_in = userdata;
    struct sbi_str request = {0}, reply = {0};

    while (sbi_agent_receive(stand_in->ours, &request, SBI_NEVER, NULL) == SBX_OK) {
        sbi_str_clear(&reply);
        answer(stand_in, &request, &reply);
        if (sbi_agent_send(stand_in->ours, &reply, SBI_NEVER, NULL) < 0)
            break;
    }
    sbi_str_clear(&request);
    sbi_str_clear(&reply);
    return NULL;
}

static struct sbi_stand_in *stand_in_new(struct sbi_login *login)
{
    struct sbi_stand_in *stand_in = calloc(1, sizeof(*stand_in));
    int pair[2];

    if (stand_in == NULL)
        return NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        free(stand_in);
        return NULL;
    }
    stand_in->ours = pair[0];
    stand_in->theirs = pair[1];
    stand_in->agent = login->agent;
    stand_in->deadline = login->shake->deadline;
    stand_in->cancel = login->shake->cancel;
    (void)pthread_mutex_init(&stand_in->lock, NULL);
    if (sbi_thread_start(&stand_in->thread, serve, stand_in) == 0) {
        (void)sbi_libssh.ssh_set_agent_socket(login->shake->session, stand_in->theirs);
        return stand_in;
    }
    (void)pthread_mutex_destroy(&stand_in->lock);
    (void)close(pair[0]);
    (void)close(pair[1]);
    free(stand_in);
    return NULL;
}

/* libssh forgets the socket first: it would write to it, or close it once more. */
static void stand_in_free(struct sbi_login *login)
{
    struct sbi_stand_in *stand_in = login->stand_in;

    if (stand_in == NULL)
        return;
    (void)sbi_libssh.ssh_set_agent_socket(login->shake->session, SSH_INVALID_SOCKET);
    (void)shutdown(stand_in->ours, SHUT_RDWR);
    (void)pthread_join(stand_in->thread, NULL);
    (void)pthread_mutex_destroy(&stand_in->lock);
    (void)close(stand_in->ours);
    (void)close(stand_in->theirs);
    free(stand_in);
    login->stand_in = NULL;
}

const char *sbi_auth_agent_path(const struct sbi_ssh_options *options)
{
    if (options->identity_agent == NULL)
        return getenv("SSH_AUTH_SOCK");
    return strcmp(options->identity_agent, "none") == 0 ? NULL : options->identity_agent;
}

static void note_silence(struct sbi_login *login, const char *path)
{
    login->troubles |= SBI_TROUBLE_AGENT_SILENT;
    sbi_auth_note(login, "agent that does not answer", path);
}

/* A third of what is left, and not over two seconds. */
static int64_t listing_deadline(const struct sbi_handshake *shake)
{
    int left = sbi_left_ms(shake->deadline);

    return sbi_deadline(left < 0 || left / 3 > LIST_MS ? LIST_MS : left / 3);
}

const struct sbi_agent *sbi_auth_agent(struct sbi_login *login)
{
    const char *path = sbi_auth_agent_path(login->shake->target->options);
    sbx_error why = {0};
    int rc;

    if (login->agent_asked || path == NULL || path[0] == '\0')
        return login->agent;
    login->agent_asked = true;
    rc = sbi_agent_open(path, listing_deadline(login->shake), login->shake->cancel,
                        &login->agent, &why);
    if (rc < 0)
        sbi_log(rc == SBX_ERR_TIMEOUT ? SBX_LOG_WARN : SBX_LOG_INFO, "%s", why.text);
    if (rc == SBX_ERR_TIMEOUT)
        note_silence(login, path);
    return login->agent;
}

static void show(struct sbi_stand_in *stand_in, const unsigned char *shown,
                 size_t shown_length, const struct sbi_agent_key *key)
{
    (void)pthread_mutex_lock(&stand_in->lock);
    stand_in->shown = shown;
    stand_in->shown_length = shown_length;
    stand_in->key = key;
    (void)pthread_mutex_unlock(&stand_in->lock);
}

/*
 * A key that libssh does not know is refused by libssh itself, without a word to the
 * server. So is a signature that the agent does not give, which libssh calls an error.
 */
int sbi_auth_offer_by_agent(struct sbi_login *login, const unsigned char *shown,
                            size_t shown_length, const struct sbi_agent_key *key,
                            sbx_error *err)
{
    int rc, verdict;

    if (login->stand_in == NULL)
        login->stand_in = stand_in_new(login);
    if (login->stand_in == NULL || atomic_load(&login->stand_in->silent))
        return SBI_AUTH_DENIED;
    show(login->stand_in, shown, shown_length, key);
    while ((rc = sbi_libssh.ssh_userauth_agent(login->shake->session, NULL)) ==
           SSH_AUTH_AGAIN)
        if (!sbi_auth_wait(login, err))
            return SBI_AUTH_BROKEN;
    verdict = sbi_auth_settle(login, rc, err);
    if (verdict == SBI_AUTH_DENIED && atomic_load(&login->stand_in->silent))
        note_silence(login, sbi_auth_agent_path(login->shake->target->options));
    return verdict;
}

void sbi_auth_agent_clear(struct sbi_login *login)
{
    stand_in_free(login);
    sbi_agent_free(login->agent);
    login->agent = NULL;
}
