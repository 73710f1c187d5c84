/* host_record.c - makes one host of a set, and resolves it once. */
#include "session/host_record.h"

#include "base/digest.h"
#include "base/log.h"
#include "session/host_target.h"
#include "transport/ssh_proxy.h"

#include <string.h>

static const char *const no_tags[] = {NULL};

static const char *const *tags_of(const struct sbi_host_entry *stated)
{
    if (stated == NULL || stated->tags == NULL)
        return no_tags;
    return (const char *const *)stated->tags;
}

static int kind_of(const struct sbi_host_entry *stated)
{
    if (stated == NULL)
        return SBX_HOST_LOCAL;
    return stated->prefix == NULL ? SBX_HOST_SSH : SBX_HOST_PREFIX;
}

const char *sbx_host_kind_name(int kind)
{
    static const char *const names[] = {
        [SBX_HOST_LOCAL] = "local", [SBX_HOST_SSH] = "ssh", [SBX_HOST_PREFIX] = "prefix"};

    return kind >= SBX_HOST_LOCAL && kind <= SBX_HOST_PREFIX ? names[kind] : "unknown";
}

int sbi_host_record_new(const char *place, struct sbi_host_entry *own,
                        const struct sbi_host_entry *stated, const char *as_user,
                        struct sbi_host_record **out, sbx_error *err)
{
    struct sbi_host_record *record = calloc(1, sizeof(*record));

    if (record == NULL) {
        (void)sbi_fail(err, SBX_ERR_NO_MEMORY, "host '%s': out of memory", place);
        sbi_host_entry_free(own);
        return SBX_ERR_NO_MEMORY;
    }
    record->own = own;
    record->stated = own != NULL ? own : stated;
    record->place = strdup(place);
    record->as_user = as_user == NULL ? NULL : strdup(as_user);
    if (record->place == NULL || (as_user != NULL && record->as_user == NULL)) {
        (void)sbi_fail(err, SBX_ERR_NO_MEMORY, "host '%s': out of memory", place);
        sbi_host_record_free(record);
        return SBX_ERR_NO_MEMORY;
    }
    record->seen.name = record->place;
    record->seen.kind = kind_of(record->stated);
    record->seen.source =
        record->stated == NULL ? SBX_HOST_BUILTIN : record->stated->source;
    record->seen.tags = tags_of(record->stated);
    if (record->seen.kind == SBX_HOST_PREFIX) {
        record->seen.on = record->stated->on;
        record->seen.prefix = (const char *const *)record->stated->prefix;
    }
    *out = record;
    return SBX_OK;
}

int sbi_host_record_target(const struct sbi_host_record *record,
                           struct sbi_ssh_config *ssh_config, struct sbi_ssh_target **out,
                           sbx_error *err)
{
    if (record->seen.kind != SBX_HOST_SSH)
        return sbi_fail(err, SBX_ERR_INVALID, "place '%s': there is no log-in",
                        record->place);
    return sbi_host_target_make(record->stated, record->place, record->as_user,
                                ssh_config, out, err);
}

static void publish_stated(struct sbi_host_record *record)
{
    const struct sbi_host_entry *stated = record->stated;

    record->seen.address = stated->host;
    record->seen.user = record->as_user != NULL ? record->as_user : stated->user;
    record->seen.port = stated->port;
    if (stated->jump != NULL && record->jump == NULL)
        record->jump = sbi_proxy_masked(stated->jump);
    record->seen.jump = record->jump;
}

static void publish(struct sbi_host_record *record, struct sbi_ssh_options *options)
{
    char **warning;

    for (warning = options->warnings; warning != NULL && *warning != NULL; warning++)
        sbi_log(SBX_LOG_WARN, "host '%s': %s", record->place, *warning);
    record->address = SBI_STEAL(options->hostname);
    record->user = SBI_STEAL(options->user);
    if (options->proxy_jump != NULL)
        record->jump = sbi_proxy_masked(options->proxy_jump);
    sbi_wipe(&options->proxy_jump);
    record->seen.address = record->address;
    record->seen.user = record->user;
    record->seen.port = options->port;
    record->seen.jump = record->jump;
}

int sbi_host_record_resolve(struct sbi_host_record *record,
                            struct sbi_ssh_config *ssh_config, sbx_error *err)
{
    struct sbi_ssh_target *target = NULL;
    bool first = !record->asked;
    int rc;

    if (record->resolved || record->seen.kind != SBX_HOST_SSH)
        return SBX_OK;
    record->asked = true;
    rc = sbi_host_record_target(record, ssh_config, &target, err);
    if (first && rc < 0)
        publish_stated(record);
    if (first && rc == SBX_OK) {
        publish(record, target->options);
        record->resolved = true;
    }
    sbi_ssh_target_free(target);
    return rc;
}

void sbi_host_record_free(struct sbi_host_record *record)
{
    if (record == NULL)
        return;
    sbi_host_entry_free(record->own);
    free(record->place);
    free(record->as_user);
    free(record->address);
    free(record->user);
    free(record->jump);
    free(record);
}
