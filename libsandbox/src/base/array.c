#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 4 /* many are short, and there are many: the runs of 10000 jobs */

int sbi_array_reserve(void *items, size_t item_size, size_t count, size_t *capacity,
                      sbx_error *err)
{
    size_t grown = *capacity < FIRST ? FIRST : *capacity + *capacity / 2;
    void *old, *moved;

    if (count <= *capacity)
        return SBX_OK;
    if (grown < count)
        grown = count;
    memcpy(&old, items, sizeof(old));
    moved = grown > SIZE_MAX / item_size ? NULL : realloc(old, grown * item_size);
    if (moved == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "no memory for %zu entries", count);
    memcpy(items, &moved, sizeof(moved));
    *capacity = grown;
    return SBX_OK;
}
