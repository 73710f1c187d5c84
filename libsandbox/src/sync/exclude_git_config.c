/* exclude_git_config.c - reads as much of git's configuration as one setting needs. */
#include "sync/exclude_git_config.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/str.h"

#include <string.h>
#include <strings.h>

#define CONFIG_LIMIT (1024 * 1024)
#define PATH_LIMIT 8192
#define SETTING "excludesfile"

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* "[core]" begins the section; "[core "x"]" is another. */
static bool is_core(const char *line, const char *end)
{
    const char *close = memchr(line, ']', (size_t)(end - line));

    return close != NULL && close - line == 5 && strncasecmp(line, "[core", 5) == 0;
}

static char unescaped(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* A value ends at a comment outside quotes, and loses the blanks at its end. */
static int read_value(const char *at, const char *end, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = PATH_LIMIT};
    bool quoted = false;
    size_t kept = 0;

    for (; at < end && (quoted || (*at != '#' && *at != ';')); at++) {
        char c = *at;

        if (c == '"') {
            quoted = !quoted;
            continue;
        }
        if (c == '\\' && at + 1 < end)
            c = unescaped(*++at);
        sbi_str_add_bytes(&text, &c, 1);
        if (quoted || (c != ' ' && c != '\t' && c != '\r'))
            kept = text.length;
    }
    if (text.status == SBX_OK && text.length > kept) {
        text.length = kept;
        text.data[kept] = '\0';
    }
    return sbi_str_take(&text, out, err);
}

static int read_setting(const char *line, const char *end, char **value, sbx_error *err)
{
    size_t name = strlen(SETTING);
    char *found = NULL;
    int rc;

    if ((size_t)(end - line) < name || strncasecmp(line, SETTING, name) != 0)
        return SBX_OK;
    line = skip_blanks(line + name, end);
    if (line == end || *line != '=')
        return SBX_OK;
    rc = read_value(skip_blanks(line + 1, end), end, &found, err);
    if (rc < 0)
        return rc;
    free(*value);
    *value = found;
    return SBX_OK;
}

int sbi_git_config_excludes(const char *text, size_t length, char **out, sbx_error *err)
{
    SBI_AUTOFREE char *value = NULL;
    const char *stop = text + length;
    bool in_core = false;
    int rc = SBX_OK;

    while (rc == SBX_OK && text < stop) {
        const char *end = memchr(text, '\n', (size_t)(stop - text));
        const char *line;

        end = end == NULL ? stop : end;
        line = skip_blanks(text, end);
        if (line < end && *line == '[') {
            in_core = is_core(line, end);
            line = memchr(line, ']', (size_t)(end - line));
            line = line == NULL ? end : skip_blanks(line + 1, end);
        }
        if (in_core)
            rc = read_setting(line, end, &value, err);
        text = end < stop ? end + 1 : stop;
    }
    if (rc == SBX_OK && value != NULL)
        *out = SBI_STEAL(value);
    return rc;
}

/* A configuration file that is absent or cannot be read says nothing, as for git. */
static int look_in(const char *folder, const char *name, char **value, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = PATH_LIMIT};
    SBI_AUTOFREE char *path = NULL;
    SBI_AUTOFREE char *config = NULL;
    SBI_AUTOFREE char *found = NULL;
    size_t length = 0;
    int rc;

    if (folder == NULL)
        return SBX_OK;
    sbi_str_addf(&text, "%s/%s", folder, name);
    rc = sbi_str_take(&text, &path, err);
    if (rc == SBX_OK &&
        sbi_path_read(path, CONFIG_LIMIT, &config, &length, NULL) == SBX_OK)
        rc = sbi_git_config_excludes(config, length, &found, err);
    if (rc == SBX_OK && found != NULL) {
        free(*value);
        *value = SBI_STEAL(found);
    }
    return rc;
}

/* $XDG_CONFIG_HOME, else ~/.config: of git, not of ours. */
static int config_home(const char *home, char **out, sbx_error *err)
{
    const char *given = getenv("XDG_CONFIG_HOME");
    SBI_AUTO_STR text = {.limit = PATH_LIMIT};

    if (given != NULL && given[0] != '\0')
        sbi_str_add(&text, given);
    else
        sbi_str_addf(&text, "%s/.config", home);
    return sbi_str_take(&text, out, err);
}

static int expand(const char *home, const char *config, const char *value, char **out,
                  sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = PATH_LIMIT};

    if (value == NULL)
        sbi_str_addf(&text, "%s/git/ignore", config);
    else if (value[0] == '/')
        sbi_str_add(&text, value);
    else if (value[0] == '~' && value[1] == '/')
        sbi_str_addf(&text, "%s%s", home, value + 1);
    else
        return SBX_OK;
    return sbi_str_take(&text, out, err);
}

int sbi_git_excludes_file(const char *git, char **out, sbx_error *err)
{
    SBI_AUTOFREE char *home = NULL;
    SBI_AUTOFREE char *config = NULL;
    SBI_AUTOFREE char *value = NULL;
    int rc;

    if (sbi_path_home(&home, NULL) != SBX_OK)
        return SBX_OK;
    rc = config_home(home, &config, err);
    if (rc == SBX_OK)
        rc = look_in(config, "git/config", &value, err);
    if (rc == SBX_OK)
        rc = look_in(home, ".gitconfig", &value, err);
    if (rc == SBX_OK)
        rc = look_in(git, "config", &value, err);
    return rc < 0 ? rc : expand(home, config, value, out, err);
}
