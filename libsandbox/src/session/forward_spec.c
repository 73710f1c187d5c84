#include "session/forward_spec.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <string.h>

#define MOST_FIELDS 4
#define LONGEST_HOST 255

/* Fields with colons between; those of an address of IPv6 stand in brackets. */
struct fields {
    char *items[MOST_FIELDS];
    bool is_path[MOST_FIELDS];
    size_t count;
};

static void fields_clear(struct fields *fields)
{
    size_t i;

    for (i = 0; i < fields->count; i++)
        free(fields->items[i]);
}

static int fail(int kind, const char *text, sbx_error *err)
{
    static const char *const forms[] = {
        [SBX_FORWARD_LOCAL] =
            "[BIND:]PORT:HOST:HOSTPORT; the path of a socket may stand for either side",
        [SBX_FORWARD_REMOTE] =
            "[BIND:]PORT:HOST:HOSTPORT; the path of a socket here may stand for the last",
        [SBX_FORWARD_SOCKS] = "[BIND:]PORT, or the path of a socket",
    };
    int rc = sbi_fail(err, SBX_ERR_INVALID, "'%.100s' is no forward of that kind", text);

    return sbi_fix(err, rc, NULL, "%s", forms[kind]);
}

/* The end of a field that begins at text; NULL: a bracket is not closed. */
static const char *end_of(const char *text)
{
    const char *end;

    if (text[0] != '[')
        return text + strcspn(text, ":");
    end = strchr(text, ']');
    return end == NULL || (end[1] != ':' && end[1] != '\0') ? NULL : end + 1;
}

static int split(const char *text, struct fields *out, sbx_error *err)
{
    const char *end, *from = text;
    size_t brackets;

    for (;;) {
        end = end_of(from);
        if (end == NULL || out->count == MOST_FIELDS)
            return SBX_ERR_INVALID;
        brackets = from[0] == '[' ? 1 : 0;
        out->is_path[out->count] = from[0] == '/';
        out->items[out->count] =
            strndup(from + brackets, (size_t)(end - from) - 2 * brackets);
        if (out->items[out->count] == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
        out->count++;
        if (*end == '\0')
            return SBX_OK;
        from = end + 1;
    }
}

static bool is_port(const char *text, int least, int *out)
{
    int port = 0;

    if (*text == '\0' || strlen(text) > 5)
        return false;
    for (; *text != '\0'; text++) {
        if (!isdigit((unsigned char)*text))
            return false;
        port = 10 * port + (*text - '0');
    }
    *out = port;
    return port >= least && port <= 65535;
}

static bool is_host(const char *text)
{
    size_t i;

    for (i = 0; text[i] != '\0'; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f)
            return false;
    return i <= LONGEST_HOST && text[0] != '-';
}

static bool is_path(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

/* Takes one end off the front of count fields: a path, a port, or both. */
static size_t take(struct fields *fields, size_t at, size_t count, bool listens,
                   struct sbi_forward_end *end)
{
    bool bind_named = count == 2;

    if (count == 1 && fields->is_path[at] && is_path(fields->items[at])) {
        end->path = SBI_STEAL(fields->items[at]);
        return 1;
    }
    if (count < 1 || count > 2 || (count == 1 && !listens) || fields->is_path[at] ||
        !is_port(fields->items[at + count - 1], listens ? 0 : 1, &end->port) ||
        (bind_named && !is_host(fields->items[at])) ||
        (bind_named && !listens && fields->items[at][0] == '\0'))
        return 0;
    if (bind_named)
        end->host = SBI_STEAL(fields->items[at]);
    if (listens && end->host != NULL && strcmp(end->host, "*") == 0)
        end->host[0] = '\0';
    return count;
}

/* A path is one field, and an address of the target two: the rest is what listens. */
static bool take_both(struct fields *fields, struct sbi_forward_spec *spec)
{
    size_t target = fields->is_path[fields->count - 1] ? 1 : 2;
    size_t listen;

    if (fields->count <= target)
        return false;
    listen = fields->count - target;
    return take(fields, 0, listen, true, &spec->listen) == listen &&
           take(fields, listen, target, false, &spec->target) == target;
}

int sbi_forward_parse(int kind, const char *text, struct sbi_forward_spec *out,
                      sbx_error *err)
{
    SBI_CLEANUP(fields_clear) struct fields fields = {0};
    SBI_CLEANUP(sbi_forward_spec_clear) struct sbi_forward_spec spec = {0};
    bool whole;
    int rc = split(text, &fields, err);

    if (rc == SBX_ERR_INVALID)
        return fail(kind, text, err);
    if (rc < 0)
        return rc;
    if (kind == SBX_FORWARD_SOCKS)
        whole = take(&fields, 0, fields.count, true, &spec.listen) == fields.count;
    else
        whole = take_both(&fields, &spec);
    if (!whole || (kind == SBX_FORWARD_REMOTE && spec.listen.path != NULL))
        return fail(kind, text, err);
    *out = spec;
    spec = (struct sbi_forward_spec){0};
    return SBX_OK;
}

void sbi_forward_add_address(struct sbi_str *text, const char *host, int port)
{
    bool colons = strchr(host, ':') != NULL;

    sbi_str_addf(text, "%s%s%s:%d", colons ? "[" : "", host, colons ? "]" : "", port);
}

void sbi_forward_add_end(struct sbi_str *text, const struct sbi_forward_end *end)
{
    const char *host = end->host == NULL ? "localhost" : end->host;

    if (end->path != NULL)
        sbi_str_add(text, end->path);
    else
        sbi_forward_add_address(text, host[0] == '\0' ? "*" : host, end->port);
}

static void end_clear(struct sbi_forward_end *end)
{
    free(end->host);
    free(end->path);
    *end = (struct sbi_forward_end){0};
}

void sbi_forward_spec_clear(struct sbi_forward_spec *spec)
{
    end_clear(&spec->listen);
    end_clear(&spec->target);
}
