/* nearest.c - Damerau-Levenshtein distance (neighbours swap once) over short words. */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 64

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool swapped(const char *a, const char *b, size_t i, size_t j)
{
    return i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
           folded(a[i - 2]) == folded(b[j - 1]);
}

/* Both at most LONGEST letters. Row i holds the distances of a's first i letters. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST + 1];
    size_t length = strlen(a), width = strlen(b), i, j;
    unsigned *row, *above, *before;

    for (j = 0; j <= width; j++)
        rows[0][j] = (unsigned)j;
    for (i = 1; i <= length; i++) {
        row = rows[i % 3];
        above = rows[(i - 1) % 3];
        before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (j = 1; j <= width; j++) {
            row[j] = above[j - 1] + (folded(a[i - 1]) != folded(b[j - 1]));
            row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
            if (swapped(a, b, i, j))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[length % 3][width];
}

void sbi_nearest_offer(struct sbi_nearest *nearest, const char *candidate)
{
    size_t length = strlen(nearest->word);
    unsigned most = length < 3 ? 1 : least((unsigned)(length / 3), 3), far;

    if (length == 0 || length > LONGEST || strlen(candidate) > LONGEST)
        return;
    far = distance(nearest->word, candidate);
    if (far > most || (nearest->best != NULL && far >= nearest->distance))
        return;
    nearest->best = candidate;
    nearest->distance = far;
}
