#include "session/host_route.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "transport/ssh_proxy.h"

#include <stdio.h>
#include <string.h>

#define MOST_HOPS 8

static int fill(sbx_hosts *hosts, struct sbi_ssh_target *target, int depth,
                sbx_error *err);

static void clear_target(struct sbi_ssh_target **target)
{
    sbi_ssh_target_free(*target);
}

/* Splits "[user@]host[:port]", "[v6]:port" and the same behind ssh://, in place. */
static bool split_hop(char *hop, char **word, int *port)
{
    char *at = strrchr(hop, '@'), *host = at == NULL ? hop : at + 1;
    char *colon = NULL, *end;
    long number;

    if (*host == '[') {
        end = strchr(host, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':'))
            return false;
        colon = end[1] == ':' ? end + 1 : NULL;
        *end = '\0';
        memmove(host, host + 1, strlen(host + 1) + 1);
    } else if (strchr(host, ':') == strrchr(host, ':')) {
        colon = strchr(host, ':');
    }
    *word = hop;
    *port = 0;
    if (colon == NULL)
        return *host != '\0';
    *colon = '\0';
    number = strtol(colon + 1, &end, 10);
    if (*end != '\0' || number < 1 || number > 65535)
        return false;
    *port = (int)number;
    return *host != '\0';
}

static int make_hop(sbx_hosts *hosts, const char *text, struct sbi_ssh_target **out,
                    sbx_error *err)
{
    SBI_CLEANUP(clear_target) struct sbi_ssh_target *hop = NULL;
    SBI_AUTOFREE char *copy = strdup(strncmp(text, "ssh://", 6) == 0 ? text + 6 : text);
    const sbx_host *host;
    char *word;
    int port, rc;

    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (!split_hop(copy, &word, &port))
        return sbi_fail(err, SBX_ERR_CONFIG,
                        "jump host '%s': it takes [user@]host[:port]", text);
    rc = sbx_hosts_get(hosts, word, &host, err);
    if (rc == SBX_OK && host->kind != SBX_HOST_SSH)
        rc = sbi_fail(err, SBX_ERR_CONFIG, "it is no SSH server");
    if (rc == SBX_OK)
        rc = sbi_host_target(hosts, host, &hop, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "jump host '%s'", text);
    if (port != 0)
        hop->options->port = port;
    *out = SBI_STEAL(hop);
    return SBX_OK;
}

static void forget_way(struct sbi_ssh_options *options)
{
    free(SBI_STEAL(options->proxy_jump));
    free(SBI_STEAL(options->proxy_command));
}

/*
 * The hops in order; each but the first hangs on the one before it, and the first on
 * the proxy, if there is one.
 */
static int chain(sbx_hosts *hosts, char *list, char **proxy, int depth,
                 struct sbi_ssh_target **out, sbx_error *err)
{
    SBI_CLEANUP(clear_target) struct sbi_ssh_target *last = NULL;
    struct sbi_ssh_target *hop = NULL;
    char *text, *rest = list;
    int rc = SBX_OK;

    while (rc == SBX_OK && (text = strsep(&rest, ",")) != NULL) {
        rc = make_hop(hosts, text, &hop, err);
        if (rc < 0)
            return rc;
        if (last != NULL || *proxy != NULL)
            forget_way(hop->options);
        hop->proxy = SBI_STEAL(*proxy);
        hop->jump = SBI_STEAL(last);
        last = hop;
        if (last->jump == NULL)
            rc = fill(hosts, last, depth + 1, err);
    }
    if (rc == SBX_OK)
        *out = SBI_STEAL(last);
    return rc;
}

/* The list goes: there may be the proxy's password in it. */
static int fill(sbx_hosts *hosts, struct sbi_ssh_target *target, int depth,
                sbx_error *err)
{
    SBI_AUTOWIPE char *list = SBI_STEAL(target->options->proxy_jump);
    SBI_AUTOWIPE char *proxy = NULL;
    char *hops = list;

    if (list == NULL)
        return SBX_OK;
    if (depth > MOST_HOPS)
        return sbi_fail(err, SBX_ERR_CONFIG,
                        "jump hosts of '%s': over %d deep, they lead in a circle",
                        target->place, MOST_HOPS);
    if (sbi_proxy_is(list)) {
        proxy = strdup(strsep(&hops, ","));
        if (proxy == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    if (hops != NULL)
        return chain(hosts, hops, &proxy, depth, &target->jump, err);
    target->proxy = SBI_STEAL(proxy);
    return SBX_OK;
}

int sbi_host_route(sbx_hosts *hosts, struct sbi_ssh_target *target, sbx_error *err)
{
    return fill(hosts, target, 0, err);
}
