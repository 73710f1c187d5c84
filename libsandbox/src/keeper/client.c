/* client.c - what a client of a keeper asks for, and a thread that answers. */
#include "keeper/state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "base/wake.h"
#include "keeper/pump.h"
#include "session/shell_watch.h"
#include "transport/transport.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define DESCRIPTORS_MS 5000

struct client {
    struct sbi_kept *kept;
    struct sbi_mux_talk talk;
};

static void answer(struct client *client, int type, uint32_t id)
{
    sbi_mux_add(&client->talk.out, type, &id, 1, NULL);
}

static void refuse(struct client *client, const struct sbi_mux_message *message,
                   const char *why)
{
    sbi_mux_add(&client->talk.out, SBI_MUX_FAILURE, &message->id, 1, why);
}

static bool begins(struct sbi_mux_text text, const char *name)
{
    return text.length >= strlen(name) && memcmp(text.data, name, strlen(name)) == 0;
}

static void take_watch(struct sbi_mux_text one, struct sbi_pump_request *request)
{
    const size_t name = strlen(SBI_MUX_WATCH);
    struct sbi_watched *watched = &request->watched;

    watched->wanted = sbi_shell_read_watch(one.data + name, one.length - name,
                                           &watched->limit_s, watched->nonce);
}

static void take_run(struct sbi_mux_text env, struct sbi_pump_request *request)
{
    const size_t name = strlen(SBI_MUX_RUN);
    struct sbi_mux_text one;
    size_t i;

    while (sbi_mux_next_env(&env, &one)) {
        if (begins(one, SBI_MUX_WATCH))
            take_watch(one, request);
        if (!begins(one, SBI_MUX_RUN))
            continue;
        request->is_ours = true;
        if (one.length != name + sizeof(request->run_id) - 1)
            continue;
        for (i = name; i < one.length && isxdigit((unsigned char)one.data[i]); i++)
            request->run_id[i - name] = one.data[i];
        if (i < one.length)
            request->run_id[0] = '\0';
    }
}

static bool take_descriptors(struct client *client, int *fds, size_t count)
{
    int64_t deadline = sbi_deadline(DESCRIPTORS_MS);
    int rc = SBX_OK;

    while (!sbi_mux_talk_take(&client->talk, fds, count)) {
        if (rc < 0 || client->talk.over)
            return false;
        rc = sbi_wait_readable(client->talk.fd, deadline, client->kept->keeper->stop);
    }
    return true;
}

static void count_session(struct sbi_kept *kept, int change)
{
    (void)pthread_mutex_lock(&kept->keeper->lock);
    kept->sessions += change;
    kept->idle_since = sbi_now_ms();
    (void)pthread_mutex_unlock(&kept->keeper->lock);
}

/* A socket's path stands where a host does, as with ssh's masters. */
static int port_of(const struct sbi_mux_message *message)
{
    return (int32_t)message->value == SBI_CONNECT_SOCKET ? SBI_CONNECT_SOCKET
                                                         : (int)(message->value & 0xffff);
}

static void open_session(struct client *client, const struct sbi_mux_message *message)
{
    bool connects = message->type == SBI_MUX_NEW_STDIO_FORWARD;
    SBI_CLEANUP(sbi_pump_request_clear)
    struct sbi_pump_request request = {.id = message->id,
                                       .terminal = message->terminal,
                                       .port = connects ? port_of(message) : 0,
                                       .fds = {-1, -1, -1}};
    bool subsystem = message->subsystem;

    request.command = strndup(message->command.length > 0 ? message->command.data : "",
                              message->command.length);
    request.term =
        strndup(message->term.length > 0 ? message->term.data : "", message->term.length);
    take_run(message->env, &request);
    if (!take_descriptors(client, request.fds, connects ? 2 : 3) ||
        request.command == NULL || request.term == NULL) {
        client->talk.over = true;
        return;
    }
    if (subsystem) {
        sbi_mux_add(&client->talk.out, SBI_MUX_FAILURE, &request.id, 1,
                    "a keeper starts no subsystems");
        return;
    }
    count_session(client->kept, 1);
    sbi_pump(client->kept, &client->talk, &request);
    count_session(client->kept, -1);
    client->talk.over = true;
}

static void say_alive(struct client *client, const struct sbi_mux_message *message)
{
    const uint32_t numbers[] = {message->id, (uint32_t)getpid()};

    sbi_mux_add(&client->talk.out, SBI_MUX_ALIVE, numbers, 2, NULL);
}

static void let_go(struct client *client, const struct sbi_mux_message *message)
{
    struct sbi_keeper *keeper = client->kept->keeper;

    (void)pthread_mutex_lock(&keeper->lock);
    client->kept->told_to_stop = true;
    (void)pthread_mutex_unlock(&keeper->lock);
    answer(client, SBI_MUX_OK, message->id);
    sbi_wake_ring(keeper->wake);
}

static void handle(struct client *client, const struct sbi_mux_message *message)
{
    static const struct {
        int type;
        void (*handle)(struct client *client, const struct sbi_mux_message *message);
    } rows[] = {
        {SBI_MUX_NEW_SESSION, open_session}, {SBI_MUX_NEW_STDIO_FORWARD, open_session},
        {SBI_MUX_ALIVE_CHECK, say_alive},    {SBI_MUX_TERMINATE, let_go},
        {SBI_MUX_STOP_LISTENING, let_go},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].type == message->type) {
            rows[i].handle(client, message);
            return;
        }
    refuse(client, message, "a keeper does not do that");
}

static void leave(struct sbi_keeper *keeper)
{
    (void)pthread_mutex_lock(&keeper->lock);
    keeper->clients--;
    (void)pthread_cond_signal(&keeper->client_left);
    (void)pthread_mutex_unlock(&keeper->lock);
}

static void *serve(void *userdata)
{
    struct client *client = userdata;
    struct sbi_keeper *keeper = client->kept->keeper;
    struct sbi_mux_message message;
    struct pollfd one;
    int rc = SBX_OK;

    while (rc == SBX_OK && !client->talk.over) {
        if (sbi_mux_talk_read(&client->talk, &message)) {
            if (client->talk.greeted)
                handle(client, &message);
            continue;
        }
        sbi_mux_talk_flush(&client->talk);
        one = (struct pollfd){client->talk.fd, sbi_mux_talk_events(&client->talk), 0};
        if (!client->talk.over)
            rc = sbi_wait_any(&one, 1, SBI_NEVER, keeper->stop);
    }
    sbi_mux_talk_flush(&client->talk);
    sbi_mux_talk_clear(&client->talk);
    free(client);
    leave(keeper);
    return NULL;
}

void sbi_keeper_serve(struct sbi_kept *kept, int fd)
{
    struct client *client = calloc(1, sizeof(*client));
    pthread_t thread;

    if (client == NULL) {
        (void)close(fd);
        return;
    }
    client->kept = kept;
    if (sbi_mux_talk_accept(&client->talk, fd, NULL) < 0) {
        free(client);
        return;
    }
    (void)pthread_mutex_lock(&kept->keeper->lock);
    kept->keeper->clients++;
    (void)pthread_mutex_unlock(&kept->keeper->lock);
    if (sbi_thread_start(&thread, serve, client) == 0) {
        (void)pthread_detach(thread);
        return;
    }
    sbi_mux_talk_clear(&client->talk);
    free(client);
    leave(kept->keeper);
}
