/* output_keep.c - keeps the head and the tail of what goes by. */
#include "session/output_keep.h"

#include "base/cleanup.h"

#include <string.h>

#define CONTEXT 3 /* bytes of a UTF-8 character behind its first */
#define FIRST_CAPACITY 1024
#define NO_LIMIT (SIZE_MAX / 2)

void sbi_keep_init(struct sbi_keep *keep, int64_t limit)
{
    bool all = limit < 0 || (uint64_t)limit > NO_LIMIT;

    *keep = (struct sbi_keep){0};
    keep->tail_limit = all ? NO_LIMIT : (size_t)limit / 2;
    keep->head_limit = all ? NO_LIMIT : (size_t)limit - keep->tail_limit;
}

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Room for `need` bytes, at most `most` ever. */
static bool grow(char **data, size_t *capacity, size_t need, size_t most)
{
    size_t grown = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    char *moved;

    if (need <= *capacity)
        return true;
    grown = smaller(grown < need ? need : grown, most);
    moved = realloc(*data, grown);
    if (moved == NULL)
        return false;
    *data = moved;
    *capacity = grown;
    return true;
}

static bool add_to_head(struct sbi_keep *keep, const char *data, size_t length)
{
    size_t most = keep->head_limit + CONTEXT;

    length = smaller(length, most - keep->head_length);
    if (length == 0)
        return true;
    if (!grow(&keep->head, &keep->head_capacity, keep->head_length + length, most))
        return false;
    memcpy(keep->head + keep->head_length, data, length);
    keep->head_length += length;
    return true;
}

/* The ring turns only once it has its full size; until then it starts at 0. */
static bool add_to_ring(struct sbi_keep *keep, const char *data, size_t length)
{
    size_t most = keep->tail_limit + CONTEXT;
    size_t at, first, over;

    if (length > most) {
        data += length - most;
        length = most;
    }
    if (!grow(&keep->ring, &keep->ring_capacity,
              smaller(keep->ring_length + length, most), most))
        return false;

    at = (keep->ring_start + keep->ring_length) % keep->ring_capacity;
    first = smaller(length, keep->ring_capacity - at);
    memcpy(keep->ring + at, data, first);
    memcpy(keep->ring, data + first, length - first);
    keep->ring_length += length;
    over = keep->ring_length > most ? keep->ring_length - most : 0;
    keep->ring_length -= over;
    keep->ring_start = (keep->ring_start + over) % keep->ring_capacity;
    return true;
}

void sbi_keep_add(struct sbi_keep *keep, const void *data, size_t length)
{
    const char *bytes = data;
    size_t before = 0; /* of these bytes, those that the head shows */
    bool kept;

    if (keep->total < keep->head_limit)
        before = smaller(length, keep->head_limit - (size_t)keep->total);
    keep->total += length;
    if (keep->status != SBX_OK || length == 0)
        return;

    kept = add_to_head(keep, bytes, length);
    if (kept && length > before)
        kept = add_to_ring(keep, bytes + before, length - before);
    if (!kept)
        keep->status = SBX_ERR_NO_MEMORY;
}

bool sbi_keep_is_whole(const struct sbi_keep *keep)
{
    return keep->total <= keep->head_limit + keep->tail_limit;
}

/* What the ring holds from its byte `from` on, as the two parts it may lie in. */
static void ring_parts(const struct sbi_keep *keep, size_t from,
                       struct sbi_keep_piece out[2])
{
    size_t length = keep->ring_length - from;
    size_t at, first;

    out[0] = out[1] = (struct sbi_keep_piece){"", 0};
    if (length == 0)
        return;
    at = (keep->ring_start + from) % keep->ring_capacity;
    first = smaller(length, keep->ring_capacity - at);
    out[0] = (struct sbi_keep_piece){keep->ring + at, first};
    out[1] = (struct sbi_keep_piece){keep->ring, length - first};
}

static size_t shown_head(const struct sbi_keep *keep)
{
    return smaller(keep->head_length, keep->head_limit);
}

