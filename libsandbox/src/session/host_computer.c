/* host_computer.c - the words that bring a command into a container of ours. */
#include "session/host_computer.h"

#include "base/computer.h"
#include "base/strv.h"

#include <sandbox/host.h>

#include <string.h>

/*
 * NAME FLAG WORD...: where two engines are installed, the one that has it is asked for;
 * one alone says itself what is wrong. That it is ours is asked inside, where that costs
 * no process of the engine's.
 */
static const char enter[] =
    "n=" SBI_COMPUTER_PREFIX "$1 l=$1 f=$2\n"
    "shift 2\n"
    "e=\n"
    "for c in docker podman; do\n"
    "    command -v $c >/dev/null 2>&1 || continue\n"
    "    [ -z \"$e\" ] || $e container inspect \"$n\" >/dev/null 2>&1 || e=\n"
    "    [ -n \"$e\" ] || e=$c\n"
    "done\n"
    "[ -n \"$e\" ] || { echo sbx: no engine >&2; exit 125; }\n"
    "exec $e exec $f \"$n\" /bin/sh -c '[ \"${" SBI_COMPUTER_MARK "-}\" = \"$0\" ] || {\n"
    "    echo sbx: not a computer >&2\n"
    "    exit 125\n"
    "}\n"
    "exec \"$@\"' \"$l\" \"$@\"\n";

static const char *const telling[] = {
    "PATH=",          "DOCKER_HOST=",    "DOCKER_CONTEXT=",
    "DOCKER_CONFIG=", "CONTAINER_HOST=", "XDG_RUNTIME_DIR="};

static bool tells(const char *variable)
{
    size_t i;

    for (i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
        if (strncmp(variable, telling[i], strlen(telling[i])) == 0)
            return true;
    return false;
}

static int add_words(const char *name, const char *flag, char *const *env, char ***list,
                     sbx_error *err)
{
    const char *const words[] = {"/bin/sh", "-c", enter, "sbx", name, flag};
    int rc = sbi_strv_add(list, "env", err);
    size_t i;

    for (; rc == SBX_OK && env != NULL && *env != NULL; env++)
        if (tells(*env))
            rc = sbi_strv_add(list, *env, err);
    for (i = 0; rc == SBX_OK && i < sizeof(words) / sizeof(words[0]); i++)
        rc = sbi_strv_add(list, words[i], err);
    return rc;
}

static void entry_clear(struct sbi_host_entry **entry)
{
    sbi_host_entry_free(*entry);
}

int sbi_host_computer_entry(const char *word, const struct sbi_host_entry *base,
                            struct sbi_host_entry **out, sbx_error *err)
{
    SBI_CLEANUP(entry_clear) struct sbi_host_entry *entry = NULL;
    size_t on = (size_t)(strrchr(word, '/') - word);
    bool nested = memchr(word, '/', on) != NULL;
    char *const *env = base == NULL || nested ? NULL : base->env;
    int rc = sbi_host_entry_new(word, word, SBX_HOST_NAME, &entry, err);

    if (rc == SBX_OK)
        rc = add_words(word + on + 1, "-i", env, &entry->prefix, err);
    if (rc == SBX_OK)
        rc = add_words(word + on + 1, "-it", env, &entry->prefix_pty, err);
    if (rc == SBX_OK && base != NULL)
        rc = sbi_strv_copy((const char *const *)base->tags, &entry->tags, err);
    if (rc == SBX_OK && (entry->on = strndup(word, on)) == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "place '%s': out of memory", word);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(entry);
    return SBX_OK;
}
