/*
 * ssh_config_resolve.c - resolves a host: goes over the files in one pass or two, and
 * makes the options of what they say.
 *
 * The second pass, over all files once more, is there for those who ask for it
 * (`Match final`, CanonicalizeHostname): there Host looks at the real name. What
 * the first pass filled stays.
 */
#include "transport/ssh_config_reading.h"
#include "transport/ssh_config_result.h"

#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define MAX_WARNINGS 64

static void clear_reading(struct sbi_ssh_reading *reading)
{
    sbi_ssh_options_clear(&reading->said.options);
    free(reading->said.ignore_unknown);
    sbi_strv_clear(&reading->said.canonical_domains);
    sbi_strv_clear(&reading->said.permitted_cnames);
}

void sbi_ssh_config_warn(struct sbi_ssh_reading *reading, const char *format, ...)
{
    char **list = reading->said.options.warnings;
    char sentence[400], whole[600];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    if (reading->file == NULL)
        (void)snprintf(whole, sizeof(whole), "%s", sentence);
    else
        (void)snprintf(whole, sizeof(whole), "'%.180s' line %zu: %s", reading->file,
                       reading->line, sentence);
    if (sbi_strv_count((const char *const *)list) < MAX_WARNINGS &&
        !sbi_strv_contains((const char *const *)list, whole))
        (void)sbi_strv_add(&reading->said.options.warnings, whole, NULL);
}

static int copy_text(char **out, const char *text, sbx_error *err)
{
    *out = strdup(text);
    return *out == NULL ? sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", text)
                        : SBX_OK;
}

/* Such a word would be a command once a ProxyCommand or Match exec has it as %h. */
static int check_host(const char *host, sbx_error *err)
{
    const char *at;

    if (host == NULL || *host == '\0' || *host == '-')
        return sbi_fail(err, SBX_ERR_INVALID, "'%s' is no host",
                        host == NULL ? "" : host);
    for (at = host; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f ||
            strchr("'`\"$\\;&<>|(){}", *at) != NULL)
            return sbi_fail(err, SBX_ERR_INVALID, "'%s' is no host", host);
    return SBX_OK;
}

static int check_user(const char *user, sbx_error *err)
{
    const char *at;
    bool bad = *user == '\0' || *user == '-';

    for (at = user; *at != '\0' && !bad; at++)
        bad = (unsigned char)*at < ' ' || *at == 0x7f ||
              strchr("'`\";&<>|(){}", *at) != NULL || (at[0] == ' ' && at[1] == '-') ||
              (at[0] == '\\' && at[1] == '\0');
    return bad ? sbi_fail(err, SBX_ERR_INVALID, "'%s' is no user", user) : SBX_OK;
}

static int check_asked(const struct sbi_ssh_asked *asked, sbx_error *err)
{
    int rc = check_host(asked->host, err);

    if (rc == SBX_OK && asked->user != NULL)
        rc = check_user(asked->user, err);
    if (rc == SBX_OK && (asked->port < 0 || asked->port > 65535))
        rc = sbi_fail(err, SBX_ERR_INVALID, "'%d' is no port", asked->port);
    return rc;
}

/* The part of an address that was given counts as the first line of all files. */
static int begin(struct sbi_ssh_reading *reading, const struct sbi_ssh_asked *asked,
                 sbx_error *err)
{
    struct sbi_ssh_said *said = &reading->said;
    int rc = check_asked(asked, err);

    if (rc == SBX_OK)
        rc = copy_text(&said->options.original_host, asked->host, err);
    if (rc == SBX_OK && asked->user != NULL)
        rc = copy_text(&said->options.user, asked->user, err);
    if (rc < 0)
        return rc;

    sbi_ssh_config_defaults(said);
    if (asked->port != 0)
        said->options.port = asked->port;
    reading->given[SBI_SSH_OPTION(user)] = asked->user != NULL;
    reading->given[SBI_SSH_OPTION(port)] = asked->port != 0;
    reading->original = said->options.original_host;
    reading->host = reading->original;
    return SBX_OK;
}