void sbi_keep_pieces(const struct sbi_keep *keep, struct sbi_keep_piece out[3])
{
    out[0] =
        (struct sbi_keep_piece){keep->head == NULL ? "" : keep->head, shown_head(keep)};
    ring_parts(keep, 0, out + 1);
}

/* The byte at a place of the stream; -1 where it is not kept. */
static int byte_at(const struct sbi_keep *keep, uint64_t place)
{
    uint64_t ring_place = keep->total - keep->ring_length;

    if (place < keep->head_length)
        return (unsigned char)keep->head[place];
    if (place < ring_place || place >= keep->total)
        return -1;
    return (unsigned char)keep
        ->ring[(keep->ring_start + (size_t)(place - ring_place)) % keep->ring_capacity];
}

static unsigned size_by_first(int byte)
{
    if (byte >= 0xC2 && byte <= 0xDF)
        return 2;
    if (byte >= 0xE0 && byte <= 0xEF)
        return 3;
    return byte >= 0xF0 && byte <= 0xF4 ? 4 : 1;
}

static bool is_continued(const struct sbi_keep *keep, uint64_t place)
{
    int byte = byte_at(keep, place);

    return byte >= 0x80 && byte <= 0xBF;
}

/* Of the character that a cut before `place` would split: where it starts, its size. */
static bool splits(const struct sbi_keep *keep, uint64_t place, uint64_t *start,
                   unsigned *size)
{
    uint64_t first = place, next;

    do {
        if (first == 0 || place - first == CONTEXT)
            return false;
        first--;
    } while (is_continued(keep, first));

    *size = size_by_first(byte_at(keep, first));
    if (first + *size <= place)
        return false;
    for (next = first + 1; next < first + *size; next++)
        if (!is_continued(keep, next))
            return false;
    *start = first;
    return true;
}

/* Where the head ends and the tail starts, moved apart to whole characters. */
static void cuts(const struct sbi_keep *keep, uint64_t *head_end, uint64_t *tail_start)
{
    uint64_t start = 0;
    unsigned size = 0;

    *head_end = keep->head_limit;
    *tail_start = keep->total - keep->tail_limit;
    if (splits(keep, *head_end, &start, &size))
        *head_end = start;
    if (splits(keep, *tail_start, &start, &size))
        *tail_start = start + size;
}

uint64_t sbi_keep_left_out(const struct sbi_keep *keep)
{
    uint64_t head_end, tail_start;

    if (sbi_keep_is_whole(keep))
        return 0;
    cuts(keep, &head_end, &tail_start);
    return tail_start - head_end;
}

int sbi_keep_text(const struct sbi_keep *keep, const char *between, char **out,
                  size_t *length, sbx_error *err)
{
    struct sbi_keep_piece pieces[4] = {{keep->head, shown_head(keep)}, {"", 0}};
    uint64_t head_end, tail_start, ring_place = keep->total - keep->ring_length;
    size_t i, size = 0;
    char *text;

    if (sbi_keep_is_whole(keep)) {
        ring_parts(keep, 0, pieces + 2);
    } else if (keep->status == SBX_OK) {
        cuts(keep, &head_end, &tail_start);
        pieces[0].length = (size_t)head_end;
        pieces[1] = (struct sbi_keep_piece){between, strlen(between)};
        ring_parts(keep, (size_t)(tail_start - ring_place), pieces + 2);
    }
    for (i = 0; i < 4; i++)
        size += pieces[i].length;
    text = keep->status == SBX_OK ? malloc(size + 1) : NULL;
    if (text == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "keep output: out of memory");

    *length = size;
    *out = text;
    for (i = 0; i < 4; i++) {
        if (pieces[i].length > 0)
            memcpy(text, pieces[i].data, pieces[i].length);
        text += pieces[i].length;
    }
    *text = '\0';
    return SBX_OK;
}

void sbi_keep_clear(struct sbi_keep *keep)
{
    free(keep->head);
    free(keep->ring);
    *keep = (struct sbi_keep){0};
}
