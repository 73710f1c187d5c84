/* ssh_config.c - feeds any bytes to the reader of ssh_config, as the user's file. */
#include "transport/ssh_config_reading.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};
    int rc = sbi_ssh_config_resolve_text((const char *)data, size, "web1.example.org",
                                         &options, &err);

    /* What is accepted is whole; what is refused says why and hands out nothing. */
    if (rc == SBX_OK && (options->hostname == NULL || options->user == NULL ||
                         options->port <= 0 || options->user_known_hosts == NULL))
        abort();
    if (rc < 0 && (options != NULL || err.code != rc || err.text[0] == '\0'))
        abort();
    sbi_ssh_options_free(options);
    return 0;
}
