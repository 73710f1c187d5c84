/* sync_record.c - the records of a far listing, in each form and in two pieces. */
#include "sync/far_list.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *data, size_t size, int form)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_MANIFEST_READER manifest = {.tree = &tree};
    struct sbi_far_records records = {
        .form = form, .mark = "@m@", .name = "one", .manifest = &manifest};
    char hash[65];
    int rc = sbi_far_records_feed(&records, data, size / 2, NULL);

    if (rc == SBX_OK)
        rc = sbi_far_records_feed(&records, data + size / 2, size - size / 2, NULL);
    if (rc == SBX_OK)
        rc = sbi_far_records_end(&records, NULL);
    if (rc == SBX_OK && sbi_manifest_finish(&manifest, NULL) == SBX_OK)
        (void)sbi_far_list_hash(&tree, hash, NULL);
    sbi_str_clear(&records.partial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(data, size, SBI_FORM_GNU);
    read_all(data, size, SBI_FORM_STAT);
    read_all(data, size, SBI_FORM_BSD);
    return 0;
}
