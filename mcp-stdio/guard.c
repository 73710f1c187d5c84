#include "guard.h"

#include "fault.h"
#include "mask.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROOTS = 32, MOST_SECRETS = 1024, LARGEST_LIST = 1 << 20 };

struct guard {
    char *roots[MOST_ROOTS];
    size_t root_count;
    char *config; /* our own folder, or NULL */
    char *home;   /* or NULL */
    bool masks;
    struct words secrets;
};

const char *const guard_excludes[] = {".ssh/", ".aws/", ".gnupg/", NULL};

static int add_root(struct guard *guard, const char *path, sbx_error *err)
{
    char *real = realpath(path, NULL);

    if (real == NULL)
        return fault_errno(err, SBX_ERR_INVALID, "--root '%s'", path);
    if (guard->root_count == MOST_ROOTS) {
        free(real);
        return fault(err, SBX_ERR_LIMIT, "--root: over %d folders", MOST_ROOTS);
    }
    guard->roots[guard->root_count++] = real;
    return SBX_OK;
}

/* Programs with windows start their servers in `/`: that is no project. */
static void add_working_folder(struct guard *guard)
{
    char *here = realpath(".", NULL);

    if (here == NULL || strcmp(here, "/") == 0 ||
        (guard->home != NULL && strcmp(here, guard->home) == 0)) {
        free(here);
        return;
    }
    guard->roots[guard->root_count++] = here;
}

static char *real_home(void)
{
    const char *home = getenv("HOME");

    return home == NULL || home[0] != '/' ? NULL : realpath(home, NULL);
}

static char *config_folder(const char *home)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    AUTO_TEXT path = {0};

    if (config != NULL && config[0] == '/')
        text_addf(&path, "%s/sbx", config);
    else if (home != NULL)
        text_addf(&path, "%s/.config/sbx", home);
    return path.data == NULL ? NULL : realpath(path.data, NULL);
}

/* Passwords of hosts lie in the list, in the environment, or in neither. */
static void gather_secrets(const tree *value, struct words *secrets)
{
    const tree *item;

    cJSON_ArrayForEach(item, value)
    {
        if (cJSON_IsString(item) && item->string != NULL &&
            (strcmp(item->string, "password") == 0 ||
             strcmp(item->string, "key_passphrase") == 0) &&
            strlen(item->valuestring) >= 4 && secrets->count < MOST_SECRETS)
            words_add(secrets, own_copy(item->valuestring, strlen(item->valuestring)));
        gather_secrets(item, secrets);
    }
}

static void gather_text(struct guard *guard, char *json)
{
    AUTO_TREE list = NULL;

    cJSON_Minify(json); /* takes comments out */
    list = tree_parse((struct raw){json, strlen(json)});
    gather_secrets(list, &guard->secrets);
}

static void gather_file(struct guard *guard, const char *path)
{
    AUTOFREE char *json = own_zeroed(1, LARGEST_LIST + 1);
    FILE *file = path == NULL ? NULL : fopen(path, "re");

    if (file == NULL)
        return;
    (void)!fread(json, 1, LARGEST_LIST, file);
    (void)fclose(file);
    gather_text(guard, json);
}

static void gather_variable(struct guard *guard, const char *name)
{
    const char *value = getenv(name);

    if (value != NULL && strlen(value) >= 4)
        words_add(&guard->secrets, own_copy(value, strlen(value)));
}

static void gather_all(struct guard *guard, const char *list_file)
{
    const char *list = getenv("REMOTE_SANDBOX_LIST");
    AUTOFREE char *copy = list == NULL ? NULL : own_copy(list, strlen(list));
    AUTO_TEXT path = {0};

    if (copy != NULL)
        gather_text(guard, copy);
    if (guard->config != NULL)
        text_addf(&path, "%s/hosts.json", guard->config);
    gather_file(guard, list_file != NULL ? list_file : path.data);
    gather_variable(guard, "REMOTE_PASSWORD");
    gather_variable(guard, "REMOTE_KEY_PASSPHRASE");
}

