/* known_hosts.c - any bytes as a known_hosts file: read, matched, keys taken out. */
#include "base/cleanup.h"
#include "transport/known_hosts_line.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct sbi_known_line *line, const char *host, int port)
{
    SBI_CLEANUP(sbi_known_name_clear) struct sbi_known_name name = {0};
    SBI_AUTOFREE unsigned char *key = NULL;
    size_t length = 0;
    bool covers = false;

    if (sbi_known_name_set(&name, host, port, NULL) == SBX_OK)
        (void)sbi_known_line_covers(line, &name, &covers, NULL);
    if (sbi_known_line_key(line, &key, &length, NULL) == SBX_OK &&
        !sbi_key_is_of_type(key, length, line->type, line->type_length))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sbi_known_line line = {0};
    int64_t last = 0;
    size_t offset = 0;

    while (sbi_known_line_next((const char *)data, size, &offset, &line)) {
        if (offset > size || line.number <= last || line.names_length == 0)
            abort();
        last = line.number;
        look_at(&line, "host.example", 22);
        look_at(&line, "::1", 2222);
    }
    return 0;
}
