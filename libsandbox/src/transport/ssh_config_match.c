/* ssh_config_match.c - which hosts a pattern means, and when the criteria of Match hold.
 */
#include "base/clock.h"
#include "transport/ssh_config_reading.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define EXEC_LIMIT_MS 10000

/* Keeps only the last star: an earlier one never needs to be tried again. */
bool sbi_ssh_config_pattern(const char *text, const char *pattern)
{
    const char *star = NULL, *after_star = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            after_star = text;
        } else if (*pattern == '?' || (*pattern != '\0' && *pattern == *text)) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++after_star;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

bool sbi_ssh_config_is_pattern(const char *word)
{
    return *word == '\0' || *word == '!' || strpbrk(word, "*?") != NULL;
}

int sbi_ssh_config_pattern_list(const char *text, const char *list, bool lower)
{
    char pattern[1024];
    size_t length;
    int found = 0;
    bool negated;

    while (*list != '\0') {
        negated = *list == '!';
        list += negated;
        length = strcspn(list, ",");
        if (length >= sizeof(pattern) - 1)
            return 0;
        memcpy(pattern, list, length);
        pattern[length] = '\0';
        if (lower)
            sbi_ssh_config_lower(pattern);
        if (sbi_ssh_config_pattern(text, pattern)) {
            if (negated)
                return -1;
            found = 1;
        }
        list += length + (list[length] == ',');
    }
    return found;
}

/* What the criteria of one line look at. */
struct subject {
    struct sbi_ssh_reading *reading;
    char *host; /* owned */
    bool so_far;
};

enum verdict { NO = 0, YES = 1, UNKNOWN = 2 };

typedef int (*holds_fn)(const struct subject *subject, const char *word);

static int matches_host(const char *host, const char *list)
{
    SBI_AUTOFREE char *copy = strdup(host);

    if (copy == NULL)
        return UNKNOWN;
    sbi_ssh_config_lower(copy);
    return sbi_ssh_config_pattern_list(copy, list, true) == 1;
}

static int host_holds(const struct subject *subject, const char *word)
{
    return matches_host(subject->host, word);
}

static int original_host_holds(const struct subject *subject, const char *word)
{
    return matches_host(subject->reading->original, word);
}

static const char *remote_user(const struct sbi_ssh_reading *reading)
{
    const char *user = reading->said.options.user;

    return user == NULL ? reading->self->user : user;
}

static int user_holds(const struct subject *subject, const char *word)
{
    return sbi_ssh_config_pattern_list(remote_user(subject->reading), word, false) == 1;
}

static int local_user_holds(const struct subject *subject, const char *word)
{
    return sbi_ssh_config_pattern_list(subject->reading->self->user, word, false) == 1;
}

static int tagged_holds(const struct subject *subject, const char *word)
{
    const char *tag = subject->reading->said.options.tag;

    return sbi_ssh_config_pattern_list(tag == NULL ? "" : tag, word, false) == 1;
}

static int expand_command(const struct subject *subject, const char *word, char **out,
                          sbx_error *err)
{
    struct sbi_ssh_reading *reading = subject->reading;
    const struct sbi_ssh_options *said = &reading->said.options;
    struct sbi_ssh_tokens tokens;
    int rc = sbi_ssh_config_tokens(
        reading, subject->host, said->port, remote_user(reading),
        said->host_key_alias == NULL ? subject->host : said->host_key_alias, &tokens,
        err);

    return rc < 0 ? rc : sbi_ssh_config_expand(word, tokens.list, false, out, err);
}

/* Not run where it cannot change the outcome: a command is more than a question. */
static int exec_holds(const struct subject *subject, const char *word)
{
    SBI_AUTOFREE char *command = NULL;
    sbx_error err = {0};
    int exit_code, rc;

    if (!subject->so_far || subject->reading->never)
        return NO;
    if (subject->reading->text_only) {
        sbi_ssh_config_warn(subject->reading, "command '%s' is not run", word);
        return UNKNOWN;
    }
    rc = expand_command(subject, word, &command, &err);
    if (rc == SBX_OK)
        rc = sbi_ssh_config_exec(command, sbi_deadline(EXEC_LIMIT_MS), &exit_code, &err);
    if (rc == SBX_OK)
        return exit_code == 0;
    sbi_ssh_config_warn(subject->reading, "%s", err.text);
    return UNKNOWN;
}

