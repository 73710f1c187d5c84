#include "places.h"

#include "nearest.h"

#include <stdlib.h>
#include <string.h>

static void add_name(struct places *places, const char *name)
{
    char *copy;

    if (words_have(&places->names, name))
        return;
    copy = own_copy(name, strlen(name));
    words_add(&places->owned, copy);
    words_add(&places->names, copy);
}

void places_tags(const sbx_hosts *hosts, struct words *tags)
{
    size_t i;
    size_t j;

    for (i = 0; i < sbx_hosts_count(hosts); i++) {
        const sbx_host *host = sbx_hosts_at(hosts, i);

        for (j = 0; host->tags[j] != NULL; j++)
            if (!words_have(tags, host->tags[j]))
                words_add(tags, host->tags[j]);
    }
}

static int no_such_tag(struct app *app, const char *tag, sbx_error *err)
{
    AUTO_WORDS tags = {0};
    AUTO_TEXT known = {0};
    const char *near;
    size_t i;
    int rc;

    places_tags(app->hosts, &tags);
    for (i = 0; i < tags.count; i++)
        text_addf(&known, "%s@%s", i > 0 ? ", " : "", tags.items[i]);
    near = nearest_word(&tags, tag);
    rc = fault(err, SBX_ERR_NOT_FOUND, "no host carries the tag '%s' (known: %s)", tag,
               tags.count > 0 ? known.data : "none");
    return near != NULL      ? fault_fix(err, rc, "@%s", near)
           : tags.count == 0 ? fault_fix(err, rc, "sbx host add NAME --tag %s", tag)
                             : rc;
}

static int add_tagged(struct places *places, struct app *app, const char *tag,
                      sbx_error *err)
{
    const sbx_host *const *hosts;
    size_t count = 0;
    size_t i;
    int rc = sbx_hosts_tagged(app->hosts, tag, &hosts, &count, err);

    if (rc < 0)
        return rc == SBX_ERR_NOT_FOUND ? no_such_tag(app, tag, err) : rc;
    if (count == 0)
        return no_such_tag(app, tag, err);
    for (i = 0; i < count; i++)
        add_name(places, hosts[i]->name);
    return SBX_OK;
}

static int add_one(struct places *places, struct app *app, const char *word,
                   sbx_error *err)
{
    const sbx_host *host;
    int rc;

    if (word[0] == '@')
        return add_tagged(places, app, word + 1, err);
    rc = sbx_hosts_get(app->hosts, word, &host, err);
    if (rc == SBX_OK)
        add_name(places, word);
    return rc;
}

int places_add(struct places *places, struct app *app, const char *word, sbx_error *err)
{
    const char *at = word;
    int rc = app_open_hosts(app, err);

    for (; rc == SBX_OK; at++) {
        AUTOFREE char *one = own_copy(at, strcspn(at, ","));

        at += strlen(one);
        if (one[0] == '\0')
            return fault(err, SBX_ERR_INVALID, "places '%s': an empty name", word);
        rc = add_one(places, app, one, err);
        if (*at == '\0')
            break;
    }
    return rc;
}

int places_add_all(struct places *places, struct app *app, bool local, sbx_error *err)
{
    int rc = app_open_hosts(app, err);
    size_t i;

    for (i = 0; rc == SBX_OK && i < sbx_hosts_count(app->hosts); i++) {
        const sbx_host *host = sbx_hosts_at(app->hosts, i);

        if (local || host->kind != SBX_HOST_LOCAL)
            add_name(places, host->name);
    }
    return rc;
}

void places_leave_out(struct places *places, const struct places *others)
{
    size_t kept = 0;
    size_t i;

    for (i = 0; i < places->names.count; i++)
        if (!words_have(&others->names, places->names.items[i]))
            places->names.items[kept++] = places->names.items[i];
    places->names.count = kept;
}

void places_clear(struct places *places)
{
    size_t i;

    for (i = 0; i < places->owned.count; i++)
        free((void *)(uintptr_t)places->owned.items[i]);
    words_clear(&places->owned);
    words_clear(&places->names);
}

int places_open(struct app *app, const char *place, sbx_session **session, sbx_error *err)
{
    AUTO_PLACES places = {0};
    int rc = places_add(&places, app, place, err);

    if (rc == SBX_OK && places.names.count != 1)
        rc = fault(err, SBX_ERR_INVALID, "'%s': %zu places are named, and one is needed",
                   place, places.names.count);
    if (rc == SBX_OK && app->pool == NULL)
        rc = app_open_pool(app, err);
    if (rc == SBX_OK)
        rc =
            sbx_pool_acquire(app->pool, places.names.items[0], app->cancel, session, err);
    return rc;
}

int places_prepare(struct places *places, struct app *app, const struct words *words,
                   bool all, bool local, sbx_error *err)
{
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < words->count && rc == SBX_OK; i++)
        rc = places_add(places, app, words->items[i], err);
    if (rc == SBX_OK && all)
        rc = places_add_all(places, app, local, err);
    return rc == SBX_OK ? app_open_pool(app, err) : rc;
}
