/*
 * ssh_config.c - the files of ssh_config as they stand, for whoever asks about a host.
 *
 * Under the lock they are looked at and read; a question is then asked of what was read,
 * which nobody changes, and without the lock: a `Match exec` may take its time.
 */
#include "transport/ssh_config.h"

#include "transport/ssh_config_reading.h"

#include <pthread.h>
#include <string.h>

struct sbi_ssh_config {
    char *user_file;
    char *system_file;
    pthread_mutex_t lock;
    struct sbi_ssh_files *files; /* as last read; NULL: not yet */
};

static int copy_path(const char *from, char **to, sbx_error *err)
{
    if (from == NULL)
        return SBX_OK;
    *to = strdup(from);
    return *to != NULL ? SBX_OK
                       : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", from);
}

int sbi_ssh_config_new(const char *user_file, const char *system_file,
                       struct sbi_ssh_config **out, sbx_error *err)
{
    struct sbi_ssh_config *config = calloc(1, sizeof(*config));
    int rc;

    if (config == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "ssh_config: out of memory");
    (void)pthread_mutex_init(&config->lock, NULL);
    rc = copy_path(user_file, &config->user_file, err);
    if (rc == SBX_OK)
        rc = copy_path(system_file, &config->system_file, err);
    if (rc < 0) {
        sbi_ssh_config_free(config);
        return rc;
    }
    *out = config;
    return SBX_OK;
}

void sbi_ssh_config_free(struct sbi_ssh_config *config)
{
    if (config == NULL)
        return;
    sbi_ssh_files_release(&config->files);
    (void)pthread_mutex_destroy(&config->lock);
    free(config->user_file);
    free(config->system_file);
    free(config);
}

const char *sbi_ssh_config_user_file(const struct sbi_ssh_config *config)
{
    return config->user_file;
}

/* *out is to be released. */
static int current_files(struct sbi_ssh_config *config, struct sbi_ssh_files **out,
                         sbx_error *err)
{
    int rc = SBX_OK;

    (void)pthread_mutex_lock(&config->lock);
    if (config->files != NULL && !sbi_ssh_files_are_current(config->files))
        sbi_ssh_files_release(&config->files);
    if (config->files == NULL)
        rc = sbi_ssh_files_read(config->user_file, config->system_file, &config->files,
                                err);
    if (rc == SBX_OK)
        *out = sbi_ssh_files_hold(config->files);
    (void)pthread_mutex_unlock(&config->lock);
    return rc;
}

int sbi_ssh_config_resolve(struct sbi_ssh_config *config,
                           const struct sbi_ssh_asked *asked,
                           struct sbi_ssh_options **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_ssh_files_release) struct sbi_ssh_files *files = NULL;
    int rc = current_files(config, &files, err);

    return rc < 0 ? rc : sbi_ssh_files_resolve(files, asked, out, err);
}

int sbi_ssh_config_names(struct sbi_ssh_config *config, char ***out, sbx_error *err)
{
    SBI_CLEANUP(sbi_ssh_files_release) struct sbi_ssh_files *files = NULL;
    int rc = current_files(config, &files, err);

    return rc < 0 ? rc : sbi_ssh_files_names(files, out, err);
}
