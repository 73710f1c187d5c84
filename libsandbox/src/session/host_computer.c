/* host_computer.c - the words that bring a command into a container of ours. */
#include "session/host_computer.h"

#include "base/cleanup.h"
#include "base/computer.h"
#include "base/json.h"
#include "base/path.h"
#include "base/strv.h"

#include <sandbox/host.h>

#include <stdio.h>
#include <string.h>

#define CONFIG_LIMIT ((size_t)1024 * 1024)

/* NAME, WORD...: asked in there of whatever has the container's name by then. */
#define CHECK                                                                            \
    "[ \"${" SBI_COMPUTER_MARK "-}\" = \"$0\" ] || {\n"                                  \
    "    echo sbx: not a computer >&2\n"                                                 \
    "    exit 125\n"                                                                     \
    "}\n"                                                                                \
    "exec \"$@\""

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
    "exec $e exec $f \"$n\" /bin/sh -c '" CHECK "' \"$l\" \"$@\"\n";

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

/* What a variable is for the engine's command line over there, as far as is known here.
 */
static const char *value_of(char *const *env, bool local, const char *name)
{
    size_t length = strlen(name);
    const char *value = local ? getenv(name) : NULL;

    for (; env != NULL && *env != NULL && strchr(*env, '=') != NULL; env++)
        if (strncmp(*env, name, length) == 0 && (*env)[length] == '=')
            value = *env + length + 1;
    return value == NULL || value[0] == '\0' ? NULL : value;
}

/* A variable that names an engine names the only one. */
static int add_named(const char *value, const char *otherwise, char ***list,
                     sbx_error *err)
{
    static const char scheme[] = "unix://";

    if (value == NULL)
        return sbi_strv_add(list, otherwise, err);
    return strncmp(value, scheme, strlen(scheme)) == 0
               ? sbi_strv_add(list, value + strlen(scheme), err)
               : SBX_OK;
}

/*
 * What `docker context use` was told last counts where no variable does; elsewhere it is
 * not known here.
 */
static bool leads_elsewhere(char *const *env, bool local)
{
    const char *folder = value_of(env, local, "DOCKER_CONFIG"), *context;
    SBI_AUTOFREE char *path = NULL, *home = NULL, *text = NULL;
    SBI_AUTO_JSON json = NULL;
    size_t length = 0;

    if (value_of(env, local, "DOCKER_CONTEXT") != NULL)
        return true;
    if (!local || value_of(env, local, "DOCKER_HOST") != NULL ||
        (folder == NULL && sbi_path_home(&home, NULL) < 0))
        return false;
    if (asprintf(&path, "%s%s/config.json", folder != NULL ? folder : home,
                 folder != NULL ? "" : "/.docker") < 0) {
        path = NULL;
        return false;
    }
    if (sbi_path_read(path, CONFIG_LIMIT, &text, &length, NULL) < 0 ||
        sbi_json_parse(text, length, &json, NULL) < 0)
        return false;
    context = cJSON_GetStringValue(cJSON_GetObjectItem(json, "currentContext"));
    return context != NULL && context[0] != '\0' && strcmp(context, "default") != 0;
}

static bool is_wanted(const char *kind, const char *one)
{
    return kind == NULL || strcmp(kind, one) == 0;
}

int sbi_host_engine_sockets(char *const *env, bool local, const char *kind, char ***list,
                            sbx_error *err)
{
    const char *folder = value_of(env, local, "XDG_RUNTIME_DIR");
    SBI_AUTOFREE char *own = NULL;
    int rc = SBX_OK;

    if (folder != NULL && asprintf(&own, "%s/podman/podman.sock", folder) < 0) {
        own = NULL;
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    if (is_wanted(kind, "docker") && !leads_elsewhere(env, local))
        rc = add_named(value_of(env, local, "DOCKER_HOST"), "/var/run/docker.sock", list,
                       err);
    if (rc == SBX_OK && is_wanted(kind, "podman") &&
        (kind != NULL || value_of(env, local, "DOCKER_CONTEXT") == NULL))
        rc = add_named(value_of(env, local, "CONTAINER_HOST"),
                       own != NULL ? own : "/run/podman/podman.sock", list, err);
    return rc;
}

void sbi_host_engine_clear(struct sbi_host_engine *engine)
{
    sbi_strv_clear(&engine->sockets);
    sbi_strv_clear(&engine->enter);
    free(engine->container);
    free(engine->mark);
    *engine = (struct sbi_host_engine){0};
}

int sbi_host_computer_engine(const struct sbi_host_entry *entry, bool local,
                             struct sbi_host_engine *out, sbx_error *err)
{
    SBI_CLEANUP(sbi_host_engine_clear) struct sbi_host_engine engine = {0};
    const char *name = strrchr(entry->name, '/') + 1;
    const char *const words[] = {"/bin/sh", "-c", CHECK, name};
    int rc =
        sbi_host_engine_sockets(entry->prefix + 1, local, NULL, &engine.sockets, err);
    size_t i;

    for (i = 0; rc == SBX_OK && i < sizeof(words) / sizeof(words[0]); i++)
        rc = sbi_strv_add(&engine.enter, words[i], err);
    if (rc < 0)
        return rc;
    if (asprintf(&engine.container, "%s%s", SBI_COMPUTER_PREFIX, name) < 0)
        engine.container = NULL;
    if (asprintf(&engine.mark, "%s=%s", SBI_COMPUTER_MARK, name) < 0)
        engine.mark = NULL;
    if (engine.container == NULL || engine.mark == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *out = engine;
    engine = (struct sbi_host_engine){0};
    return SBX_OK;
}