int guard_new(const struct serve_opts *opts, struct guard **out, sbx_error *err)
{
    struct guard *guard = own_zeroed(1, sizeof(*guard));
    size_t i;
    int rc = SBX_OK;

    guard->home = real_home();
    guard->config = config_folder(guard->home);
    guard->masks = !opts->no_mask;
    add_working_folder(guard);
    for (i = 0; i < opts->roots.count && rc == SBX_OK; i++)
        rc = add_root(guard, opts->roots.items[i], err);
    if (rc < 0)
        return rc;
    gather_all(guard, opts->list_file);
    *out = guard;
    return SBX_OK;
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = folder == NULL ? 0 : strlen(folder);

    if (folder == NULL || strncmp(path, folder, length) != 0)
        return false;
    return path[length] == '\0' || path[length] == '/' || strcmp(folder, "/") == 0;
}

static bool has_secret_part(const char *path)
{
    static const char *const parts[] = {".ssh", ".aws", ".gnupg"};
    size_t i;

    for (; *path != '\0'; path += strcspn(path, "/"), path += *path == '/')
        for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
            if (strcspn(path, "/") == strlen(parts[i]) &&
                memcmp(path, parts[i], strlen(parts[i])) == 0)
                return true;
    return false;
}

/* Absolute, and `~/` as the home. */
static void make_absolute(const struct guard *guard, const char *path, struct text *out)
{
    AUTOFREE char *here = getcwd(NULL, 0);

    if (path[0] == '~' && (path[1] == '/' || path[1] == '\0') && guard->home != NULL)
        text_addf(out, "%s%s", guard->home, path + 1);
    else if (path[0] == '/')
        text_add(out, path);
    else
        text_addf(out, "%s/%s", here == NULL ? "" : here, path);
}

/*
 * The longest beginning that is there is resolved; behind it nothing is there, so that
 * no link can be, and `..` is refused.
 */
static int resolve(const char *path, struct text *real, sbx_error *err)
{
    AUTOFREE char *part = own_copy(path, strlen(path));
    AUTOFREE char *found = NULL;
    const char *rest;
    char *slash;

    while ((found = realpath(part, NULL)) == NULL) {
        slash = strrchr(part, '/');
        if (slash == NULL || slash == part)
            break;
        *slash = '\0';
    }
    rest = path + (found == NULL ? 0 : strlen(part));
    if (strstr(rest, "/..") != NULL || strlen(path) >= PATH_MAX)
        return fault(err, SBX_ERR_INVALID, "'%s' leads through what is not there", path);
    text_add(real, found == NULL || strcmp(found, "/") == 0 ? "" : found);
    text_add(real, rest);
    if (real->length == 0)
        text_add(real, "/");
    return SBX_OK;
}

static bool is_in_roots(const struct guard *guard, const char *path)
{
    size_t i;

    for (i = 0; i < guard->root_count; i++)
        if (is_below(path, guard->roots[i]))
            return true;
    return false;
}

int guard_local(const struct guard *guard, const char *path, struct text *real,
                sbx_error *err)
{
    AUTO_TEXT whole = {0};
    int rc;

    make_absolute(guard, path, &whole);
    rc = resolve(whole.data, real, err);
    if (rc < 0)
        return rc;
    if (has_secret_part(real->data) || is_below(real->data, guard->config))
        return fault_fix(
            err,
            fault(err, SBX_ERR_INVALID, "'%.200s' here is in a folder of secrets", path),
            "no tool reads or writes there");
    if (is_in_roots(guard, real->data))
        return SBX_OK;
    return fault_fix(err,
                     fault(err, SBX_ERR_INVALID,
                           "'%.200s' here is outside the folders this server may use",
                           path),
                     "%s%.60s%s; the user allows more with --root DIR",
                     guard->root_count > 0 ? "a path below " : "none is allowed",
                     guard->root_count > 0 ? guard->roots[0] : "", "");
}

static bool mask(const struct guard *guard, const char *text, struct text *out)
{
    return mask_text(text, &guard->secrets, guard->masks, out);
}

void guard_mask_tree(const struct guard *guard, tree *value)
{
    AUTO_TEXT masked = {0};
    tree *item;

    if (cJSON_IsString(value) && mask(guard, value->valuestring, &masked))
        (void)cJSON_SetValuestring(value, masked.data);
    if (cJSON_IsObject(value) || cJSON_IsArray(value))
        cJSON_ArrayForEach(item, value)
        {
            guard_mask_tree(guard, item);
        }
}

void guard_mask_text(const struct guard *guard, char *text, size_t room)
{
    AUTO_TEXT masked = {0};

    if (mask(guard, text, &masked))
        (void)snprintf(text, room, "%s", masked.data);
}
