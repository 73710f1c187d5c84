/*
 * prog_ssh_server.c - an SSH server that lets in whom the user's name says.
 *
 *     prog_ssh_server
 *
 * The first line it prints is its port on 127.0.0.1; each attempt to log in is a line
 * after that: "none", "password", "publickey", "keyboard-interactive". It ends with its
 * standard input. The user's name is a plan, its steps joined by '+', each a proof that
 * is wanted on top of those before it:
 *
 *     pHEX     the password that these hex digits are the bytes of
 *     key      any public key
 *     ask0     no question at all
 *     ask1     hidden "Password: ", which is "secret"
 *     ask2     hidden "Password: ", and open "Your name: ", which is "ada"
 *     code     hidden "Verification code: ", which is "123456"
 *     rounds   "Password: " first, "Verification code: " when that was right
 *     echo     says no to everything
 *
 * Who is in is granted nothing; but where the plan ends in '!', a channel, and a command
 * on it ends with 0 at once and takes the connection along. That prints "exec".
 */
#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The calls that libssh wants replaced by callbacks cannot tell "partial" from "no". */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

struct question {
    const char *prompt;
    char echo;
    const char *answer;
};

static const struct step {
    const char *word;
    struct question rounds[2][2];
    int counts[2];
} conversations[] = {
    {"ask0", {{{NULL, 0, NULL}}}, {0, -1}},
    {"ask1", {{{"Password: ", 0, "secret"}}}, {1, -1}},
    {"ask2", {{{"Password: ", 0, "secret"}, {"Your name: ", 1, "ada"}}}, {2, -1}},
    {"code", {{{"Verification code: ", 0, "123456"}}}, {1, -1}},
    {"rounds",
     {{{"Password: ", 0, "secret"}}, {{"Verification code: ", 0, "123456"}}},
     {1, 1}},
};

struct visit {
    char plan[600];
    char *step; /* in plan */
    bool hasty; /* it ended in '!' */
    const struct step *talk;
    int round;
};

static void say(const char *line)
{
    (void)printf("%s\n", line);
    (void)fflush(stdout);
}

static const struct step *conversation(const char *step)
{
    size_t i, length = strcspn(step, "+");

    for (i = 0; i < sizeof(conversations) / sizeof(conversations[0]); i++)
        if (strlen(conversations[i].word) == length &&
            strncmp(conversations[i].word, step, length) == 0)
            return &conversations[i];
    return NULL;
}

static int method_of(const char *step)
{
    if (conversation(step) != NULL)
        return SSH_AUTH_METHOD_INTERACTIVE;
    return strncmp(step, "key", 3) == 0 ? SSH_AUTH_METHOD_PUBLICKEY
                                        : SSH_AUTH_METHOD_PASSWORD;
}

static void deny(ssh_message message, const struct visit *visit)
{
    (void)ssh_message_auth_set_methods(message, method_of(visit->step));
    (void)ssh_message_reply_default(message);
}

/* True once nothing more is wanted. */
static bool accept_step(ssh_message message, struct visit *visit)
{
    char *next = strchr(visit->step, '+');

    visit->talk = NULL;
    if (next == NULL) {
        (void)ssh_message_auth_reply_success(message, 0);
        return true;
    }
    visit->step = next + 1;
    (void)ssh_message_auth_set_methods(message, method_of(visit->step));
    (void)ssh_message_auth_reply_success(message, 1);
    return false;
}

static bool is_password(const char *step, const char *password)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *byte = (const unsigned char *)password;

    if (*step++ != 'p')
        return false;
    for (; *byte != '\0'; byte++, step += 2)
        if (step[0] != digits[*byte >> 4] || step[1] != digits[*byte & 15])
            return false;
    return *step == '\0' || *step == '+';
}

static void ask(ssh_message message, const struct visit *visit)
{
    const struct question *questions = visit->talk->rounds[visit->round];
    const char *prompts[2] = {questions[0].prompt, questions[1].prompt};
    char echo[2] = {questions[0].echo, questions[1].echo};

    (void)ssh_message_auth_interactive_request(
        message, visit->round == 0 ? "The server" : "", "asks",
        (unsigned)visit->talk->counts[visit->round], prompts, echo);
}

static bool is_right(ssh_session session, const struct visit *visit)
{
    const struct question *questions = visit->talk->rounds[visit->round];
    int i, count = visit->talk->counts[visit->round];
    const char *answer;

    for (i = 0; i < count; i++) {
        answer = ssh_userauth_kbdint_getanswer(session, (unsigned)i);
        if (answer == NULL || strcmp(answer, questions[i].answer) != 0)
            return false;
    }
    return true;
}

static bool talk(ssh_session session, ssh_message message, struct visit *visit)
{
    if (!ssh_message_auth_kbdint_is_response(message)) {
        say("keyboard-interactive");
        visit->talk = conversation(visit->step);
        visit->round = 0;
        if (visit->talk == NULL)
            deny(message, visit);
        else
            ask(message, visit);
        return false;
    }
    if (visit->talk == NULL || !is_right(session, visit)) {
        visit->talk = NULL;
        deny(message, visit);
        return false;
    }
    if (visit->round == 0 && visit->talk->counts[1] >= 0) {
        visit->round = 1;
        ask(message, visit);
        return false;
    }
    return accept_step(message, visit);
}

