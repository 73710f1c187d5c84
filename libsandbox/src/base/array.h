/* array.h - room for one more: arrays that grow by half. */
#ifndef SANDBOX_BASE_ARRAY_H
#define SANDBOX_BASE_ARRAY_H

#include "base/error.h"

/*
 * Makes an array hold at least count items, each of item_size bytes. items: the address
 * of the pointer to it, whatever its type.
 */
int sbi_array_reserve(void *items, size_t item_size, size_t count, size_t *capacity,
                      sbx_error *err);

#endif
