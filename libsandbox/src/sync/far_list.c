/* far_list.c - starts the listing, reads its head, and feeds the rest to the records. */
#include "sync/far_list.h"

#include "base/digest.h"
#include "sync/far_script.h"

#include <stdio.h>
#include <string.h>

#define HEAD_LIMIT (24 * 1024)
#define PIECE (64 * 1024) /* more than a head and a stop */

enum field {
    FIELD_SIGN,
    FIELD_STATE,
    FIELD_FIND,
    FIELD_TAR,
    FIELD_PACK,
    FIELD_CP,
    FIELD_SAME,
    FIELD_FOLDER,
    FIELD_NAME,
    FIELD_HOME,
    FIELD_PARTS,
    FIELDS
};

struct word {
    const char *word;
    int value;
};

/* Twice the mark with a NUL between: what no listing holds. */
#define STOP_ROOM 48

struct sbi_far_reading {
    struct sbi_far *far;
    char stop[STOP_ROOM]; /* what follows the listing, if more comes behind it */
    size_t stop_length;   /* 0: it goes on to the end */
    size_t piece_length;  /* of piece, what has come */
    size_t given;         /* of that, what was handed out */
    bool stopped;
    const char *fields[FIELDS];
    size_t head_length; /* of what came, the fields first */
    size_t taken;       /* of that */
    char head[HEAD_LIMIT];
    char piece[PIECE];
};

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

int sbi_far_list_start(sbx_session *session, const struct sbi_far_list_opts *opts,
                       struct sbi_far_listing *listing, sbx_error *err)
{
    const char *const args[] = {opts->path,
                                or_empty(opts->name),
                                opts->packed ? "zstd gzip" : "",
                                or_empty(opts->hash),
                                or_empty(opts->facts),
                                opts->ids ? "1" : "0",
                                opts->follow ? "1" : "0",
                                listing->mark,
                                or_empty(opts->folder),
                                or_empty(opts->home),
                                opts->parts ? "1" : "0",
                                opts->plain || !opts->packed ? "1" : "0",
                                NULL};
    const struct sbi_far_opts far_opts = {
        .script = opts->pushes ? sbi_far_list_push_script : sbi_far_list_script,
        .args = args,
        .reads = true,
        .feeds = opts->pushes,
        .cancel = opts->cancel};
    int rc;

    listing->mark[0] = '@';
    rc = sbi_random_hex(listing->mark + 1, 8, err);
    if (rc < 0)
        return rc;
    listing->mark[17] = '@';
    listing->mark[18] = '\0';
    listing->opts = *opts;
    return sbi_far_start(session, &far_opts, &listing->far, err);
}

static int no_answer(sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_REMOTE, "the answer from over there makes no sense");
}

/* Where the fields begin in what came so far; their number. */
static size_t find_fields(struct sbi_far_reading *reading)
{
    const char *at = reading->head, *end = at + reading->head_length, *nul;
    size_t count = 0;

    while (count < FIELDS && (nul = memchr(at, '\0', (size_t)(end - at))) != NULL) {
        reading->fields[count++] = at;
        at = nul + 1;
    }
    reading->taken = (size_t)(at - reading->head);
    return count;
}

static int read_head(struct sbi_far_reading *reading, sbx_error *err)
{
    ssize_t got;

    while (find_fields(reading) < FIELDS) {
        if (reading->head_length == HEAD_LIMIT)
            return no_answer(err);
        got = sbi_far_get(reading->far, reading->head + reading->head_length,
                          HEAD_LIMIT - reading->head_length, err);
        if (got <= 0)
            return got == 0 ? no_answer(err) : (int)got;
        reading->head_length += (size_t)got;
    }
    return strcmp(reading->fields[FIELD_SIGN], "sbx1") == 0 ? SBX_OK : no_answer(err);
}

static int value_of(const struct word *words, const char *word)
{
    for (; words->word != NULL; words++)
        if (strcmp(words->word, word) == 0)
            return words->value;
    return 0;
}

static int copy(const char *text, char **out, sbx_error *err)
{
    *out = strdup(text);
    return *out != NULL ? SBX_OK : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

static int copy_facts(const struct sbi_far_reading *reading, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = 256};

    sbi_str_addf(&text, "%s %s %s %s", reading->fields[FIELD_FIND],
                 reading->fields[FIELD_TAR], reading->fields[FIELD_PACK],
                 reading->fields[FIELD_CP]);
    return sbi_str_take(&text, out, err);
}

static const struct word forms[] = {
    {"gnu", SBI_FORM_GNU}, {"stat", SBI_FORM_STAT}, {"bsd", SBI_FORM_BSD}, {NULL, 0}};
static const struct word tars[] = {
    {"gnu", SBI_TAR_GNU}, {"bsd", SBI_TAR_BSD}, {"small", SBI_TAR_SMALL}, {NULL, 0}};
static const struct word packs[] = {
    {"zstd", SBI_PACK_ZSTD}, {"gzip", SBI_PACK_GZIP}, {NULL, 0}};

