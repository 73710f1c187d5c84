/* ssh_config.c - feeds any bytes to the reader of ssh_config, as the user's file. */
#include "transport/ssh_config_reading.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};
    const struct sbi_ssh_asked asked = {.host = "web1.example.org"};
    struct sbi_ssh_files *files = NULL;
    int rc = sbi_ssh_files_of_text((const char *)data, size, &files, &err);

    if (rc == SBX_OK)
        rc = sbi_ssh_files_resolve(files, &asked, &options, &err);
    sbi_ssh_files_release(&files);

    /* What is accepted is whole; what is refused says why and hands out nothing. */
    if (rc == SBX_OK && (options->hostname == NULL || options->user == NULL ||
                         options->port <= 0 || options->user_known_hosts == NULL))
        abort();
    if (rc < 0 && (options != NULL || err.code != rc || err.text[0] == '\0'))
        abort();
    sbi_ssh_options_free(options);
    return 0;
}
