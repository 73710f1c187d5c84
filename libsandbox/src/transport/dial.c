/*
 * dial.c - name look-up and connect, both bounded.
 *
 * getaddrinfo(3) knows no deadline, so it runs on a thread of its own that is
 * left behind when the deadline passes; the last of the two frees what they share.
 */
#include "transport/dial.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "base/wake.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define MOST_ADDRESSES 8
#define STAGGER_MS 250
#define DEAD_PEER_MS 30000

struct lookup {
    atomic_int holders;
    char *host;
    char port[8];
    int family;
    int flags; /* of the question: AI_ */
    int wake;
    atomic_bool done;
    int code; /* of getaddrinfo */
    int cause;
    struct addrinfo *found;
};

static void lookup_release(struct lookup **lookup)
{
    if (*lookup == NULL || atomic_fetch_sub(&(*lookup)->holders, 1) > 1)
        return;
    if ((*lookup)->found != NULL)
        freeaddrinfo((*lookup)->found);
    sbi_close_fd(&(*lookup)->wake);
    free((*lookup)->host);
    free(*lookup);
}

static void *look_up(void *userdata)
{
    struct lookup *lookup = userdata;
    struct addrinfo hints = {.ai_family = lookup->family,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = lookup->flags};

    lookup->code = getaddrinfo(lookup->host, lookup->port, &hints, &lookup->found);
    lookup->cause = errno;
    atomic_store(&lookup->done, true);
    sbi_wake_ring(lookup->wake);
    lookup_release(&lookup);
    return NULL;
}

