/* ssh_config_values.c - what numbers, times, sizes, ports and hops look like for ssh. */
#include "base/str.h"
#include "transport/ssh_config_reading.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

void sbi_ssh_config_lower(char *text)
{
    for (; *text != '\0'; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

bool sbi_ssh_config_number(const char *text, int64_t most, int64_t *out)
{
    long long value;
    char *end;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 0 || value > most)
        return false;
    *out = value;
    return true;
}

/* A port may be the name of a service, as /etc/services has it. */
static bool service_port(const char *name, int *out)
{
    struct servent entry, *found = NULL;
    char room[2048];

    if (getservbyname_r(name, "tcp", &entry, room, sizeof(room), &found) != 0 ||
        found == NULL)
        return false;
    *out = ntohs((uint16_t)entry.s_port);
    return *out > 0;
}

bool sbi_ssh_config_port(const char *text, int *out)
{
    int64_t value;

    if (!sbi_ssh_config_number(text, 65535, &value))
        return service_port(text, out);
    *out = (int)value;
    return value > 0;
}

/* Seconds of a unit letter; 0: there is no such unit. */
static int unit_seconds(char unit)
{
    static const char letters[] = "smhdw";
    static const int seconds[] = {1, 60, 3600, 86400, 604800};
    const char *found = strchr(letters, unit | 0x20);

    return unit == '\0' || found == NULL ? 0 : seconds[found - letters];
}

bool sbi_ssh_config_time(const char *text, int *seconds)
{
    int64_t total = 0;
    long long part;
    char *end;
    int unit;

    do {
        errno = 0;
        part = strtoll(text, &end, 10);
        if (end == text || errno != 0 || part < 0 || part > INT_MAX)
            return false;
        unit = *end == '\0' ? 1 : unit_seconds(*end++);
        total += part * unit;
        if (unit == 0 || total > INT_MAX)
            return false;
        text = end;
    } while (*text != '\0');
    *seconds = (int)total;
    return true;
}

/* How many bits a scale letter shifts; -1: there is no such scale. */
static int scale_bits(const char *text)
{
    static const char letters[] = "bkmgtpe";
    const char *found = *text == '\0' ? letters : strchr(letters, *text | 0x20);

    if (found == NULL || (*text != '\0' && text[1] != '\0'))
        return -1;
    return (int)(found - letters) * 10;
}

bool sbi_ssh_config_size(const char *text, int64_t *bytes)
{
    int64_t whole, fraction = 0, parts = 1;
    char *end;
    int bits;

    errno = 0;
    whole = strtoll(text, &end, 10);
    if (end == text || errno != 0 || whole < 0)
        return false;
    if (*end == '.')
        for (end++; *end >= '0' && *end <= '9'; end++)
            if (parts < 1000) {
                fraction = fraction * 10 + (*end - '0');
                parts *= 10;
            }
    bits = scale_bits(end);
    if (bits < 0 || bits > 50 || whole >= INT64_MAX >> (bits + 1))
        return false;
    *bytes = (whole << bits) + (fraction << bits) / parts;
    return true;
}

/* [user@]host[:port], the host maybe in brackets. */
static bool hop_is_good(const char *hop)
{
    const char *at = strrchr(hop, '@');
    const char *host = at == NULL ? hop : at + 1;
    const char *end = *host == '[' ? strchr(host, ']') : strpbrk(host, ":/");
    int port;

    if (at == hop || *host == '\0' || *host == '-' || end == host)
        return false;
    if (*host == '[' && end != NULL)
        end++;
    if (end == NULL)
        return *host != '[';
    return *end == '\0' || (*end == ':' && sbi_ssh_config_port(end + 1, &port));
}

static int add_hop(struct sbi_str *text, char *hop, sbx_error *err)
{
    bool uri = strncmp(hop, "ssh://", 6) == 0;
    size_t length;

    if (uri)
        hop += 6;
    length = strlen(hop);
    if (length > 0 && (hop[length - 1] == ':' || (uri && hop[length - 1] == '/')))
        hop[length - 1] = '\0';
    if (!hop_is_good(hop))
        return sbi_fail(err, SBX_ERR_CONFIG, "bad jump host '%s'", hop);

    if (text->length > 0)
        sbi_str_add(text, ",");
    sbi_str_add(text, hop);
    return SBX_OK;
}

int sbi_ssh_config_hops(const char *text, char **out, sbx_error *err)
{
    size_t length = strcspn(text, "#");
    SBI_AUTOFREE char *copy = strndup(text, length);
    SBI_AUTO_STR hops = {0};
    char *hop, *rest;
    int rc = SBX_OK;

    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for %zu bytes", length);
    while (length > 0 && strchr(" \t\r\n", copy[length - 1]) != NULL)
        copy[--length] = '\0';

    rest = copy;
    while (rc == SBX_OK && (hop = strsep(&rest, ",")) != NULL)
        rc = strcasecmp(copy, "none") == 0 ? (sbi_str_add(&hops, "none"), SBX_OK)
                                           : add_hop(&hops, hop, err);
    return rc < 0 ? rc : sbi_str_take(&hops, out, err);
}

bool sbi_ssh_config_domain(char *text)
{
    size_t i, length = strlen(text);

    if (length == 0 || strspn(text, LETTERS DIGITS) == 0 ||
        text[strspn(text, LETTERS DIGITS ".-_")] != '\0')
        return false;
    for (i = 1; i < length; i++)
        if (text[i] == '.' && text[i - 1] == '.')
            return false;
    if (text[length - 1] == '.')
        text[length - 1] = '\0';
    return true;
}
