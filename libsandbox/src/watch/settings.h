/* settings.h - whom to tell of a watch, as JSON in its row. */
#ifndef SANDBOX_WATCH_SETTINGS_H
#define SANDBOX_WATCH_SETTINGS_H

#include "base/json.h"

#include <sandbox/watch.h>

/* Refuses what could never be delivered. */
int sbi_settings_check(const sbx_watch_opts *opts, sbx_error *err);

/* All but interval_ms, ssh_config and list_file, which are columns. For free(). */
int sbi_settings_write(const sbx_watch_opts *opts, char **out, sbx_error *err);

struct sbi_settings {
    sbx_watch_opts opts; /* its texts are borrowed from what follows */
    cJSON *json;
    const char **command;
};
#define SBI_AUTO_SETTINGS SBI_CLEANUP(sbi_settings_clear) struct sbi_settings

int sbi_settings_read(const char *text, struct sbi_settings *out, sbx_error *err);
void sbi_settings_clear(struct sbi_settings *settings);

#endif