static int final_holds(const struct subject *subject, const char *word)
{
    (void)word;
    subject->reading->wants_final = true;
    return subject->reading->final_pass;
}

static int canonical_holds(const struct subject *subject, const char *word)
{
    (void)word;
    return subject->reading->final_pass;
}

static const struct criterion {
    const char *name;
    holds_fn holds;
    bool has_word;
} criteria[] = {
    {"host", host_holds, true},     {"originalhost", original_host_holds, true},
    {"user", user_holds, true},     {"localuser", local_user_holds, true},
    {"tagged", tagged_holds, true}, {"exec", exec_holds, true},
    {"final", final_holds, false},  {"canonical", canonical_holds, false},
};

static const struct criterion *find_criterion(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(criteria) / sizeof(criteria[0]); i++)
        if (strcasecmp(criteria[i].name, name) == 0)
            return &criteria[i];
    return NULL;
}

static bool ends_here(const char *word)
{
    return word == NULL || *word == '\0' || *word == '#';
}

/* One criterion, from its name on. Sets so_far; *known is false on one of another age. */
static int look_at(struct subject *subject, const char *name, char **at, bool *known,
                   sbx_error *err)
{
    bool negated = *name == '!';
    const struct criterion *criterion = find_criterion(name + negated);
    const char *word = NULL;
    int holds;

    *known = criterion != NULL;
    if (criterion == NULL) {
        sbi_ssh_config_warn(subject->reading, "cannot evaluate 'Match %s'", name);
        return SBX_OK;
    }
    if (criterion->has_word && ends_here(word = sbi_ssh_config_word(at)))
        return sbi_fail(err, SBX_ERR_CONFIG, "nothing follows 'Match %s'", name);

    holds = criterion->holds(subject, word);
    if (holds == UNKNOWN || (holds == YES) == negated)
        subject->so_far = false;
    return SBX_OK;
}

/* "all" stands alone, or behind one other criterion, which is "final" or "canonical". */
static int look_at_all(struct subject *subject, bool negated, int others, char **at,
                       sbx_error *err)
{
    if (others > 1 || !ends_here(sbi_ssh_config_word(at)))
        return sbi_fail(err, SBX_ERR_CONFIG, "'Match all' has other criteria");
    if (negated)
        subject->so_far = false;
    return SBX_OK;
}

static int look_at_each(struct subject *subject, char *rest, sbx_error *err)
{
    char *name;
    int others = 0;
    bool known = true;
    int rc = SBX_OK;

    while (rc == SBX_OK && !ends_here(name = sbi_ssh_config_word(&rest))) {
        if (strcasecmp(name, "all") == 0 || strcasecmp(name, "!all") == 0)
            return look_at_all(subject, *name == '!', others, &rest, err);
        rc = look_at(subject, name, &rest, &known, err);
        if (!known) {
            subject->so_far = false;
            return SBX_OK;
        }
        others++;
    }
    if (rc == SBX_OK && others == 0)
        return sbi_fail(err, SBX_ERR_CONFIG, "'Match' without a criterion");
    return rc;
}

int sbi_ssh_config_match(struct sbi_ssh_reading *reading, char *rest, bool *matches,
                         sbx_error *err)
{
    const char *real = reading->said.options.hostname;
    const struct sbi_ssh_token tokens[] = {
        {'h', reading->original}, {'n', reading->original}, {'\0', NULL}};
    SBI_AUTOFREE char *host = NULL;
    struct subject subject = {.reading = reading, .so_far = true};
    int rc;

    if (reading->final_pass || real == NULL)
        rc = sbi_ssh_config_expand(real == NULL ? reading->original : real, NULL, false,
                                   &host, err);
    else
        rc = sbi_ssh_config_expand(real, tokens, false, &host, err);
    subject.host = host;
    if (rc == SBX_OK)
        rc = look_at_each(&subject, rest, err);
    if (rc == SBX_OK)
        *matches = subject.so_far;
    return rc;
}
