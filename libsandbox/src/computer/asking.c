#include "computer/asking.h"

#include "base/digest.h"
#include "base/opts.h"
#include "computer/name.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 60000
#define PULL_TIMEOUT_MS 600000
#define LONGEST_OWNER 200
#define LEAST_SECRET 32
#define OWNER_BYTES 12
#define LONGEST_TTL_S ((int64_t)10 * 366 * 24 * 3600)

static bool is_owner(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at > ' ' && *at != 0x7F)
        at++;
    return *at == '\0' && text[0] != '\0' && strlen(text) <= LONGEST_OWNER;
}

static int check(struct sbi_asking *asking, sbx_error *err)
{
    sbx_computer_opts *opts = &asking->opts;

    if (opts->owner == NULL) {
        sbi_who(asking->self, sizeof(asking->self));
        opts->owner = asking->self;
    }
    if (opts->timeout_ms == 0)
        opts->timeout_ms = asking->pulls ? PULL_TIMEOUT_MS : DEFAULT_TIMEOUT_MS;
    if (!is_owner(opts->owner))
        return sbi_fail(err, SBX_ERR_INVALID,
                        "owner '%.80s': not one word of at most %d bytes", opts->owner,
                        LONGEST_OWNER);
    if (opts->engine != NULL && strcmp(opts->engine, "docker") != 0 &&
        strcmp(opts->engine, "podman") != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "engine '%.80s': not docker or podman",
                        opts->engine);
    if (opts->ttl_s < -1 || opts->ttl_s > LONGEST_TTL_S)
        return sbi_fail(err, SBX_ERR_INVALID, "%lld s: not from 1 s to ten years",
                        (long long)opts->ttl_s);
    return SBX_OK;
}

int sbi_asking_read(struct sbi_asking *asking, sbx_session *session,
                    const sbx_computer_opts *theirs, sbx_error *err)
{
    int rc = sbi_opts_read(&asking->opts, sizeof(asking->opts), theirs, err);

    if (rc == SBX_OK && session == NULL)
        rc = sbi_fail(err, SBX_ERR_INVALID, "no session is given");
    if (rc == SBX_OK && asking->name != NULL)
        rc = sbi_name_check(asking->name, err);
    if (rc == SBX_OK)
        rc = check(asking, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "%s computer", asking->action);
    asking->place = sbx_session_place(session);
    return SBX_OK;
}

int sbx_computer_owner(const char *secret, char **out, sbx_error *err)
{
    unsigned char hash[32];
    char hex[2 * OWNER_BYTES + 1], owner[sizeof("agent-") + 2 * OWNER_BYTES];
    size_t length = secret == NULL ? 0 : strlen(secret);
    char *text;
    int rc;

    if (length < LEAST_SECRET)
        return sbi_fail(err, SBX_ERR_INVALID, "a secret of %zu bytes: not %d or more",
                        length, LEAST_SECRET);
    rc = sbi_sha256(secret, length, hash, err);
    if (rc < 0)
        return rc;
    sbi_hex(hash, OWNER_BYTES, hex);
    (void)snprintf(owner, sizeof(owner), "agent-%s", hex);
    text = strdup(owner);
    if (text == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *out = text;
    return SBX_OK;
}
