#include "feed.h"

#include "ending.h"
#include "fault.h"
#include "fleet.h"
#include "resources.h"

#include <sandbox/job.h>

#include <stdlib.h>
#include <string.h>

enum { QUIET_MS = 1000 };

struct feed {
    struct feed *next;
    struct server *server;
    const struct call *owner;
    char *subscription; /* the text of the owner's id, or NULL */
    char *uri;
    sbx_session *session;
    char *job;
    int64_t from; /* of the log */
    sbx_cancel *cancel;
    int64_t told_ms; /* 0: never */
    bool grown;      /* that is not told yet */
    bool over;       /* its thread is gone: it is told once more */
    bool dropped;    /* nobody wants to hear of it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct feed *all;
static size_t count;

void feed_free(struct feed *feed)
{
    if (feed == NULL)
        return;
    sbx_session_free(feed->session);
    sbx_cancel_free(feed->cancel);
    free(feed->subscription);
    free(feed->uri);
    free(feed->job);
    free(feed);
}

static void feed_clear(struct feed **feed)
{
    feed_free(*feed);
}

static int look(struct call *call, struct feed *feed, sbx_error *err)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = call->cancel};
    AUTOFREE char *place = NULL;
    const sbx_host *host = NULL;
    sbx_job *job = NULL;
    int rc = SBX_OK;

    if (!resources_job(feed->uri, &place, &feed->job))
        return fault_fix(err,
                         fault(err, SBX_ERR_NOT_FOUND,
                               "it is no job's address, and no other resource tells "
                               "when it changes"),
                         "sbx://job/SANDBOX/JOB_ID");
    rc = fleet_named(call->server->fleet, place, &host, err);
    if (rc == SBX_OK)
        rc = fleet_session(call, host, &feed->session, err);
    if (rc == SBX_OK)
        rc = sbx_job_show(feed->session, feed->job, &opts, &job, err);
    if (rc == SBX_OK && job->log_size > 0)
        feed->from = job->log_size;
    sbx_job_free(job);
    return rc;
}

int feed_new(struct call *call, const char *uri, const struct call *owner,
             struct feed **out, sbx_error *err)
{
    CLEANUP(feed_clear) struct feed *feed = own_zeroed(1, sizeof(*feed));
    int rc;

    feed->server = call->server;
    feed->owner = owner;
    feed->uri = own_copy(uri, strlen(uri));
    if (owner != NULL)
        feed->subscription = own_copy(owner->id, strlen(owner->id));
    rc = sbx_cancel_new(&feed->cancel, err);
    if (rc == SBX_OK)
        rc = look(call, feed, err);
    if (rc < 0)
        return rc;
    *out = feed;
    feed = NULL;
    return SBX_OK;
}

static int see(const void *data, size_t length, void *userdata)
{
    struct feed *feed = userdata;
    bool first;

    (void)data;
    if (length == 0)
        return 0;
    (void)pthread_mutex_lock(&lock);
    first = !feed->grown;
    feed->grown = true;
    (void)pthread_mutex_unlock(&lock);
    if (first)
        ending_ring(feed->server);
    return 0;
}

static void take_out_locked(struct feed *feed)
{
    struct feed **at = &all;

    while (*at != feed)
        at = &(*at)->next;
    *at = feed->next;
    count--;
}

static void *run(void *userdata)
{
    struct feed *feed = userdata;
    struct server *server = feed->server;
    const sbx_job_log_opts opts = {.size = sizeof(opts),
                                   .flags = SBX_JOB_FOLLOW,
                                   .offset = feed->from,
                                   .on_bytes = see,
                                   .userdata = feed,
                                   .cancel = feed->cancel};
    sbx_job_log *log = NULL;

    (void)sbx_job_log_read(feed->session, feed->job, &opts, &log, NULL);
    sbx_job_log_free(log);
    (void)pthread_mutex_lock(&lock);
    feed->over = true;
    if (feed->dropped)
        take_out_locked(feed);
    else
        feed = NULL;
    (void)pthread_mutex_unlock(&lock);
    feed_free(feed);
    ending_ring(server);
    return NULL;
}

int feed_start(struct feed *feed, sbx_error *err)
{
    pthread_t thread;
    bool full;
    bool begun = false;

    (void)pthread_mutex_lock(&lock);
    full = count == FEED_MOST;
    if (!full) {
        feed->next = all;
        all = feed;
        count++;
        begun = pthread_create(&thread, NULL, run, feed) == 0;
        if (!begun)
            take_out_locked(feed);
    }
    (void)pthread_mutex_unlock(&lock);
    if (begun) {
        (void)pthread_detach(thread);
        return SBX_OK;
    }
    feed_free(feed);
    return full ? fault_fix(err,
                            fault(err, SBX_ERR_LIMIT, "%d jobs are listened to already",
                                  FEED_MOST),
                            "unsubscribe from some")
                : fault(err, SBX_ERR_LIMIT, "no thread could be started");
}

/* One that is over waits for the clock alone, which may have nothing to say of it. */
static void drop_locked(struct feed *feed)
{
    feed->dropped = true;
    sbx_cancel_fire(feed->cancel);
}

void feed_drop(const struct call *owner, const char *uri)
{
    struct feed *feed;

    (void)pthread_mutex_lock(&lock);
    for (feed = all; feed != NULL; feed = feed->next)
        if (feed->owner == owner && (owner != NULL || strcmp(feed->uri, uri) == 0))
            drop_locked(feed);
    (void)pthread_mutex_unlock(&lock);
}

static bool tell(struct server *server, const struct feed *feed)
{
    AUTO_TEXT line = {0};

    text_add(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
                    "\"params\":{\"uri\":");
    text_add_json(&line, feed->uri);
    if (feed->subscription != NULL)
        text_addf(&line, ",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}",
                  feed->subscription);
    text_add(&line, "}}");
    return wire_try(&server->out, line.data, line.length);
}

/* Whether there is more to tell of it later. */
static bool tick_locked(struct server *server, struct feed *feed, int64_t now)
{
    bool due = feed->told_ms == 0 || now - feed->told_ms >= QUIET_MS;

    if (feed->dropped || (!feed->grown && !feed->over))
        return false;
    if ((!due && !feed->over) || !tell(server, feed))
        return true;
    feed->told_ms = now;
    feed->grown = false;
    feed->dropped = feed->over;
    return false;
}

bool feed_tick(struct server *server)
{
    int64_t now = now_ms();
    struct feed *feed;
    struct feed *next;
    bool more = false;

    (void)pthread_mutex_lock(&lock);
    for (feed = all; feed != NULL; feed = next) {
        next = feed->next;
        more = tick_locked(server, feed, now) || more;
        if (!feed->over || !feed->dropped)
            continue;
        take_out_locked(feed);
        feed_free(feed);
    }
    (void)pthread_mutex_unlock(&lock);
    return more;
}
