#include "base/ring.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY (16 * 1024)

static void grow(struct sbi_ring *ring)
{
    size_t grown = ring->capacity == 0 ? FIRST_CAPACITY : ring->capacity * 4;
    size_t piece = ring->capacity - ring->start;
    char *data;

    if (grown > ring->limit)
        grown = ring->limit;
    if (grown <= ring->capacity)
        return;
    data = malloc(grown);
    if (data == NULL)
        return; /* a smaller ring is a slower one, no less right */

    if (piece > ring->length)
        piece = ring->length;
    if (ring->length > 0) {
        memcpy(data, ring->data + ring->start, piece);
        memcpy(data + piece, ring->data, ring->length - piece);
    }
    free(ring->data);
    ring->data = data;
    ring->capacity = grown;
    ring->start = 0;
}

size_t sbi_ring_room(struct sbi_ring *ring, char **at)
{
    size_t end;

    if (ring->length == ring->capacity)
        grow(ring);
    if (ring->length == ring->capacity)
        return 0;
    if (ring->length == 0)
        ring->start = 0;
    end = ring->start + ring->length;
    if (end >= ring->capacity) {
        end -= ring->capacity;
        *at = ring->data + end;
        return ring->start - end;
    }
    *at = ring->data + end;
    return ring->capacity - end;
}

void sbi_ring_filled(struct sbi_ring *ring, size_t count)
{
    ring->length += count;
}

size_t sbi_ring_peek(const struct sbi_ring *ring, const char **at)
{
    size_t piece = ring->capacity - ring->start;

    if (ring->length == 0)
        return 0;
    *at = ring->data + ring->start;
    return piece < ring->length ? piece : ring->length;
}

void sbi_ring_drop(struct sbi_ring *ring, size_t count)
{
    ring->start += count;
    ring->length -= count;
    if (ring->start >= ring->capacity)
        ring->start -= ring->capacity;
}

size_t sbi_ring_put(struct sbi_ring *ring, const void *data, size_t length)
{
    size_t taken = 0, piece;
    char *at;

    while (taken < length && (piece = sbi_ring_room(ring, &at)) > 0) {
        if (piece > length - taken)
            piece = length - taken;
        memcpy(at, (const char *)data + taken, piece);
        sbi_ring_filled(ring, piece);
        taken += piece;
    }
    return taken;
}

size_t sbi_ring_get(struct sbi_ring *ring, void *data, size_t room)
{
    size_t given = 0, piece;
    const char *at;

    while (given < room && (piece = sbi_ring_peek(ring, &at)) > 0) {
        if (piece > room - given)
            piece = room - given;
        memcpy((char *)data + given, at, piece);
        sbi_ring_drop(ring, piece);
        given += piece;
    }
    return given;
}

void sbi_ring_clear(struct sbi_ring *ring)
{
    free(ring->data);
    *ring = (struct sbi_ring){.limit = ring->limit};
}
