/* sync_archive.c - the reader of archives, as bytes of a far side that may be anything.
 */
#include "sync/archive.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define MOST_BYTES                                                                       \
    (1 << 20) /* a small archive may unpack to more than there is time for */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct source {
    const uint8_t *data;
    size_t left;
};

static ssize_t give(const void **data, void *userdata, sbx_error *err)
{
    struct source *source = userdata;
    ssize_t got = (ssize_t)source->left;

    (void)err;
    *data = source->data;
    source->left = 0;
    return got;
}

static void read_all(const uint8_t *data, size_t size, bool raw)
{
    struct source source = {data, size};
    const struct sbi_archive_reader_opts opts = {
        .raw = raw, .get = give, .userdata = &source};
    struct sbi_archive_reader *reader = NULL;
    struct sbi_archive_item item;
    size_t total = 0;
    char piece[4096];
    ssize_t got;

    if (sbi_archive_reader_new(&opts, &reader, NULL) < 0)
        return;
    while (total < MOST_BYTES && sbi_archive_next(reader, &item, NULL) == 1) {
        do {
            got = sbi_archive_read(reader, piece, sizeof(piece), NULL);
            total += got > 0 ? (size_t)got : 64;
        } while (got > 0 && total < MOST_BYTES);
    }
    sbi_archive_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(data, size, false);
    read_all(data, size, true);
    return 0;
}
