/* file_list.c - the entries of a folder: told as they come, or collected and sorted. */
#include <sandbox/file.h>

#include "base/opts.h"
#include "session/file_call.h"
#include "session/file_glob.h"
#include "session/file_info.h"
#include "session/file_record.h"
#include "session/file_script.h"

#include <string.h>

#define DEFAULT_LIMIT 10000

/* The result as we own it; the public part comes first. */
struct listing {
    sbx_file_listing public;
    char *path;
    char *complaints;
    sbx_file_info **items;
    size_t room;
};

/* A listing that is being made. */
struct lister {
    const sbx_file_list_opts *opts;
    struct listing *listing;
    struct sbi_file_records records;
    int rc;
    sbx_error *err;
};

static void listing_clear(struct listing **listing)
{
    sbx_file_listing_free((sbx_file_listing *)*listing);
}

static void lister_clear(struct lister *lister)
{
    sbi_file_records_clear(&lister->records);
}

static int keep(struct listing *listing, const sbx_file_info *info, sbx_error *err)
{
    size_t room = listing->room == 0 ? 64 : listing->room * 2;
    sbx_file_info **grown;

    if (listing->public.count == listing->room) {
        grown = reallocarray(listing->items, room, sizeof(grown[0]));
        if (grown == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
        listing->items = grown;
        listing->room = room;
    }
    return sbi_file_info_copy(info, NULL, &listing->items[listing->public.count], err);
}

/* Non-zero ends the listing: at the limit, by the caller, or by a failure of ours. */
static int take(const sbx_file_info *info, void *userdata)
{
    struct lister *lister = userdata;
    sbx_file_listing *public = &lister->listing->public;
    int64_t limit = lister->opts->limit;
    int stop = 0;

    if (lister->opts->glob != NULL && !sbi_file_glob(lister->opts->glob, info->path))
        return 0;
    if (limit >= 0 && public->count >= (uint64_t)limit) {
        public->truncated = 1;
        return 1;
    }
    if (lister->opts->on_info != NULL)
        stop = lister->opts->on_info(info, lister->opts->userdata);
    else
        lister->rc = keep(lister->listing, info, lister->err);
    public->count += lister->rc == SBX_OK;
    return stop != 0 || lister->rc < 0;
}

static int take_bytes(const char *data, size_t length, void *userdata)
{
    struct lister *lister = userdata;
    int rc = sbi_file_records_add(&lister->records, data, length, lister->err);

    if (rc < 0)
        lister->rc = rc;
    return lister->rc < 0 || lister->records.ended;
}

static int read_opts(const sbx_file_list_opts *theirs, sbx_file_list_opts *opts,
                     sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc < 0)
        return rc;
    if (opts->glob != NULL && opts->glob[0] == '\0')
        return sbi_fail(err, SBX_ERR_INVALID, "list: the pattern is empty");
    if (opts->limit == 0)
        opts->limit = opts->on_info == NULL ? DEFAULT_LIMIT : -1;
    return SBX_OK;
}

static int new_listing(const char *path, struct listing **out, sbx_error *err)
{
    struct listing *listing = calloc(1, sizeof(*listing));

    if (listing != NULL)
        listing->path = strdup(path);
    if (listing == NULL || listing->path == NULL) {
        free(listing);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "list '%s': out of memory", path);
    }
    listing->public.path = listing->path;
    *out = listing;
    return SBX_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const sbx_file_info *const *)a)->path,
                  (*(const sbx_file_info *const *)b)->path);
}

static int finish(struct lister *lister, struct sbi_file_answer *answer, sbx_error *err)
{
    struct listing *listing = lister->listing;
    sbx_file_listing *public = &listing->public;
    int rc = SBX_OK;

    if (!answer->ended)
        rc = sbi_file_records_end(&lister->records, err);
    if (rc == SBX_OK)
        rc = sbi_str_take(&answer->complaints, &listing->complaints, err);
    if (rc < 0)
        return rc;
    public->complaints = listing->complaints;
    public->incomplete = !answer->ended && answer->exit_code != 0;
    public->items = (const sbx_file_info *const *)listing->items;
    if (listing->items != NULL)
        qsort(listing->items, public->count, sizeof(listing->items[0]), by_name);
    return SBX_OK;
}

/* A pattern that find(1) reads as we do is for it, so that less is sent. */
static const char *far_pattern(const char *glob)
{
    return glob != NULL && sbi_file_glob_is_plain(glob) ? glob : "";
}

static int list(sbx_session *session, const char *path, const sbx_file_list_opts *opts,
                struct lister *lister, sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {0};
    struct sbi_file_call what = {
        .action = "list",
        .path = path,
        .script = sbi_file_script_list,
        .words = {sbi_file_flag(opts->flags, SBX_FILE_RECURSIVE), far_pattern(opts->glob),
                  sbi_file_script_emit},
        .input = {.timeout_ms = opts->timeout_ms, .cancel = opts->cancel},
        .on_output = take_bytes,
        .userdata = lister};
    int rc;

    rc = sbi_file_call(session, &what, &answer, err);
    if (rc < 0)
        return rc;
    rc = lister->rc;
    if (rc == SBX_OK)
        rc = finish(lister, &answer, err);
    return rc < 0 ? sbi_wrap(err, rc, "list '%s:%s'", sbx_session_place(session), path)
                  : rc;
}

int sbx_file_list(sbx_session *session, const char *path,
                  const sbx_file_list_opts *theirs, sbx_file_listing **out,
                  sbx_error *err)
{
    SBI_CLEANUP(listing_clear) struct listing *listing = NULL;
    SBI_CLEANUP(lister_clear) struct lister lister = {.rc = SBX_OK, .err = err};
    sbx_file_list_opts opts;
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = sbi_file_check(session, "list", path, opts.flags, SBX_FILE_RECURSIVE, err);
    if (rc == SBX_OK)
        rc = new_listing(path, &listing, err);
    if (rc < 0)
        return rc;
    lister.opts = &opts;
    lister.listing = listing;
    lister.records.on_info = take;
    lister.records.userdata = &lister;
    rc = list(session, path, &opts, &lister, err);
    if (rc < 0)
        return rc;
    *out = &SBI_STEAL(listing)->public;
    return SBX_OK;
}

char *sbx_file_listing_json(const sbx_file_listing *listing)
{
    static const char *const keys[] = {"path", NULL};
    SBI_AUTO_JSON object = cJSON_CreateObject();
    cJSON *entries;
    size_t i;

    sbi_file_add_names(object, keys, &listing->path);
    (void)cJSON_AddNumberToObject(object, "count", (double)listing->count);
    (void)cJSON_AddBoolToObject(object, "truncated", listing->truncated != 0);
    (void)cJSON_AddBoolToObject(object, "incomplete", listing->incomplete != 0);
    sbi_json_add_text(object, "complaints", listing->complaints);
    entries = cJSON_AddArrayToObject(object, "entries");
    for (i = 0; listing->items != NULL && i < listing->count; i++)
        (void)cJSON_AddItemToArray(entries, sbi_file_info_object(listing->items[i]));
    return sbi_json_print(object);
}

void sbx_file_listing_free(sbx_file_listing *public)
{
    struct listing *listing = (struct listing *)public;
    size_t i;

    if (listing == NULL)
        return;
    for (i = 0; listing->items != NULL && i < listing->public.count; i++)
        sbx_file_info_free(listing->items[i]);
    free(listing->items);
    free(listing->path);
    free(listing->complaints);
    free(listing);
}
