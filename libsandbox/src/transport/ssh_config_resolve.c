/*
 * ssh_config_resolve.c - resolves a host: reads the files in one pass or two, and makes
 * the options of what they said.
 *
 * The second pass, over all files once more, is there for those who ask for it
 * (`Match final`, CanonicalizeHostname): there Host looks at the real name. What
 * the first pass filled stays.
 */
#include "base/str.h"
#include "transport/ssh_config_reading.h"
#include "transport/ssh_config_result.h"

#include <netdb.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define MAX_WARNINGS 64
#define SYSTEM_FILE "/etc/ssh/ssh_config"

static void clear_reading(struct sbi_ssh_reading *reading)
{
    sbi_ssh_options_clear(&reading->said.options);
    free(reading->said.ignore_unknown);
    sbi_strv_clear(&reading->said.canonical_domains);
    sbi_strv_clear(&reading->said.permitted_cnames);
    free(reading->self.user);
    free(reading->self.home);
    sbi_strv_clear(&reading->names);
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

/* A uid without a passwd entry is common in containers; ssh would give up there. */
static int find_self(struct sbi_ssh_self *self, sbx_error *err)
{
    struct passwd entry, *found = NULL;
    char room[4096];
    const char *home, *user;
    int rc;

    self->uid = getuid();
    if (gethostname(self->host, sizeof(self->host) - 1) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "ask for the name of this machine");
    if (getpwuid_r(self->uid, &entry, room, sizeof(room), &found) != 0)
        found = NULL;
    user = found == NULL ? getenv("USER") : entry.pw_name;
    home = found == NULL ? getenv("HOME") : entry.pw_dir;
    if (user == NULL || home == NULL)
        return sbi_fail(err, SBX_ERR_CONFIG, "user %llu has no name or no home folder",
                        (unsigned long long)self->uid);
    rc = copy_text(&self->user, user, err);
    return rc < 0 ? rc : copy_text(&self->home, home, err);
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

/* The part of an address that was given counts as the first line of all files. */
static int begin(struct sbi_ssh_reading *reading,
                 const struct sbi_ssh_config_source *source, const char *host,
                 sbx_error *err)
{
    struct sbi_ssh_said *said = &reading->said;
    int rc = check_host(host, err);

    if (rc == SBX_OK && source->user != NULL)
        rc = check_user(source->user, err);
    if (rc == SBX_OK && (source->port < 0 || source->port > 65535))
        rc = sbi_fail(err, SBX_ERR_INVALID, "'%d' is no port", source->port);
    if (rc == SBX_OK)
        rc = find_self(&reading->self, err);
    if (rc == SBX_OK)
        rc = copy_text(&said->options.original_host, host, err);
    if (rc == SBX_OK && source->user != NULL)
        rc = copy_text(&said->options.user, source->user, err);
    if (rc < 0)
        return rc;

    sbi_ssh_config_defaults(said);
    if (source->port != 0)
        said->options.port = source->port;
    reading->given[SBI_SSH_OPTION(user)] = source->user != NULL;
    reading->given[SBI_SSH_OPTION(port)] = source->port != 0;
    reading->original = said->options.original_host;
    reading->host = reading->original;
    return SBX_OK;
}

static int read_default_files(struct sbi_ssh_reading *reading, const char *system_file,
                              sbx_error *err)
{
    SBI_AUTO_STR path = {0};
    int how = system_file == NULL ? 0 : SBI_SSH_CONFIG_MUST;
    int rc;

    sbi_str_addf(&path, "%s/.ssh/config", reading->self.home);
    if (path.status != SBX_OK)
        return sbi_fail(err, path.status, "out of memory");
    reading->active = true;
    rc = sbi_ssh_config_read_file(reading, path.data,
                                  SBI_SSH_CONFIG_USER | SBI_SSH_CONFIG_CHECK, err);
    reading->active = true;
    if (rc == SBX_OK)
        rc = sbi_ssh_config_read_file(
            reading, system_file == NULL ? SYSTEM_FILE : system_file, how, err);
    return rc;
}

static int read_files(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_config_source *source, sbx_error *err)
{
    if (source->user_file == NULL)
        return read_default_files(reading, source->system_file, err);
    if (strcasecmp(source->user_file, "none") == 0)
        return SBX_OK;
    reading->active = true;
    return sbi_ssh_config_read_file(reading, source->user_file,
                                    SBI_SSH_CONFIG_USER | SBI_SSH_CONFIG_MUST, err);
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

/* One pass: what reads the files, or the text that stands for them. */
typedef int (*pass_fn)(struct sbi_ssh_reading *reading, const void *from, sbx_error *err);

static int pass_over_files(struct sbi_ssh_reading *reading, const void *from,
                           sbx_error *err)
{
    return read_files(reading, from, err);
}

static int read_in_passes(struct sbi_ssh_reading *reading, pass_fn pass, const void *from,
                          sbx_error *err)
{
    struct sbi_ssh_options *options = &reading->said.options;
    int rc = pass(reading, from, err);

    if (rc == SBX_OK)
        rc = find_hostname(reading, err);
    if (rc == SBX_OK && (reading->wants_final || reading->said.canonicalize != 0)) {
        reading->final_pass = true;
        reading->host = options->hostname;
        rc = pass(reading, from, err);
    }
    if (rc == SBX_OK && options->user == NULL)
        rc = copy_text(&options->user, reading->self.user, err);
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

int sbi_ssh_config_resolve(const struct sbi_ssh_config_source *source, const char *host,
                           struct sbi_ssh_options **out, sbx_error *err)
{
    SBI_CLEANUP(clear_reading) struct sbi_ssh_reading reading = {0};
    int rc = begin(&reading, source, host, err);

    if (rc == SBX_OK)
        rc = read_in_passes(&reading, pass_over_files, source, err);
    return rc < 0 ? rc : hand_over(&reading, out, err);
}

struct text {
    const char *bytes;
    size_t length;
};

static int pass_over_text(struct sbi_ssh_reading *reading, const void *from,
                          sbx_error *err)
{
    const struct text *text = from;
    SBI_AUTO_STR copy = {0};

    sbi_str_add_bytes(&copy, text->bytes, text->length);
    if (copy.status != SBX_OK)
        return sbi_fail(err, copy.status, "out of memory for %zu bytes", text->length);
    reading->active = true;
    reading->of_user = true;
    reading->file = "text";
    reading->line = 0;
    return sbi_ssh_config_read_text(reading, copy.data, copy.length, err);
}

int sbi_ssh_config_resolve_text(const char *text, size_t length, const char *host,
                                struct sbi_ssh_options **out, sbx_error *err)
{
    const struct sbi_ssh_config_source nothing = {.user_file = "none"};
    const struct text from = {text, length};
    SBI_CLEANUP(clear_reading) struct sbi_ssh_reading reading = {.text_only = true};
    int rc = begin(&reading, &nothing, host, err);

    if (rc == SBX_OK)
        rc = read_in_passes(&reading, pass_over_text, &from, err);
    return rc < 0 ? rc : hand_over(&reading, out, err);
}

int sbi_ssh_config_names(const struct sbi_ssh_config_source *source, char ***out,
                         sbx_error *err)
{
    SBI_CLEANUP(clear_reading) struct sbi_ssh_reading reading = {.names_only = true};
    int rc = find_self(&reading.self, err);

    if (rc == SBX_OK)
        rc = read_files(&reading, source, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(reading.names);
    return rc;
}
