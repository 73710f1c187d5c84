#include "transport/listener.h"

#include "base/cleanup.h"
#include "base/wake.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define MOST_WAITING 64

struct sbi_listener {
    atomic_int holders;
    char *host;
    int wake; /* rung for the user */
    int bell; /* rung for the line */

    pthread_mutex_t lock; /* over these: */
    int state;
    int port;
    sbx_error why;
    bool abandoned;
    struct sbi_process *waiting[MOST_WAITING];
    size_t count;
};

void sbi_listener_release(struct sbi_listener *listener)
{
    if (atomic_fetch_sub(&listener->holders, 1) > 1)
        return;
    sbi_close_fd(&listener->wake);
    sbi_close_fd(&listener->bell);
    (void)pthread_mutex_destroy(&listener->lock);
    free(listener->host);
    free(listener);
}

int sbi_listener_new(const char *host, int port, int bell, struct sbi_listener **out,
                     sbx_error *err)
{
    struct sbi_listener *listener = calloc(1, sizeof(*listener));
    int rc;

    if (listener == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    atomic_init(&listener->holders, 1);
    (void)pthread_mutex_init(&listener->lock, NULL);
    listener->wake = -1;
    listener->port = port;
    listener->host = strdup(host);
    listener->bell = fcntl(bell, F_DUPFD_CLOEXEC, 0);
    if (listener->bell < 0)
        rc = sbi_fail_errno(err, SBX_ERR_IO, "copy a descriptor");
    else if (listener->host == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    else
        rc = sbi_wake_open(&listener->wake, err);
    if (rc < 0) {
        sbi_listener_release(listener);
        return rc;
    }
    atomic_store(&listener->holders, 2);
    *out = listener;
    return SBX_OK;
}

int sbi_listener_state(struct sbi_listener *listener, int *port, sbx_error *why)
{
    int state;

    (void)pthread_mutex_lock(&listener->lock);
    sbi_wake_hush(listener->wake);
    state = listener->state;
    *port = listener->port;
    if (state == SBI_LISTENER_OVER)
        *why = listener->why;
    (void)pthread_mutex_unlock(&listener->lock);
    return state;
}

struct sbi_process *sbi_listener_accept(struct sbi_listener *listener)
{
    struct sbi_process *process = NULL;

    (void)pthread_mutex_lock(&listener->lock);
    if (listener->count > 0) {
        process = listener->waiting[0];
        listener->count--;
        memmove(listener->waiting, listener->waiting + 1,
                listener->count * sizeof(listener->waiting[0]));
    }
    (void)pthread_mutex_unlock(&listener->lock);
    return process;
}

int sbi_listener_fd(const struct sbi_listener *listener)
{
    return listener->wake;
}

void sbi_listener_free(struct sbi_listener *listener)
{
    struct sbi_process *process;

    if (listener == NULL)
        return;
    (void)pthread_mutex_lock(&listener->lock);
    listener->abandoned = true;
    (void)pthread_mutex_unlock(&listener->lock);
    while ((process = sbi_listener_accept(listener)) != NULL)
        sbi_process_free(process);
    sbi_wake_ring(listener->bell);
    sbi_listener_release(listener);
}

const char *sbi_listener_host(const struct sbi_listener *listener)
{
    return listener->host;
}

int sbi_listener_port(struct sbi_listener *listener)
{
    int port;

    (void)pthread_mutex_lock(&listener->lock);
    port = listener->port;
    (void)pthread_mutex_unlock(&listener->lock);
    return port;
}

bool sbi_listener_abandoned(struct sbi_listener *listener)
{
    bool abandoned;

    (void)pthread_mutex_lock(&listener->lock);
    abandoned = listener->abandoned;
    (void)pthread_mutex_unlock(&listener->lock);
    return abandoned;
}

static void settle(struct sbi_listener *listener, int state, int port,
                   const sbx_error *why)
{
    (void)pthread_mutex_lock(&listener->lock);
    listener->state = state;
    if (port != 0)
        listener->port = port;
    if (why != NULL)
        listener->why = *why;
    sbi_wake_ring(listener->wake);
    (void)pthread_mutex_unlock(&listener->lock);
}

void sbi_listener_opened(struct sbi_listener *listener, int port)
{
    settle(listener, SBI_LISTENER_OPEN, port, NULL);
}

void sbi_listener_over(struct sbi_listener *listener, const sbx_error *why)
{
    settle(listener, SBI_LISTENER_OVER, 0, why);
}

bool sbi_listener_has_room(struct sbi_listener *listener)
{
    bool room;

    (void)pthread_mutex_lock(&listener->lock);
    room = !listener->abandoned && listener->count < MOST_WAITING;
    (void)pthread_mutex_unlock(&listener->lock);
    return room;
}

void sbi_listener_offer(struct sbi_listener *listener, struct sbi_process *process)
{
    bool taken;

    (void)pthread_mutex_lock(&listener->lock);
    taken = !listener->abandoned && listener->count < MOST_WAITING;
    if (taken) {
        listener->waiting[listener->count++] = process;
        sbi_wake_ring(listener->wake);
    }
    (void)pthread_mutex_unlock(&listener->lock);
    if (!taken)
        sbi_process_free(process);
}
