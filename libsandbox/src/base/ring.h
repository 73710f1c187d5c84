/*
 * ring.h - bytes on their way from one thread to another, up to a limit.
 *
 * The room grows from nothing to the limit by need and stays. No lock inside:
 * the owner has one.
 */
#ifndef SANDBOX_BASE_RING_H
#define SANDBOX_BASE_RING_H

#include <stdbool.h>
#include <stddef.h>

struct sbi_ring {
    char *data;
    size_t capacity;
    size_t limit;
    size_t start;
    size_t length;
};

/* How many bytes were taken: less than length where the limit is near. */
size_t sbi_ring_put(struct sbi_ring *ring, const void *data, size_t length);

/* How many bytes were handed out. */
size_t sbi_ring_get(struct sbi_ring *ring, void *data, size_t room);

/* Free bytes in one piece, for writing in place; 0 where the ring is full. */
size_t sbi_ring_room(struct sbi_ring *ring, char **at);
void sbi_ring_filled(struct sbi_ring *ring, size_t count);

/* Held bytes in one piece, for reading in place; 0, and no place, where it is empty. */
size_t sbi_ring_peek(const struct sbi_ring *ring, const char **at);
void sbi_ring_drop(struct sbi_ring *ring, size_t count);

/* Frees the room; the limit stays. */
void sbi_ring_clear(struct sbi_ring *ring);

#endif
