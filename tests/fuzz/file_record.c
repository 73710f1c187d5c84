/* file_record.c - any bytes as a listing, in one piece and in two; and as a pattern. */
#include "session/file_record.h"
#include "session/file_glob.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    size_t count;
    size_t bytes;
};

static int note(const sbx_file_info *info, void *userdata)
{
    struct seen *seen = userdata;

    seen->count++;
    seen->bytes += strlen(info->path);
    seen->bytes += info->target == NULL ? 0 : strlen(info->target);
    if (info->mode > 07777 || info->size < 0 || info->kind < SBX_FILE_REGULAR ||
        info->kind > SBX_FILE_OTHER)
        abort();
    return 0;
}

static int read_in(const char *data, size_t size, size_t cut, struct seen *seen)
{
    struct sbi_file_records records = {.on_info = note, .userdata = seen};
    int rc;

    rc = sbi_file_records_add(&records, data, cut, NULL);
    if (rc == SBX_OK)
        rc = sbi_file_records_add(&records, data + cut, size - cut, NULL);
    if (rc == SBX_OK)
        rc = sbi_file_records_end(&records, NULL);
    sbi_file_records_clear(&records);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct seen whole = {0, 0}, halves = {0, 0};
    SBI_AUTO_STR copy = {0};
    int rc = read_in(text, size, size, &whole);

    if (read_in(text, size, size / 2, &halves) != rc || whole.count != halves.count ||
        whole.bytes != halves.bytes || whole.bytes > size)
        abort();
    sbi_str_add_bytes(&copy, data, size);
    if (copy.data != NULL && size < 4096) {
        (void)sbi_file_glob(copy.data, "a/b/.c d/\377/a.b");
        (void)sbi_file_glob("**/a*[!b]?", copy.data);
    }
    return 0;
}
