/* lease_record.c - any bytes as lines of leases: what is read has all its texts. */
#include "probe/lease_record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sbx_lease_list *list = NULL;
    size_t i;

    if (sbi_lease_list_read((const char *)data, size, "x", &list, NULL) != SBX_OK)
        return 0;
    for (i = 0; i < list->count; i++)
        if (strlen(list->items[i].gpu) == 0 || strlen(list->items[i].user) == 0 ||
            strlen(list->items[i].purpose) > size || list->items[i].uid < 0)
            abort();
    sbx_lease_list_free(list);
    return 0;
}
