/* nearest.h - the known word that a mistyped one was meant to be. */
#ifndef SANDBOX_BASE_NEAREST_H
#define SANDBOX_BASE_NEAREST_H

/* Set word, leave the rest zero, offer every candidate; `best` is then the answer. */
struct sbi_nearest {
    const char *word;
    const char *best; /* one of those offered; NULL where none is near */
    unsigned distance;
};

/*
 * Near is at most a third of the word's length (and 3) in letters added, dropped,
 * changed or swapped with their neighbour; case does not count. First offered wins.
 */
void sbi_nearest_offer(struct sbi_nearest *nearest, const char *candidate);

#endif
