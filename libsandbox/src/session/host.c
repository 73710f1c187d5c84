/*
 * host.c - the set of hosts: finds one by its word.
 *
 * Those known by name stand in an array that never changes; words that are in no
 * list join a second one when they are asked for. A record is resolved under the
 * lock before its pointer is first handed out, and then never changes: who reads
 * one needs no lock, and no record moves or goes before the set does.
 */
#include "session/host.h"

#include "base/nearest.h"
#include "base/opts.h"
#include "session/host_computer.h"
#include "session/host_json.h"
#include "session/host_load.h"
#include "session/host_records.h"
#include "session/host_word.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define WORDS_LIMIT 10000
#define LIST_LIMIT ((size_t)4 << 20)

struct tagged {
    struct tagged *next;
    char *tag;
    const sbx_host **hosts;
    size_t count;
};

struct sbx_hosts {
    atomic_int holders;
    struct sbi_ssh_config *ssh_config;
    struct sbi_host_records known;
    pthread_mutex_t lock; /* guards resolving, and: */
    struct sbi_host_records words;
    struct tagged *tagged;
};

static void free_hosts(sbx_hosts **hosts)
{
    sbx_hosts_free(*hosts);
}

static int add_known(sbx_hosts *hosts, const char *place, struct sbi_host_entry *entry,
                     sbx_error *err)
{
    struct sbi_host_record *record;
    int rc = sbi_host_record_new(place, entry, NULL, NULL, &record, err);

    return rc < 0 ? rc : sbi_host_records_append(&hosts->known, record, err);
}

/* `local`, then the list's, whose entries move over one by one. */
static int fill(sbx_hosts *hosts, struct sbi_host_list *list, sbx_error *err)
{
    struct sbi_host_entry *entry;
    int rc = add_known(hosts, "local", NULL, err);
    size_t i;

    for (i = 0; i < list->count && rc == SBX_OK; i++) {
        entry = SBI_STEAL(list->entries[i]);
        rc = add_known(hosts, entry->name, entry, err);
    }
    return rc < 0 ? sbi_wrap(err, rc, "load hosts") : SBX_OK;
}

static int make(const char *ssh_config, sbx_hosts **out, sbx_error *err)
{
    sbx_hosts *hosts = calloc(1, sizeof(*hosts));
    int rc;

    if (hosts == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "load hosts: out of memory");
    atomic_init(&hosts->holders, 1);
    (void)pthread_mutex_init(&hosts->lock, NULL);
    rc = sbi_ssh_config_new(ssh_config, NULL, &hosts->ssh_config, err);
    if (rc < 0) {
        sbx_hosts_free(hosts);
        return rc;
    }
    *out = hosts;
    return SBX_OK;
}

