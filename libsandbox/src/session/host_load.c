/* host_load.c - reads list file, environment and ssh_config, the nearer one first. */
#include "session/host_load.h"

#include "session/host_env.h"
#include "session/host_file.h"
#include "session/host_prefix.h"
#include "session/host_word.h"
#include "transport/ssh_config.h"

#include <string.h>

/* The user's own list need not be there; one that the caller names must. */
static int load_file(const char *path, struct sbi_host_list *out, sbx_error *err)
{
    SBI_AUTOFREE char *own = NULL;
    sbx_error why;
    int rc;

    if (path != NULL)
        return sbi_host_file_load(path, out, err);
    rc = sbi_host_file_default(&own, &why);
    if (rc == SBX_OK)
        rc = sbi_host_file_load(own, out, &why);
    if (rc == SBX_ERR_NOT_FOUND)
        return SBX_OK;
    if (rc < 0 && err != NULL)
        *err = why;
    return rc;
}

/* Moves to list what it has not; the rest of more is freed with it. */
static int merge(struct sbi_host_list *list, struct sbi_host_list *more, sbx_error *err)
{
    size_t kept = 0, i;
    int rc = SBX_OK;

    for (i = 0; i < more->count; i++) {
        if (rc < 0 || sbi_host_list_find(list, more->entries[i]->name) != NULL)
            more->entries[kept++] = more->entries[i];
        else
            rc = sbi_host_list_append(list, more->entries[i], err);
    }
    more->count = kept;
    return rc;
}

static int add_environment(struct sbi_host_list *list, sbx_error *err)
{
    SBI_AUTO_HOST_LIST more = {0};
    int rc = sbi_host_env_load(&more, err);

    return rc < 0 ? rc : merge(list, &more, err);
}

/* A name on a Host line that is no word of ours cannot be asked for: not listed. */
static bool is_listed(const struct sbi_host_list *list, const char *name)
{
    return strcmp(name, "local") != 0 && strchr(name, '@') == NULL &&
           sbi_host_word_fault(name) == NULL && sbi_host_list_find(list, name) == NULL;
}

static int add_ssh_config(struct sbi_ssh_config *ssh_config, struct sbi_host_list *list,
                          sbx_error *err)
{
    SBI_AUTO_STRV names = NULL;
    struct sbi_host_entry *entry;
    size_t i;
    int rc = sbi_ssh_config_names(ssh_config, &names, err);

    for (i = 0; rc == SBX_OK && names != NULL && names[i] != NULL; i++) {
        if (!is_listed(list, names[i]))
            continue;
        rc = sbi_host_entry_new(names[i], names[i], SBX_HOST_SSH_CONFIG, &entry, err);
        if (rc == SBX_OK)
            rc = sbi_host_list_append(list, entry, err);
    }
    return rc < 0 ? sbi_wrap(err, rc, "names in ssh_config") : SBX_OK;
}

static void move(struct sbi_host_list *from, struct sbi_host_list *to)
{
    *to = *from;
    *from = (struct sbi_host_list){0};
}

int sbi_host_load_all(const char *list_file, struct sbi_ssh_config *ssh_config,
                      struct sbi_host_list *out, sbx_error *err)
{
    SBI_AUTO_HOST_LIST list = {0};
    int rc = load_file(list_file, &list, err);

    if (rc == SBX_OK)
        rc = add_environment(&list, err);
    if (rc == SBX_OK)
        rc = add_ssh_config(ssh_config, &list, err);
    if (rc == SBX_OK)
        rc = sbi_host_prefix_check(&list, err);
    if (rc == SBX_OK)
        move(&list, out);
    return rc;
}

int sbi_host_load_text(const char *json, size_t length, struct sbi_ssh_config *ssh_config,
                       struct sbi_host_list *out, sbx_error *err)
{
    SBI_AUTO_HOST_LIST list = {0};
    int rc = sbi_host_list_parse(json, length, SBX_HOST_LIST, NULL, &list, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "host list");
    rc = add_ssh_config(ssh_config, &list, err);
    if (rc == SBX_OK)
        rc = sbi_host_prefix_check(&list, err);
    if (rc == SBX_OK)
        move(&list, out);
    return rc;
}
