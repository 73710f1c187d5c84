#include "nearest.h"

#include <string.h>

enum {
    LONGEST = 40, /* longer words are nobody's slip of the finger */
    SHORTEST_BEGINNING = 3
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Edits (put in, leave out, replace, swap neighbours) from a to b: the optimal
 * string alignment distance, three rows of its table at a time.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    size_t i;
    size_t j;

    for (j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];

        row[0] = i;
        for (j = 1; j <= b_length; j++) {
            row[j] = least(least(row[j - 1], above[j]) + 1,
                           above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* The only one that begins so: a word was cut short. */
static const char *begun_with(const struct words *known, const char *word, size_t length)
{
    const char *found = NULL;
    size_t i;

    for (i = 0; i < known->count; i++)
        if (strncmp(known->items[i], word, length) == 0) {
            if (found != NULL)
                return NULL;
            found = known->items[i];
        }
    return found;
}

const char *nearest_word(const struct words *known, const char *word)
{
    size_t length = strlen(word);
    size_t best = length / 3 + 2; /* below it is near enough */
    const char *found = NULL;
    size_t i;

    if (length < 2 || length > LONGEST)
        return NULL;
    for (i = 0; i < known->count; i++) {
        size_t known_length = strlen(known->items[i]);
        size_t edits;

        if (known_length > LONGEST)
            continue;
        edits = distance(word, length, known->items[i], known_length);
        if (edits < best && edits < length) {
            best = edits;
            found = known->items[i];
        }
    }
    return found != NULL || length < SHORTEST_BEGINNING ? found
                                                        : begun_with(known, word, length);
}