int sbx_hosts_load(const sbx_hosts_opts *opts, sbx_hosts **out, sbx_error *err)
{
    SBI_CLEANUP(free_hosts) sbx_hosts *hosts = NULL;
    SBI_AUTO_HOST_LIST list = {0};
    sbx_hosts_opts given;
    int rc = sbi_opts_read(&given, sizeof(given), opts, err);

    if (rc == SBX_OK)
        rc = make(given.ssh_config, &hosts, err);
    if (rc == SBX_OK)
        rc = sbi_host_load_all(given.list_file, hosts->ssh_config, &list, err);
    if (rc == SBX_OK)
        rc = fill(hosts, &list, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(hosts);
    return rc;
}

int sbx_hosts_parse(const char *json, size_t length, const sbx_hosts_opts *opts,
                    sbx_hosts **out, sbx_error *err)
{
    SBI_CLEANUP(free_hosts) sbx_hosts *hosts = NULL;
    SBI_AUTO_HOST_LIST list = {0};
    sbx_hosts_opts given;
    int rc = sbi_opts_read(&given, sizeof(given), opts, err);

    if (rc < 0)
        return rc;
    if (json == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "host list: no text");
    if (length > LIST_LIMIT)
        return sbi_fail(err, SBX_ERR_LIMIT, "host list: over %zu bytes", LIST_LIMIT);
    rc = make(given.ssh_config, &hosts, err);
    if (rc == SBX_OK)
        rc = sbi_host_load_text(json, length, hosts->ssh_config, &list, err);
    if (rc == SBX_OK)
        rc = fill(hosts, &list, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(hosts);
    return rc;
}

size_t sbx_hosts_count(const sbx_hosts *hosts)
{
    return hosts->known.count;
}

static int resolve(sbx_hosts *hosts, struct sbi_host_record *record, sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&hosts->lock);
    rc = sbi_host_record_resolve(record, hosts->ssh_config, err);
    (void)pthread_mutex_unlock(&hosts->lock);
    return rc;
}

const sbx_host *sbx_hosts_at(const sbx_hosts *hosts, size_t index)
{
    struct sbi_host_record *record;

    if (index >= hosts->known.count)
        return NULL;
    record = hosts->known.at[index];
    (void)resolve((sbx_hosts *)hosts, record, NULL); /* const to the eye: it is a cache */
    return &record->seen;
}

/* The entry that "ON", "user@ON" and "ON/OTHER" begin with, as far as the list has one.
 */
static const struct sbi_host_entry *stated_of(const sbx_hosts *hosts, const char *word)
{
    SBI_AUTOFREE char *name = strndup(word, strcspn(word, "/"));
    const char *at = name == NULL ? NULL : strrchr(name, '@');
    const struct sbi_host_record *record =
        name == NULL ? NULL
                     : sbi_host_records_find(&hosts->known, at == NULL ? name : at + 1);

    return record == NULL ? NULL : record->stated;
}

/* ON/NAME: what ON is, is asked when a session is opened. */
static int new_computer(sbx_hosts *hosts, const char *word, struct sbi_host_record **out,
                        sbx_error *err)
{
    struct sbi_host_entry *own = NULL;
    int rc = sbi_host_computer_entry(word, stated_of(hosts, word), &own, err);

    return rc < 0 ? rc : sbi_host_record_new(word, own, NULL, NULL, out, err);
}

/*
 * A word in no list: "user@host", where the list may know the host, or a host that
 * ssh_config's patterns and the network may know.
 */
static int new_word(sbx_hosts *hosts, const char *word, struct sbi_host_record **out,
                    sbx_error *err)
{
    const char *at = strrchr(word, '@');
    const char *name = at == NULL ? word : at + 1;
    SBI_AUTOFREE char *user = at == NULL ? NULL : strndup(word, (size_t)(at - word));
    const struct sbi_host_record *base = sbi_host_records_find(&hosts->known, name);
    struct sbi_host_entry *own = NULL;
    int rc = SBX_OK;

    if (at != NULL && user == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "place '%s': out of memory", word);
    if (base != NULL && base->seen.kind != SBX_HOST_SSH)
        return sbi_fail(err, SBX_ERR_INVALID, "place '%s': '%s' has no log-in", word,
                        name);
    if (base == NULL)
        rc = sbi_host_entry_new(word, name, SBX_HOST_NAME, &own, err);
    if (rc < 0)
        return rc;
    return sbi_host_record_new(word, own, base == NULL ? NULL : base->stated, user, out,
                               err);
}

/* With the lock held. */
static int ask_word(sbx_hosts *hosts, const char *word, const sbx_host **out,
                    sbx_error *err)
{
    struct sbi_host_record *record = sbi_host_records_find(&hosts->words, word);
    int rc;

    if (record != NULL) {
        *out = &record->seen;
        return SBX_OK;
    }
    if (hosts->words.count == WORDS_LIMIT)
        return sbi_fail(err, SBX_ERR_LIMIT, "place '%s': over %d words were asked for",
                        word, WORDS_LIMIT);
    rc = strchr(word, '/') != NULL ? new_computer(hosts, word, &record, err)
                                   : new_word(hosts, word, &record, err);
    if (rc < 0)
        return rc;
    rc = sbi_host_record_resolve(record, hosts->ssh_config, err);
    if (rc < 0) {
        sbi_host_record_free(record);
        return rc;
    }
    rc = sbi_host_records_append(&hosts->words, record, err);
    if (rc == SBX_OK)
        *out = &record->seen;
    return rc;
}

int sbx_hosts_get(sbx_hosts *hosts, const char *name, const sbx_host **out,
                  sbx_error *err)
{
    struct sbi_host_record *record;
    int rc = sbi_host_word_check(name, err);

    if (rc < 0)
        return rc;
    record = sbi_host_records_find(&hosts->known, name);
    if (record != NULL) {
        rc = resolve(hosts, record, err);
        if (rc == SBX_OK)
            *out = &record->seen;
        return rc;
    }
    (void)pthread_mutex_lock(&hosts->lock);
    rc = ask_word(hosts, name, out, err);
    (void)pthread_mutex_unlock(&hosts->lock);
    return rc;
}

static void free_tagged(struct tagged *tagged)
{
    if (tagged == NULL)
        return;
    free(tagged->tag);
    free(tagged->hosts);
    free(tagged);
}

static int collect_tagged(sbx_hosts *hosts, struct tagged *tagged, sbx_error *err)
{
    struct sbi_host_record *record;
    size_t i;
    int rc;

    for (i = 0; i < hosts->known.count; i++) {
        record = hosts->known.at[i];
        if (!sbi_strv_contains(record->seen.tags, tagged->tag))
            continue;
        rc = sbi_host_record_resolve(record, hosts->ssh_config, err);
        if (rc < 0)
            return rc;
        tagged->hosts[tagged->count++] = &record->seen;
    }
    return SBX_OK;
}

/* With the lock held. A tag of no host is not kept: *out is then NULL. */
static int find_tagged(sbx_hosts *hosts, const char *tag, struct tagged **out,
                       sbx_error *err)
{
    struct tagged *tagged = hosts->tagged;
    int rc = SBX_OK;

    while (tagged != NULL && strcmp(tagged->tag, tag) != 0)
        tagged = tagged->next;
    if (tagged != NULL) {
        *out = tagged;
        return SBX_OK;
    }
    tagged = calloc(1, sizeof(*tagged));
    if (tagged != NULL) {
        tagged->tag = strdup(tag);
        tagged->hosts = calloc(hosts->known.count, sizeof(const sbx_host *));
    }
    if (tagged == NULL || tagged->tag == NULL || tagged->hosts == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    else
        rc = collect_tagged(hosts, tagged, err);
    if (rc < 0 || tagged->count == 0) {
        free_tagged(tagged);
        return rc;
    }
    tagged->next = hosts->tagged;
    hosts->tagged = tagged;
    *out = tagged;
    return SBX_OK;
}

int sbx_hosts_tagged(sbx_hosts *hosts, const char *tag, const sbx_host *const **out,
                     size_t *count, sbx_error *err)
{
    static const sbx_host *const none[1];
    struct tagged *tagged = NULL;
    int rc;

    (void)pthread_mutex_lock(&hosts->lock);
    rc = find_tagged(hosts, tag, &tagged, err);
    (void)pthread_mutex_unlock(&hosts->lock);
    if (rc < 0)
        return sbi_wrap(err, rc, "hosts with tag '%.64s'", tag);
    *out = tagged == NULL ? none : tagged->hosts;
    *count = tagged == NULL ? 0 : tagged->count;
    return SBX_OK;
}

const char *sbx_hosts_nearest(const sbx_hosts *hosts, const char *name)
{
    struct sbi_nearest nearest = {.word = name};
    size_t i;

    for (i = 0; i < hosts->known.count; i++)
        sbi_nearest_offer(&nearest, hosts->known.at[i]->place);
    return nearest.best;
}

int sbi_host_target(sbx_hosts *hosts, const sbx_host *host, struct sbi_ssh_target **out,
                    sbx_error *err)
{
    return sbi_host_record_target(sbi_host_record_of(host), hosts->ssh_config, out, err);
}

char *sbx_host_json(sbx_hosts *hosts, const sbx_host *host)
{
    struct sbi_ssh_target *target = NULL;
    sbx_error why;
    char *text;
    int rc = SBX_OK;

    if (host->kind == SBX_HOST_SSH)
        rc = sbi_host_target(hosts, host, &target, &why);
    text = sbi_host_json(host, sbi_host_record_of(host)->stated, target,
                         rc < 0 ? why.text : NULL);
    sbi_ssh_target_free(target);
    return text;
}

static int copy_text(const char *from, char **to, sbx_error *err)
{
    if (from == NULL)
        return SBX_OK;
    *to = strdup(from);
    return *to != NULL ? SBX_OK : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

int sbi_host_defaults(sbx_hosts *hosts, const sbx_host *host,
                      struct sbi_host_defaults *out, sbx_error *err)
{
    const struct sbi_host_entry *stated = sbi_host_record_of(host)->stated;
    SBI_CLEANUP(sbi_host_defaults_clear) struct sbi_host_defaults defaults = {0};
    int rc = SBX_OK;

    (void)hosts;
    if (stated != NULL) {
        rc = sbi_strv_copy((const char *const *)stated->env, &defaults.env, err);
        if (rc == SBX_OK)
            rc = copy_text(stated->cwd, &defaults.cwd, err);
        if (rc == SBX_OK)
            rc = copy_text(stated->shell, &defaults.shell, err);
    }
    if (rc < 0)
        return sbi_wrap(err, rc, "defaults of host '%s'", host->name);
    *out = defaults;
    defaults = (struct sbi_host_defaults){0};
    return SBX_OK;
}

void sbi_host_defaults_clear(struct sbi_host_defaults *defaults)
{
    sbi_strv_clear(&defaults->env);
    free(SBI_STEAL(defaults->cwd));
    free(SBI_STEAL(defaults->shell));
}

sbx_hosts *sbi_hosts_hold(sbx_hosts *hosts)
{
    (void)atomic_fetch_add(&hosts->holders, 1);
    return hosts;
}

void sbx_hosts_free(sbx_hosts *hosts)
{
    struct tagged *tagged, *next;

    if (hosts == NULL || atomic_fetch_sub(&hosts->holders, 1) > 1)
        return;
    for (tagged = hosts->tagged; tagged != NULL; tagged = next) {
        next = tagged->next;
        free_tagged(tagged);
    }
    sbi_host_records_clear(&hosts->words);
    sbi_host_records_clear(&hosts->known);
    (void)pthread_mutex_destroy(&hosts->lock);
    sbi_ssh_config_free(hosts->ssh_config);
    free(hosts);
}
