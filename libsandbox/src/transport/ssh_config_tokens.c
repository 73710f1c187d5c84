/* ssh_config_tokens.c - puts values for %x, ~ and ${NAME} in what ssh_config says. */
#include "base/digest.h"
#include "base/str.h"
#include "transport/ssh_config_reading.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#define MAX_TEXT (64 * 1024)

/* Adds the value of the variable that `at` stands before; *at moves to its end. */
static int add_variable(struct sbi_str *text, const char **at, sbx_error *err)
{
    const char *name = *at + 2;
    const char *end = strchr(name, '}');
    SBI_AUTOFREE char *copy = NULL;
    const char *value;

    if (end == NULL || end == name)
        return sbi_fail(err, SBX_ERR_CONFIG, "bad variable in '%s'", *at);
    copy = strndup(name, (size_t)(end - name));
    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", *at);
    value = getenv(copy);
    if (value == NULL)
        return sbi_fail(err, SBX_ERR_CONFIG, "variable '%s' is not set", copy);

    sbi_str_add(text, value);
    *at = end;
    return SBX_OK;
}

static int add_token(struct sbi_str *text, const struct sbi_ssh_token *tokens,
                     char letter, sbx_error *err)
{
    if (letter == '%') {
        sbi_str_add(text, "%");
        return SBX_OK;
    }
    for (; tokens->letter != '\0'; tokens++)
        if (tokens->letter == letter) {
            sbi_str_add(text, tokens->text);
            return SBX_OK;
        }
    if (letter == '\0')
        return sbi_fail(err, SBX_ERR_CONFIG, "a '%%' ends the text");
    return sbi_fail(err, SBX_ERR_CONFIG, "token '%%%c' has no meaning here", letter);
}

int sbi_ssh_config_expand(const char *text, const struct sbi_ssh_token *tokens, bool env,
                          char **out, sbx_error *err)
{
    SBI_AUTO_STR expanded = {.limit = MAX_TEXT};
    const char *at;
    int rc = SBX_OK;

    for (at = text; rc == SBX_OK && *at != '\0'; at++) {
        if (env && at[0] == '$' && at[1] == '{')
            rc = add_variable(&expanded, &at, err);
        else if (tokens != NULL && *at == '%')
            rc = add_token(&expanded, tokens, *++at, err);
        else
            sbi_str_add_bytes(&expanded, at, 1);
    }
    if (rc == SBX_OK)
        rc = sbi_str_take(&expanded, out, err);
    return rc < 0 ? sbi_wrap(err, rc, "expand '%s'", text) : rc;
}

static int home_of(const char *user, char **out, sbx_error *err)
{
    struct passwd entry, *found = NULL;
    char room[4096];
    int rc = getpwnam_r(user, &entry, room, sizeof(room), &found);

    if (rc != 0 || found == NULL)
        return sbi_fail(err, SBX_ERR_CONFIG, "no user '%s' on this machine", user);
    *out = strdup(entry.pw_dir);
    return *out == NULL ? sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory") : SBX_OK;
}

int sbi_ssh_config_tilde(const struct sbi_ssh_self *self, const char *path, char **out,
                         sbx_error *err)
{
    SBI_AUTOFREE char *user = NULL;
    SBI_AUTOFREE char *home = NULL;
    SBI_AUTO_STR text = {.limit = MAX_TEXT};
    size_t length;
    int rc = SBX_OK;

    if (*path == '~') {
        length = strcspn(++path, "/");
        user = strndup(path, length);
        if (user == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", path);
        if (length > 0)
            rc = home_of(user, &home, err);
        if (rc < 0)
            return rc;
        sbi_str_add(&text, home == NULL ? self->home : home);
        if (text.length == 0 || text.data[text.length - 1] != '/')
            sbi_str_add(&text, "/");
        path += length;
        path += strspn(path, "/");
    }
    sbi_str_add(&text, path);
    return sbi_str_take(&text, out, err);
}

int sbi_ssh_config_hash(const struct sbi_ssh_self *self, const char *host, int port,
                        const char *user, char out[41], sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    unsigned char digest[20];
    size_t i;
    int rc;

    sbi_str_addf(&text, "%s%s%d%s", self->host, host, port, user);
    if (text.status != SBX_OK)
        return sbi_fail(err, text.status, "out of memory for '%s'", host);
    rc = sbi_sha1(text.data, text.length, digest, err);
    for (i = 0; rc == SBX_OK && i < sizeof(digest); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return rc;
}

int sbi_ssh_config_tokens(const struct sbi_ssh_reading *reading, const char *host,
                          int port, const char *user, const char *alias,
                          struct sbi_ssh_tokens *out, sbx_error *err)
{
    const struct sbi_ssh_self *self = reading->self;
    const char *jump = reading->said.options.proxy_jump;
    const struct sbi_ssh_token list[] = {
        {'C', out->hash},
        {'L', out->short_host},
        {'d', self->home},
        {'h', host},
        {'i', out->uid},
        {'j', jump == NULL || strcmp(jump, "none") == 0 ? "" : jump},
        {'k', alias},
        {'l', self->host},
        {'n', reading->original},
        {'p', out->port},
        {'r', user},
        {'u', self->user},
        {'\0', NULL},
    };

    memcpy(out->list, list, sizeof(list));
    (void)snprintf(out->short_host, sizeof(out->short_host), "%.*s",
                   (int)strcspn(self->host, "."), self->host);
    (void)snprintf(out->port, sizeof(out->port), "%d", port);
    (void)snprintf(out->uid, sizeof(out->uid), "%llu", (unsigned long long)self->uid);
    return sbi_ssh_config_hash(self, host, port, user, out->hash, err);
}