/* An address in its one usual form ("127.1" is 127.0.0.1); false: it is a name. */
static bool usual_address(const char *host, int family, char *out, socklen_t room)
{
    struct addrinfo hints = {.ai_family = family,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int rc;

    if (getaddrinfo(host, "22", &hints, &found) != 0)
        return false;
    rc = getnameinfo(found->ai_addr, found->ai_addrlen, out, room, NULL, 0,
                     NI_NUMERICHOST);
    freeaddrinfo(found);
    return rc == 0;
}

/* What ssh takes for an address by its letters alone, and so leaves in its case. */
static bool looks_like_address(const char *host)
{
    return strpbrk(host, "%:") != NULL || host[strspn(host, "0123456789.")] == '\0';
}

/* The name that HostName makes of the word asked for. */
static int find_hostname(struct sbi_ssh_reading *reading, sbx_error *err)
{
    struct sbi_ssh_options *options = &reading->said.options;
    const struct sbi_ssh_token tokens[] = {
        {'h', reading->original}, {'n', reading->original}, {'\0', NULL}};
    const char *said = options->hostname;
    SBI_AUTOFREE char *name = NULL;
    char address[NI_MAXHOST];
    int rc = said == NULL ? copy_text(&name, reading->original, err)
                          : sbi_ssh_config_expand(said, tokens, false, &name, err);

    if (rc < 0)
        return rc;
    free(options->hostname);
    options->hostname = SBI_STEAL(name);
    reading->given[SBI_SSH_OPTION(hostname)] = true;
    if (!usual_address(options->hostname, options->address_family, address,
                       sizeof(address))) {
        if (looks_like_address(options->hostname))
            return SBX_OK;
        sbi_ssh_config_lower(options->hostname);
        return sbi_ssh_config_canonicalize(reading, err);
    }
    if (strcasecmp(options->hostname, address) == 0)
        return SBX_OK;
    free(options->hostname);
    options->hostname = NULL;
    return copy_text(&options->hostname, address, err);
}

static int pass(struct sbi_ssh_reading *reading, const struct sbi_ssh_files *files,
                sbx_error *err)
{
    struct sbi_ssh_file *const *file = files->top;
    int rc = SBX_OK;

    for (; *file != NULL && rc == SBX_OK; file++) {
        reading->active = true;
        rc = sbi_ssh_config_walk(reading, *file, err);
    }
    return rc;
}

static int go_in_passes(struct sbi_ssh_reading *reading,
                        const struct sbi_ssh_files *files, sbx_error *err)
{
    struct sbi_ssh_options *options = &reading->said.options;
    int rc = pass(reading, files, err);

    if (rc == SBX_OK)
        rc = find_hostname(reading, err);
    if (rc == SBX_OK && (reading->wants_final || reading->said.canonicalize != 0)) {
        reading->final_pass = true;
        reading->host = options->hostname;
        rc = pass(reading, files, err);
    }
    if (rc == SBX_OK && options->user == NULL)
        rc = copy_text(&options->user, files->self.user, err);
    return rc < 0 ? rc : sbi_ssh_config_finish(reading, err);
}

static int hand_over(struct sbi_ssh_reading *reading, struct sbi_ssh_options **out,
                     sbx_error *err)
{
    struct sbi_ssh_options *options = malloc(sizeof(*options));

    if (options == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *options = reading->said.options;
    reading->said.options = (struct sbi_ssh_options){0};
    *out = options;
    return SBX_OK;
}

int sbi_ssh_files_resolve(const struct sbi_ssh_files *files,
                          const struct sbi_ssh_asked *asked, struct sbi_ssh_options **out,
                          sbx_error *err)
{
    SBI_CLEANUP(clear_reading)
    struct sbi_ssh_reading reading = {.self = &files->self,
                                      .text_only = files->text_only};
    int rc = begin(&reading, asked, err);

    if (rc == SBX_OK)
        rc = go_in_passes(&reading, files, err);
    return rc < 0 ? rc : hand_over(&reading, out, err);
}
