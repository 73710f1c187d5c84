#include "watch/posts.h"

#include <string.h>

static void post_free(struct sbi_post *post)
{
    sbi_watches_clear(&post->place);
    free(post);
}

void sbi_posts_clear(struct sbi_posts *posts)
{
    struct sbi_post *next;

    for (; posts->first != NULL; posts->first = next) {
        next = posts->first->next;
        post_free(posts->first);
    }
}

static bool same(const char *left, const char *right)
{
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

static struct sbi_post *find(const struct sbi_posts *posts, const struct sbi_watch *row)
{
    struct sbi_post *post;

    for (post = posts->first; post != NULL; post = post->next) {
        const struct sbi_watch *place = &post->place.items[0];

        if (same(place->place, row->place) && same(place->ssh_config, row->ssh_config) &&
            same(place->list_file, row->list_file))
            break;
    }
    return post;
}

static int add(struct sbi_posts *posts, const struct sbi_watch *row,
               struct sbi_post **out, sbx_error *err)
{
    struct sbi_post *post = calloc(1, sizeof(*post));
    struct sbi_watch *place = calloc(1, sizeof(*place));

    if (post == NULL || place == NULL) {
        free(post);
        free(place);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "watch a place: out of memory");
    }
    post->place = (struct sbi_watches){.items = place, .count = 1, .room = 1};
    place->place = strdup(row->place);
    place->ssh_config = row->ssh_config == NULL ? NULL : strdup(row->ssh_config);
    place->list_file = row->list_file == NULL ? NULL : strdup(row->list_file);
    if (place->place == NULL || (row->ssh_config != NULL && place->ssh_config == NULL) ||
        (row->list_file != NULL && place->list_file == NULL)) {
        post_free(post);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "watch a place: out of memory");
    }
    post->next = posts->first;
    posts->first = post;
    *out = post;
    return SBX_OK;
}

/* In such a row, `waiting` is how many of its watches name no interval. */
static int64_t interval_of(const struct sbi_watch *row, int64_t usual)
{
    if (row->interval_ms <= 0)
        return usual;
    return row->waiting > 0 && usual < row->interval_ms ? usual : row->interval_ms;
}

static int take(struct sbi_posts *posts, const struct sbi_watch *row, int64_t usual,
                int64_t now, sbx_error *err)
{
    struct sbi_post *post = find(posts, row);
    int64_t interval = interval_of(row, usual);
    int rc = post != NULL ? SBX_OK : add(posts, row, &post, err);

    if (rc < 0)
        return rc;
    if (row->number > post->place.items[0].number)
        post->due = now;
    if (post->due > now + 2 * interval && post->failures == 0)
        post->due = now + interval; /* the interval was made shorter */
    post->place.items[0].number = row->number;
    post->interval_ms = interval;
    post->kept = true;
    return SBX_OK;
}

/* One that somebody looks at stays until that look has ended. */
static void drop_others(struct sbi_posts *posts)
{
    struct sbi_post **at = &posts->first;

    while (*at != NULL) {
        struct sbi_post *post = *at;

        if (post->kept || post->busy) {
            at = &post->next;
            continue;
        }
        *at = post->next;
        post_free(post);
    }
}

int sbi_posts_read(struct sbi_posts *posts, sbx_ledger *ledger, int64_t interval_ms,
                   int64_t now, sbx_error *err)
{
    SBI_AUTO_WATCHES rows = {0};
    struct sbi_post *post;
    size_t i;
    int rc = sbi_watches_places(ledger, &rows, err);

    if (rc < 0)
        return rc;
    for (post = posts->first; post != NULL; post = post->next)
        post->kept = false;
    for (i = 0; i < rows.count && rc == SBX_OK; i++)
        rc = take(posts, &rows.items[i], interval_ms, now, err);
    if (rc == SBX_OK)
        drop_others(posts);
    return rc;
}

struct sbi_post *sbi_posts_due(const struct sbi_posts *posts, int64_t now)
{
    struct sbi_post *post = posts->first;

    while (post != NULL && (post->busy || post->due > now))
        post = post->next;
    return post;
}

int64_t sbi_posts_next(const struct sbi_posts *posts)
{
    const struct sbi_post *post;
    int64_t next = INT64_MAX;

    for (post = posts->first; post != NULL; post = post->next)
        if (!post->busy && post->due < next)
            next = post->due;
    return next;
}