static void take_tools(const char *const words[4], struct sbi_far_list *list)
{
    list->form = value_of(forms, words[0]);
    list->exact = list->form == SBI_FORM_GNU;
    list->tar = value_of(tars, words[1]);
    list->pack = value_of(packs, words[2]);
    list->linked = strcmp(words[3], "linked") == 0;
    list->links = list->linked || strcmp(words[3], "links") == 0;
}

void sbi_far_list_take_facts(const char *facts, struct sbi_far_list *list)
{
    const char *words[4];
    char text[256];
    char *rest = text;
    size_t i;

    (void)snprintf(text, sizeof(text), "%s", facts);
    for (i = 0; i < 4; i++)
        words[i] = or_empty(strsep(&rest, " "));
    take_tools(words, list);
}

static int take_head(const struct sbi_far_reading *reading, struct sbi_far_list *list,
                     sbx_error *err)
{
    static const struct word states[] = {{"folder", SBI_FAR_FOLDER},
                                         {"file", SBI_FAR_FILE},
                                         {"missing", SBI_FAR_MISSING},
                                         {"denied", SBI_FAR_DENIED},
                                         {"other", SBI_FAR_OTHER},
                                         {"nohome", SBI_FAR_NO_HOME},
                                         {NULL, 0}};
    const char *const *fields = reading->fields;
    int rc;

    list->state = value_of(states, fields[FIELD_STATE]);
    take_tools(&fields[FIELD_FIND], list);
    list->same = strcmp(fields[FIELD_SAME], "1") == 0;
    rc = list->state == 0 ? no_answer(err)
                          : copy(fields[FIELD_FOLDER], &list->folder, err);
    if (rc == SBX_OK)
        rc = copy(fields[FIELD_NAME], &list->name, err);
    if (rc == SBX_OK)
        rc = copy(fields[FIELD_HOME], &list->home, err);
    if (rc == SBX_OK)
        rc = copy(fields[FIELD_PARTS], &list->parts, err);
    return rc == SBX_OK ? copy_facts(reading, &list->facts, err) : rc;
}

/* Moves to the front of piece what was kept of it, and reads on behind that. */
static ssize_t fill_piece(struct sbi_far_reading *reading, sbx_error *err)
{
    size_t left = reading->head_length - reading->taken;
    ssize_t got;

    if (left > 0) {
        memcpy(reading->piece + reading->piece_length, reading->head + reading->taken,
               left);
        reading->taken = reading->head_length;
        got = (ssize_t)left;
    } else {
        got = sbi_far_get(reading->far, reading->piece + reading->piece_length,
                          PIECE - reading->piece_length, err);
    }
    if (got > 0)
        reading->piece_length += (size_t)got;
    return got;
}

/* Bytes of the listing, without what may belong to the stop, until that has come. */
static ssize_t get(const void **data, void *userdata, sbx_error *err)
{
    struct sbi_far_reading *reading = userdata;
    size_t kept = reading->stop_length == 0 ? 0 : reading->stop_length - 1, given;
    const char *stop = NULL;
    ssize_t got = 1;

    memmove(reading->piece, reading->piece + reading->given,
            reading->piece_length - reading->given);
    reading->piece_length -= reading->given;
    reading->given = 0;
    while (!reading->stopped && got > 0 && reading->piece_length <= kept) {
        got = fill_piece(reading, err);
        if (got > 0 && kept > 0)
            stop = memmem(reading->piece, reading->piece_length, reading->stop,
                          reading->stop_length);
        reading->stopped = stop != NULL;
    }
    if (got < 0)
        return got;
    given = reading->piece_length;
    if (stop != NULL)
        given = (size_t)(stop - reading->piece);
    else if (reading->stopped)
        given = 0;
    else if (got > 0)
        given -= kept;
    reading->given = given;
    *data = reading->piece;
    return (ssize_t)given;
}

static void reader_clear(struct sbi_archive_reader **reader)
{
    sbi_archive_reader_free(*reader);
}

static void records_clear(struct sbi_far_records *records)
{
    sbi_str_clear(&records->partial);
}