static int new_lookup(const struct sbi_dial *dial, struct lookup **out, sbx_error *err)
{
    SBI_CLEANUP(lookup_release) struct lookup *lookup = calloc(1, sizeof(*lookup));
    int rc;

    if (lookup == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    atomic_init(&lookup->holders, 1);
    lookup->wake = -1;
    lookup->family = dial->family;
    lookup->host = strdup(dial->host);
    (void)snprintf(lookup->port, sizeof(lookup->port), "%d", dial->port);
    rc = sbi_wake_open(&lookup->wake, err);
    if (rc == SBX_OK && lookup->host == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (rc == SBX_OK)
        *out = SBI_STEAL(lookup);
    return rc;
}

static int numeric(struct lookup *lookup)
{
    struct addrinfo hints = {.ai_family = lookup->family,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};

    return getaddrinfo(lookup->host, lookup->port, &hints, &lookup->found);
}

static int explain_lookup(const struct lookup *lookup, sbx_error *err)
{
    if (lookup->code == EAI_SYSTEM) {
        errno = lookup->cause;
        return sbi_fail_errno(err, SBX_ERR_CONNECT, "look up '%s'", lookup->host);
    }
    (void)sbi_fail(err, SBX_ERR_CONNECT, "look up '%s': %s", lookup->host,
                   gai_strerror(lookup->code));
    return sbi_fix(err, SBX_ERR_CONNECT, "address",
                   "check the name; `sbx host ls` lists the hosts that are known");
}

static int resolve(struct lookup *lookup, int64_t deadline, sbx_cancel *cancel,
                   sbx_error *err)
{
    pthread_t thread;
    int rc;

    if (numeric(lookup) == 0)
        return SBX_OK;
    atomic_fetch_add(&lookup->holders, 1);
    if (sbi_thread_start(&thread, look_up, lookup) != 0) {
        atomic_fetch_sub(&lookup->holders, 1);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "look up '%s': no thread", lookup->host);
    }
    (void)pthread_detach(thread);
    rc = sbi_wait_readable(lookup->wake, deadline, cancel);
    if (rc == SBX_ERR_TIMEOUT) {
        (void)sbi_fail(err, rc, "look up '%s': no answer in time", lookup->host);
        return sbi_fix(
            err, rc, "address",
            "check the name servers of this machine, or give an address as host");
    }
    if (rc < 0)
        return sbi_fail(err, rc, "look up '%s': cancelled", lookup->host);
    return lookup->code != 0 ? explain_lookup(lookup, err) : SBX_OK;
}

/* The families by turns, in the order of the resolver's first choice. */
static size_t order(struct addrinfo *found, struct addrinfo **ordered)
{
    struct addrinfo *by_family[2][MOST_ADDRESSES];
    size_t counts[2] = {0, 0}, given = 0, i;
    struct addrinfo *at;
    int other;

    for (at = found; at != NULL; at = at->ai_next) {
        other = at->ai_family != found->ai_family;
        if (counts[other] < MOST_ADDRESSES)
            by_family[other][counts[other]++] = at;
    }
    for (i = 0; i < MOST_ADDRESSES; i++)
        for (other = 0; other < 2; other++)
            if (i < counts[other] && given < MOST_ADDRESSES)
                ordered[given++] = by_family[other][i];
    return given;
}

static int bind_to(int fd, const struct sbi_dial *dial, int family)
{
    struct addrinfo hints = {.ai_family = family, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *found = NULL;
    int rc;

    if (dial->bind_address == NULL)
        return 0;
    if (getaddrinfo(dial->bind_address, NULL, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    rc = bind(fd, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return rc;
}

static void tune(int fd, bool keepalive)
{
    const int on = 1, dead = DEAD_PEER_MS;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead, sizeof(dead));
    if (keepalive)
        (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

/* Begins to connect: a descriptor, or -1 with errno. */
static int begin(const struct sbi_dial *dial, const struct addrinfo *address)
{
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    tune(fd, dial->keepalive);
    if (bind_to(fd, dial, address->ai_family) == 0 &&
        (connect(fd, address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS))
        return fd;
    (void)close(fd);
    return -1;
}

struct race {
    struct pollfd runners[MOST_ADDRESSES];
    size_t count;
    int cause; /* errno of the last that fell */
};

static void race_clear(struct race *race)
{
    size_t i;

    for (i = 0; i < race->count; i++)
        sbi_close_fd(&race->runners[i].fd);
}

static void drop_runner(struct race *race, size_t i)
{
    (void)close(race->runners[i].fd);
    race->runners[i] = race->runners[--race->count];
}

/* The first that is connected, taken out of the race, or -1. */
static int winner(struct race *race)
{
    socklen_t size = sizeof(race->cause);
    int cause, fd;
    size_t i = 0;

    while (i < race->count) {
        if (race->runners[i].revents == 0) {
            i++;
            continue;
        }
        cause = 0;
        (void)getsockopt(race->runners[i].fd, SOL_SOCKET, SO_ERROR, &cause, &size);
        if (cause == 0) {
            fd = race->runners[i].fd;
            race->runners[i] = race->runners[--race->count];
            return fd;
        }
        race->cause = cause;
        drop_runner(race, i);
    }
    return -1;
}

static int explain_race(const struct sbi_dial *dial, const struct race *race, int rc,
                        sbx_error *err)
{
    if (rc == SBX_ERR_CANCELLED)
        return sbi_fail(err, rc, "connect to '%s' port %d: cancelled", dial->host,
                        dial->port);
    if (rc == SBX_ERR_TIMEOUT) {
        (void)sbi_fail(err, rc, "connect to '%s' port %d: no answer in time", dial->host,
                       dial->port);
        return sbi_fix(err, rc, "route",
                       "check that the machine is up and that no firewall drops port %d",
                       dial->port);
    }
    errno = race->cause;
    (void)sbi_fail_errno(err, SBX_ERR_CONNECT, "connect to '%s' port %d", dial->host,
                         dial->port);
    return sbi_fix(err, SBX_ERR_CONNECT, "port",
                   "check that an SSH server listens on port %d there", dial->port);
}

static int run_race(const struct sbi_dial *dial, struct addrinfo **addresses,
                    size_t count, int64_t deadline, sbx_cancel *cancel, int *out,
                    sbx_error *err)
{
    SBI_CLEANUP(race_clear) struct race race = {.cause = EHOSTUNREACH};
    int64_t next;
    size_t begun = 0;
    int fd, rc;

    while (begun < count || race.count > 0) {
        if (begun < count) {
            fd = begin(dial, addresses[begun++]);
            if (fd < 0) {
                race.cause = errno;
                continue;
            }
            race.runners[race.count++] = (struct pollfd){fd, POLLOUT, 0};
        }
        next = begun < count ? sbi_deadline(STAGGER_MS) : SBI_NEVER;
        rc = sbi_wait_any(race.runners, race.count, next < deadline ? next : deadline,
                          cancel);
        if (rc == SBX_ERR_CANCELLED || (rc < 0 && sbi_left_ms(deadline) == 0))
            return explain_race(dial, &race, rc, err);
        fd = rc < 0 ? -1 : winner(&race);
        if (fd >= 0) {
            *out = fd;
            return SBX_OK;
        }
    }
    return explain_race(dial, &race, SBX_ERR_CONNECT, err);
}

int sbi_dial(const struct sbi_dial *dial, int64_t deadline, sbx_cancel *cancel, int *out,
             sbx_error *err)
{
    SBI_CLEANUP(lookup_release) struct lookup *lookup = NULL;
    struct addrinfo *addresses[MOST_ADDRESSES];
    int rc;

    rc = new_lookup(dial, &lookup, err);
    if (rc == SBX_OK)
        rc = resolve(lookup, deadline, cancel, err);
    if (rc < 0)
        return rc;
    return run_race(dial, addresses, order(lookup->found, addresses), deadline, cancel,
                    out, err);
}

int sbi_dial_true_name(const char *name, int family, int64_t deadline, char *out,
                       size_t room, sbx_error *err)
{
    const struct sbi_dial dial = {.host = name, .port = 22, .family = family};
    SBI_CLEANUP(lookup_release) struct lookup *lookup = NULL;
    const char *found;
    int rc = new_lookup(&dial, &lookup, err);

    if (rc == SBX_OK) {
        lookup->flags = AI_CANONNAME;
        rc = resolve(lookup, deadline, NULL, err);
    }
    if (rc < 0)
        return rc;
    found = lookup->found->ai_canonname;
    (void)snprintf(out, room, "%s", found == NULL ? "" : found);
    return SBX_OK;
}
