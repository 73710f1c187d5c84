/*
 * tell_webhook.c - an event, POSTed as JSON.
 *
 * What is signed is the body as it is sent, by HMAC-SHA256 with the first line of a file,
 * which is read at each time: so the ledger holds no secret, and it may be changed.
 */
#include "watch/tell.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/http.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>

#define ANSWER_MS 30000
#define MOST_SECRET 4096

static int sign(const char *file, const char *body, char header[128], sbx_error *err)
{
    SBI_AUTOWIPE char *secret = NULL;
    unsigned char digest[32];
    char hex[65];
    size_t length;
    int rc = sbi_path_read(file, MOST_SECRET, &secret, &length, err);

    if (rc < 0)
        return rc == SBX_ERR_NOT_FOUND ? SBX_ERR_IO : rc; /* it may come back */
    length = strcspn(secret, "\r\n");
    if (length == 0)
        return sbi_fail(err, SBX_ERR_IO, "the file of the secret '%.100s' is empty",
                        file);
    rc = sbi_hmac_sha256(secret, length, body, strlen(body), digest, err);
    if (rc < 0)
        return rc;
    sbi_hex(digest, sizeof(digest), hex);
    (void)snprintf(header, 128, "X-Sbx-Signature-256: sha256=%s", hex);
    return SBX_OK;
}

int sbi_tell_webhook(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                     const sbx_watch_event *event, sbx_error *err)
{
    SBI_AUTOFREE char *json = sbx_watch_event_json(event);
    char id[80], kind[80], agent[80], signature[128];
    const char *headers[] = {
        "Content-Type: application/json", agent, id, kind, NULL, NULL};
    struct sbi_http request = {.url = opts->webhook,
                               .headers = headers,
                               .ca_file = opts->webhook_ca,
                               .deadline = sbi_deadline(ANSWER_MS),
                               .cancel = teller->cancel};
    long status = 0;
    int rc = SBX_OK;

    if (json == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "post: out of memory");
    (void)snprintf(agent, sizeof(agent), "User-Agent: sbx/%s", sbx_version());
    (void)snprintf(id, sizeof(id), "X-Sbx-Event-Id: %s", event->id);
    (void)snprintf(kind, sizeof(kind), "X-Sbx-Event: %s", event->kind);
    if (opts->webhook_secret != NULL) {
        rc = sign(opts->webhook_secret, json, signature, err);
        headers[4] = signature;
    }
    if (rc < 0)
        return rc;
    request.body = json;
    request.length = strlen(json);
    rc = sbi_http_post(&request, &status, err);
    if (rc == SBX_OK && (status < 200 || status > 299))
        rc = sbi_fail(err, SBX_ERR_REMOTE, "post to '%.100s': it answered %ld",
                      opts->webhook, status);
    return rc;
}