static int feed_all(struct sbi_archive_reader *reader, struct sbi_far_records *records,
                    sbx_error *err)
{
    SBI_AUTOFREE char *piece = malloc(PIECE);
    ssize_t got = 1;
    int rc = SBX_OK;

    if (piece == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    while (rc == SBX_OK && got > 0) {
        got = sbi_archive_read(reader, piece, PIECE, err);
        rc = got < 0 ? (int)got : sbi_far_records_feed(records, piece, (size_t)got, err);
    }
    return rc == SBX_OK ? sbi_far_records_end(records, err) : rc;
}

static int read_records(struct sbi_far_reading *reading, const char *mark,
                        struct sbi_far_list *list, sbx_error *err)
{
    SBI_CLEANUP(reader_clear) struct sbi_archive_reader *reader = NULL;
    SBI_AUTO_MANIFEST_READER manifest = {.tree = &list->tree};
    SBI_CLEANUP(records_clear)
    struct sbi_far_records records = {
        .form = list->form, .mark = mark, .name = list->name, .manifest = &manifest};
    struct sbi_archive_reader_opts opts = {.raw = true, .get = get, .userdata = reading};
    struct sbi_archive_item item;
    int rc;

    rc = sbi_archive_reader_new(&opts, &reader, err);
    if (rc == SBX_OK)
        rc = sbi_archive_next(reader, &item, err);
    if (rc > 0)
        rc = feed_all(reader, &records, err);
    return rc == SBX_OK ? sbi_manifest_finish(&manifest, err) : rc;
}

static int finish(struct sbi_far *far, struct sbi_far_list *list, sbx_error *err)
{
    struct sbi_far_end end;
    int rc = sbi_far_finish(far, &end, err);

    if (rc < 0)
        return rc;
    sbi_far_bytes(far, &list->up, &list->down);
    return copy(end.errors, &list->errors, err);
}

/* Why the stream ended early is known to the run alone. */
static int why(struct sbi_far *far, int rc, sbx_error *err)
{
    struct sbi_far_end end;
    sbx_error cause = {0};
    int ended;

    if (rc == SBX_ERR_CANCELLED || rc == SBX_ERR_NO_MEMORY || rc == SBX_ERR_LIMIT)
        return rc;
    ended = sbi_far_finish(far, &end, &cause);
    if (ended == SBX_OK || ended == SBX_ERR_CANCELLED)
        return rc;
    if (err != NULL)
        *err = cause;
    return ended;
}

static void set_stop(struct sbi_far_reading *reading, const char *mark)
{
    size_t length = strlen(mark);

    memcpy(reading->stop, mark, length + 1);
    memcpy(reading->stop + length + 1, mark, length);
    reading->stop_length = 2 * length + 1;
}

int sbi_far_list_head(struct sbi_far_listing *listing, sbx_error *err)
{
    int rc;

    if (listing->reading != NULL)
        return SBX_OK;
    listing->reading = calloc(1, sizeof(*listing->reading));
    if (listing->reading == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    listing->reading->far = listing->far;
    if (listing->opts.pushes)
        set_stop(listing->reading, listing->mark);
    rc = read_head(listing->reading, err);
    if (rc == SBX_OK)
        rc = take_head(listing->reading, &listing->list, err);
    return rc == SBX_OK ? rc : why(listing->far, rc, err);
}

int sbi_far_list_read(struct sbi_far_listing *listing, struct sbi_far_list *out,
                      sbx_error *err)
{
    struct sbi_far_list *list = &listing->list;
    int rc = sbi_far_list_head(listing, err);

    if (rc < 0)
        return rc;
    if (!list->same && list->form != 0 &&
        (list->state == SBI_FAR_FOLDER || list->state == SBI_FAR_FILE))
        rc = read_records(listing->reading, listing->mark, list, err);
    if (rc < 0)
        rc = why(listing->far, rc, err);
    else if (listing->opts.pushes)
        rc = copy("", &list->errors, err);
    else
        rc = finish(listing->far, list, err);
    if (rc < 0)
        return rc;
    *out = *list;
    *list = (struct sbi_far_list){0};
    return SBX_OK;
}

int sbi_far_list_rest(struct sbi_far_listing *listing, struct sbi_str *out,
                      sbx_error *err)
{
    const struct sbi_far_reading *reading = listing->reading;

    sbi_str_add_bytes(out, reading->piece + reading->given,
                      reading->piece_length - reading->given);
    sbi_str_add_bytes(out, reading->head + reading->taken,
                      reading->head_length - reading->taken);
    return sbi_far_get_rest(listing->far, out, err);
}

int sbi_far_list_leave(struct sbi_far_listing *listing, struct sbi_far_list *list,
                       sbx_error *err)
{
    int rc;

    sbi_far_end_input(listing->far);
    free(SBI_STEAL(list->errors));
    rc = finish(listing->far, list, err);
    sbi_far_clear(&listing->far);
    return rc;
}

int sbi_far_list(sbx_session *session, const struct sbi_far_list_opts *opts,
                 struct sbi_far_list *out, sbx_error *err)
{
    SBI_AUTO_FAR_LISTING listing = {0};
    int rc = sbi_far_list_start(session, opts, &listing, err);

    return rc == SBX_OK ? sbi_far_list_read(&listing, out, err) : rc;
}

void sbi_far_listing_clear(struct sbi_far_listing *listing)
{
    sbi_far_clear(&listing->far);
    free(SBI_STEAL(listing->reading));
    sbi_far_list_clear(&listing->list);
}

void sbi_far_list_clear(struct sbi_far_list *list)
{
    free(list->facts);
    free(list->folder);
    free(list->name);
    free(list->home);
    free(list->errors);
    free(list->parts);
    sbi_tree_clear(&list->tree);
    *list = (struct sbi_far_list){0};
}