static bool take_key(ssh_message message, struct visit *visit)
{
    if (method_of(visit->step) != SSH_AUTH_METHOD_PUBLICKEY) {
        deny(message, visit);
    } else if (ssh_message_auth_publickey_state(message) == SSH_PUBLICKEY_STATE_NONE) {
        (void)ssh_message_auth_reply_pk_ok_simple(message);
    } else if (ssh_message_auth_publickey_state(message) == SSH_PUBLICKEY_STATE_VALID) {
        say("publickey");
        return accept_step(message, visit);
    } else {
        deny(message, visit);
    }
    return false;
}

static bool take_password(ssh_message message, struct visit *visit)
{
    say("password");
    if (is_password(visit->step, ssh_message_auth_password(message)))
        return accept_step(message, visit);
    deny(message, visit);
    return false;
}

/* True once the user is in. */
static bool take(ssh_session session, ssh_message message, struct visit *visit)
{
    if (ssh_message_type(message) != SSH_REQUEST_AUTH) {
        (void)ssh_message_reply_default(message);
        return false;
    }
    if (visit->step == NULL) {
        (void)snprintf(visit->plan, sizeof(visit->plan), "%s",
                       ssh_message_auth_user(message));
        visit->step = visit->plan;
        visit->hasty = visit->plan[strcspn(visit->plan, "!")] == '!';
        visit->plan[strcspn(visit->plan, "!")] = '\0';
    }
    switch (ssh_message_subtype(message)) {
    case SSH_AUTH_METHOD_PASSWORD:
        return take_password(message, visit);
    case SSH_AUTH_METHOD_PUBLICKEY:
        return take_key(message, visit);
    case SSH_AUTH_METHOD_INTERACTIVE:
        return talk(session, message, visit);
    default:
        say("none");
        deny(message, visit);
        return false;
    }
}

/* The end of a command ahead of all that it printed. False: that was the last of it. */
static bool be_hasty(ssh_session session, ssh_message message, ssh_channel *channel)
{
    if (ssh_message_type(message) == SSH_REQUEST_CHANNEL_OPEN && *channel == NULL) {
        *channel = ssh_message_channel_request_open_reply_accept(message);
        return true;
    }
    if (ssh_message_type(message) != SSH_REQUEST_CHANNEL ||
        ssh_message_subtype(message) != SSH_CHANNEL_REQUEST_EXEC) {
        (void)ssh_message_reply_default(message);
        return true;
    }
    say("exec");
    (void)ssh_message_channel_request_reply_success(message);
    (void)ssh_channel_request_send_exit_status(*channel, 0);
    (void)ssh_blocking_flush(session, 1000);
    return false;
}

/* The connection stands until the client ends it; what is asked for on it is refused. */
static void serve(ssh_session session)
{
    struct visit visit = {0};
    ssh_channel channel = NULL;
    ssh_message message;
    bool in = false, more = true;

    if (ssh_handle_key_exchange(session) != SSH_OK)
        return;
    while (more && (message = ssh_message_get(session)) != NULL) {
        if (in && visit.hasty)
            more = be_hasty(session, message, &channel);
        else if (in)
            (void)ssh_message_reply_default(message);
        else
            in = take(session, message, &visit);
        ssh_message_free(message);
    }
}

static ssh_bind listen_somewhere(int *port)
{
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    ssh_bind listener = ssh_bind_new();
    ssh_key key = NULL;
    int any = 0, off = 0;

    if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) != SSH_OK)
        return NULL;
    (void)ssh_bind_options_set(listener, SSH_BIND_OPTIONS_PROCESS_CONFIG, &off);
    (void)ssh_bind_options_set(listener, SSH_BIND_OPTIONS_BINDADDR, "127.0.0.1");
    (void)ssh_bind_options_set(listener, SSH_BIND_OPTIONS_BINDPORT, &any);
    (void)ssh_bind_options_set(listener, SSH_BIND_OPTIONS_IMPORT_KEY, key);
    if (ssh_bind_listen(listener) != SSH_OK ||
        getsockname(ssh_bind_get_fd(listener), (struct sockaddr *)&address, &size) < 0)
        return NULL;
    *port = ntohs(address.sin_port);
    return listener;
}

static void accept_one(ssh_bind listener)
{
    ssh_session session = ssh_new();

    if (ssh_bind_accept(listener, session) == SSH_OK && fork() == 0) {
        serve(session);
        _exit(0);
    }
    ssh_free(session);
}

int main(void)
{
    struct pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}};
    ssh_bind listener;
    int port;

    (void)signal(SIGCHLD, SIG_IGN);
    listener = listen_somewhere(&port);
    if (listener == NULL) {
        (void)fprintf(stderr, "prog_ssh_server: %s\n", ssh_get_error(listener));
        return 1;
    }
    (void)printf("%d\n", port);
    (void)fflush(stdout);
    fds[1] = (struct pollfd){ssh_bind_get_fd(listener), POLLIN, 0};
    while (poll(fds, 2, -1) > 0 && fds[0].revents == 0)
        if (fds[1].revents != 0)
            accept_one(listener);
    ssh_bind_free(listener);
    return 0;
}
