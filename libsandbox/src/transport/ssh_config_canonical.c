/*
 * ssh_config_canonical.c - CanonicalizeHostname: a short name becomes the full one that
 * the resolver knows.
 *
 * As in ssh each of CanonicalDomains is tried behind it, with a dot at the end, so that
 * the resolver adds nothing of its own; a true name that differs (a CNAME) is followed
 * where CanonicalizePermittedCNAMEs allows it.
 */
#include "base/clock.h"
#include "transport/dial.h"
#include "transport/ssh_config_reading.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LOOK_UP_MS 10000

struct search {
    struct sbi_ssh_reading *reading;
    int64_t deadline;           /* of all questions */
    char true_name[NI_MAXHOST]; /* of the last that was found, or "" */
    bool late;
};

static bool is_set(const char *proxy)
{
    return proxy != NULL && strcasecmp(proxy, "none") != 0;
}

/* What is behind a proxy has names of its own. */
static bool is_wanted(const struct sbi_ssh_said *said)
{
    return said->canonicalize == 2 ||
           (said->canonicalize == 1 && !is_set(said->options.proxy_jump) &&
            !is_set(said->options.proxy_command));
}

static bool ask(struct search *search, const char *name)
{
    int family = search->reading->said.options.address_family;
    int rc;

    if (search->late)
        return false;
    rc = sbi_dial_true_name(name, family, search->deadline, search->true_name,
                            sizeof(search->true_name), NULL);
    search->late = rc == SBX_ERR_TIMEOUT;
    if (rc == SBX_OK && !sbi_ssh_config_domain(search->true_name))
        search->true_name[0] = '\0';
    return rc == SBX_OK;
}

static bool allows(const char *rule, const char *name, const char *true_name)
{
    char names[1024];
    size_t length = strcspn(rule, ":");

    if (strcmp(rule, "*") == 0)
        return true;
    if (length >= sizeof(names) || rule[length] == '\0')
        return false;
    memcpy(names, rule, length);
    names[length] = '\0';
    return sbi_ssh_config_pattern_list(name, names, true) == 1 &&
           sbi_ssh_config_pattern_list(true_name, rule + length + 1, true) == 1;
}

/* The true name in place of one that was found, if a rule says so. */
static const char *follow(const struct search *search, const char *name)
{
    char *const *rule = search->reading->said.permitted_cnames;

    if (search->true_name[0] != '\0')
        for (; rule != NULL && *rule != NULL; rule++)
            if (allows(*rule, name, search->true_name))
                return search->true_name;
    return name;
}

static int take(struct search *search, char *name, sbx_error *err)
{
    char **hostname = &search->reading->said.options.hostname;
    char *copy;

    if (name[strlen(name) - 1] == '.')
        name[strlen(name) - 1] = '\0';
    copy = strdup(follow(search, name));
    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", name);
    free(*hostname);
    *hostname = copy;
    return SBX_OK;
}

static int count_dots(const char *name)
{
    int dots = 0;

    for (; *name != '\0'; name++)
        dots += *name == '.';
    return dots;
}

/* Whether the name, with one of the domains behind it unless it is whole, is known. */
static bool search_domains(struct search *search, const char *host, char *out,
                           size_t room)
{
    char *const *domain = search->reading->said.canonical_domains;

    if (host[strlen(host) - 1] == '.') {
        (void)snprintf(out, room, "%s", host);
        return ask(search, out);
    }
    for (; domain != NULL && *domain != NULL && strcasecmp(*domain, "none") != 0;
         domain++)
        if (snprintf(out, room, "%s.%s.", host, *domain) < (int)room && ask(search, out))
            return true;
    return false;
}

/* The name as it was asked for is looked up where it could lead to another one. */
static int follow_bare(struct search *search, const char *host, sbx_error *err)
{
    char name[NI_MAXHOST];

    if (search->reading->said.permitted_cnames == NULL)
        return SBX_OK;
    (void)snprintf(name, sizeof(name), "%s", host);
    return ask(search, name) ? take(search, name, err) : SBX_OK;
}

static int not_found(struct search *search, const char *host, sbx_error *err)
{
    if (search->late)
        sbi_ssh_config_warn(search->reading,
                            "'CanonicalizeHostname': the resolver is slow: '%s' stays",
                            host);
    if (search->reading->said.canonical_fallback == 0)
        return sbi_fail(err, SBX_ERR_CONFIG,
                        "no name of '%s' is known, and 'CanonicalizeFallbackLocal' is no",
                        host);
    return follow_bare(search, host, err);
}

int sbi_ssh_config_canonicalize(struct sbi_ssh_reading *reading, sbx_error *err)
{
    const struct sbi_ssh_said *said = &reading->said;
    const char *host = said->options.hostname;
    struct search search = {.reading = reading, .deadline = sbi_deadline(LOOK_UP_MS)};
    char name[NI_MAXHOST];

    if (!is_wanted(said) || strlen(host) + 2 >= sizeof(name) || host[0] == '\0')
        return SBX_OK;
    if (reading->text_only) {
        sbi_ssh_config_warn(reading, "'CanonicalizeHostname': no name is looked up");
        return SBX_OK;
    }
    if (host[strlen(host) - 1] != '.' && count_dots(host) > said->canonical_max_dots)
        return follow_bare(&search, host, err);
    if (search_domains(&search, host, name, sizeof(name)))
        return take(&search, name, err);
    return not_found(&search, host, err);
}
