#include "session/host_prefix.h"

#include "base/str.h"
#include "session/host_record.h"

#include <string.h>

#define DEEPEST 8

static int push(char *const *words, char ***list, sbx_error *err)
{
    int rc = SBX_OK;

    for (; rc == SBX_OK && words != NULL && *words != NULL; words++)
        rc = sbi_strv_add(list, *words, err);
    return rc;
}

/* The words of a place stand before those of what stands on it. */
static int put_before(char *const *words, char ***list, sbx_error *err)
{
    SBI_AUTO_STRV joined = NULL;
    int rc = push(words, &joined, err);

    if (rc == SBX_OK)
        rc = push(*list, &joined, err);
    if (rc < 0)
        return rc;
    sbi_strv_clear(list);
    *list = SBI_STEAL(joined);
    return SBX_OK;
}

static int add_level(const struct sbi_host_entry *stated, struct sbi_host_prefix *prefix,
                     sbx_error *err)
{
    char *const *terminal =
        stated->prefix_pty != NULL ? stated->prefix_pty : stated->prefix;
    int rc = put_before(stated->prefix, &prefix->words, err);

    return rc < 0 ? rc : put_before(terminal, &prefix->terminal, err);
}

static int name_own(const sbx_host *host, struct sbi_host_prefix *prefix, sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    const char *const *word;

    for (word = host->prefix; *word != NULL; word++) {
        sbi_str_add(&text, word == host->prefix ? "" : " ");
        sbi_str_add(&text, *word);
    }
    prefix->computer = host->source == SBX_HOST_NAME;
    prefix->on = strdup(host->on);
    if (prefix->on == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return sbi_str_take(&text, &prefix->own, err);
}

int sbi_host_prefix(sbx_hosts *hosts, const sbx_host *host, struct sbi_host_prefix *out,
                    const sbx_host **base, sbx_error *err)
{
    SBI_CLEANUP(sbi_host_prefix_clear) struct sbi_host_prefix prefix = {0};
    const sbx_host *at = host;
    int depth, rc = SBX_OK;

    if (host->kind == SBX_HOST_PREFIX)
        rc = name_own(host, &prefix, err);
    for (depth = 0; rc == SBX_OK && at->kind == SBX_HOST_PREFIX; depth++) {
        if (depth == DEEPEST)
            return sbi_fail(err, SBX_ERR_CONFIG,
                            "place '%s': over %d prefixes behind one another", host->name,
                            DEEPEST);
        rc = add_level(sbi_host_record_of(at)->stated, &prefix, err);
        if (rc == SBX_OK)
            rc = sbx_hosts_get(hosts, at->on, &at, err);
    }
    if (rc < 0)
        return rc;
    if (prefix.computer && depth == 1)
        rc = sbi_host_computer_engine(sbi_host_record_of(host)->stated,
                                      at->kind == SBX_HOST_LOCAL, &prefix.engine, err);
    if (rc < 0)
        return rc;
    *base = at;
    *out = prefix;
    prefix = (struct sbi_host_prefix){0};
    return SBX_OK;
}

void sbi_host_prefix_clear(struct sbi_host_prefix *prefix)
{
    sbi_strv_clear(&prefix->words);
    sbi_strv_clear(&prefix->terminal);
    free(prefix->on);
    free(prefix->own);
    sbi_host_engine_clear(&prefix->engine);
    *prefix = (struct sbi_host_prefix){0};
}

static int fail_circle(const struct sbi_host_list *list,
                       const struct sbi_host_entry *first, sbx_error *err)
{
    const struct sbi_host_entry *at = sbi_host_list_find(list, first->on);
    SBI_AUTO_STR way = {0};

    sbi_str_add(&way, first->name);
    for (; at != first; at = sbi_host_list_find(list, at->on))
        sbi_str_addf(&way, ", %s", at->name);
    sbi_str_addf(&way, ", %s", first->name);
    return sbi_fail(err, SBX_ERR_CONFIG, "entry '%s': key 'on' leads back to it: %.200s",
                    first->name, way.data == NULL ? "" : way.data);
}

int sbi_host_prefix_check(const struct sbi_host_list *list, sbx_error *err)
{
    const struct sbi_host_entry *at;
    size_t i, steps;

    for (i = 0; i < list->count; i++) {
        at = list->entries[i];
        for (steps = 0; at != NULL && at->on != NULL && steps <= list->count; steps++) {
            at = sbi_host_list_find(list, at->on);
            if (at == list->entries[i])
                return fail_circle(list, at, err);
        }
    }
    return SBX_OK;
}
