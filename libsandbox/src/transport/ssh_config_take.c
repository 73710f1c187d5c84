/*
 * ssh_config_take.c - how each kind of value in ssh_config is checked and kept.
 *
 * A line is checked whether or not its block matches, as ssh does it: a mistake
 * shows at once, and not on the day that it is needed.
 */
#include "transport/ssh_config_take.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#define MAX_KEYS 100
#define MAX_KNOWN_HOSTS 32
#define MAX_NAMES 1024

/* The field, if this line is the one to fill it. */
static void *claim(struct sbi_ssh_reading *reading, size_t field)
{
    if (!reading->active || reading->given[field])
        return NULL;
    reading->given[field] = true;
    return (char *)&reading->said + field;
}

static int refuse(const struct sbi_ssh_keyword *keyword, const char *word, sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_CONFIG, "bad value '%s' for '%s'", word, keyword->name);
}

static int set_text(char **field, const char *text, sbx_error *err)
{
    char *copy = field == NULL ? NULL : strdup(text);

    if (field == NULL)
        return SBX_OK;
    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", text);
    free(*field);
    *field = copy;
    return SBX_OK;
}

static const struct sbi_ssh_choice *choose(const struct sbi_ssh_choice *choice,
                                           const char *word)
{
    for (; choice->word != NULL; choice++)
        if (strcasecmp(choice->word, word) == 0)
            return choice;
    return NULL;
}

/* store: puts the value into the field, of whatever type that is. */
static int take_chosen(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword,
                       const struct sbi_ssh_line *line, void (*store)(void *, int),
                       sbx_error *err)
{
    const struct sbi_ssh_choice *choice = choose(keyword->choices, line->words[0]);
    void *field;

    if (choice == NULL)
        return refuse(keyword, line->words[0], err);
    field = claim(reading, keyword->field);
    if (field != NULL)
        store(field, choice->value);
    return SBX_OK;
}

static void store_flag(void *field, int value)
{
    *(bool *)field = value != 0;
}

static void store_number(void *field, int value)
{
    *(int *)field = value;
}

int sbi_ssh_take_flag(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err)
{
    return take_chosen(reading, keyword, line, store_flag, err);
}

int sbi_ssh_take_choice(struct sbi_ssh_reading *reading,
                        const struct sbi_ssh_keyword *keyword,
                        const struct sbi_ssh_line *line, sbx_error *err)
{
    return take_chosen(reading, keyword, line, store_number, err);
}

/*
 * What is neither yes nor no is the path of an agent, and a yes. As in ssh the path has a
 * first of its own: it may stand behind a yes or a no, which it then leaves as it is.
 */
int sbi_ssh_take_forward_agent(struct sbi_ssh_reading *reading,
                               const struct sbi_ssh_keyword *keyword,
                               const struct sbi_ssh_line *line, sbx_error *err)
{
    const struct sbi_ssh_choice *choice = choose(keyword->choices, line->words[0]);
    bool *field = claim(reading, keyword->field);

    if (field != NULL)
        *field = choice == NULL || choice->value != 0;
    if (choice != NULL)
        return SBX_OK;
    return set_text(claim(reading, SBI_SSH_OPTION(forward_agent_path)), line->words[0],
                    err);
}

int sbi_ssh_take_number(struct sbi_ssh_reading *reading,
                        const struct sbi_ssh_keyword *keyword,
                        const struct sbi_ssh_line *line, sbx_error *err)
{
    int64_t value;
    int *field;

    if (!sbi_ssh_config_number(line->words[0], INT_MAX, &value))
        return refuse(keyword, line->words[0], err);
    field = claim(reading, keyword->field);
    if (field != NULL)
        *field = (int)value;
    return SBX_OK;
}

int sbi_ssh_take_port(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err)
{
    int value;
    int *field;

    if (!sbi_ssh_config_port(line->words[0], &value))
        return refuse(keyword, line->words[0], err);
    field = claim(reading, keyword->field);
    if (field != NULL)
        *field = value;
    return SBX_OK;
}

/* "none" leaves the field open for a later line. */
static int set_time(struct sbi_ssh_reading *reading,
                    const struct sbi_ssh_keyword *keyword, size_t field, const char *word,
                    sbx_error *err)
{
    int value;
    int *seconds;

    if (strcmp(word, "none") == 0)
        return SBX_OK;
    if (!sbi_ssh_config_time(word, &value))
        return refuse(keyword, word, err);
    seconds = claim(reading, field);
    if (seconds != NULL)
        *seconds = value;
    return SBX_OK;
}

int sbi_ssh_take_time(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err)
{
    return set_time(reading, keyword, keyword->field, line->words[0], err);
}

int sbi_ssh_take_rekey(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword,
                       const struct sbi_ssh_line *line, sbx_error *err)
{
    int64_t value = 0;
    int64_t *field;

    if (strcmp(line->words[0], "default") != 0 &&
        (!sbi_ssh_config_size(line->words[0], &value) || (value > 0 && value < 16)))
        return refuse(keyword, line->words[0], err);
    field = claim(reading, keyword->field);
    if (field != NULL)
        *field = value;
    return line->words[1] == NULL
               ? SBX_OK
               : set_time(reading, keyword, offsetof(struct sbi_ssh_said, rekey_seconds),
                          line->words[1], err);
}

int sbi_ssh_take_text(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err)
{
    return set_text(claim(reading, keyword->field), line->words[0], err);
}

static const char *after_equals(const struct sbi_ssh_line *line)
{
    return line->rest + strspn(line->rest, " \t\r\n=");
}

int sbi_ssh_take_command(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err)
{
    return set_text(claim(reading, keyword->field), after_equals(line), err);
}

/*
 * Whichever of ProxyJump and ProxyCommand comes first shuts the other out, with one
 * exception that is ssh's: "ProxyJump none" shuts out another ProxyJump only.
 */
int sbi_ssh_take_proxy_command(struct sbi_ssh_reading *reading,
                               const struct sbi_ssh_keyword *keyword,
                               const struct sbi_ssh_line *line, sbx_error *err)
{
    const char *jump = reading->said.options.proxy_jump;

    if (jump != NULL && strcasecmp(jump, "none") != 0)
        return SBX_OK;
    return sbi_ssh_take_command(reading, keyword, line, err);
}

int sbi_ssh_take_proxy_jump(struct sbi_ssh_reading *reading,
                            const struct sbi_ssh_keyword *keyword,
                            const struct sbi_ssh_line *line, sbx_error *err)
{
    SBI_AUTOFREE char *hops = NULL;
    int rc = sbi_ssh_config_hops(after_equals(line), &hops, err);

    if (rc < 0 || reading->given[SBI_SSH_OPTION(proxy_command)])
        return rc;
    return set_text(claim(reading, keyword->field), hops, err);
}

static int add_text(char ***list, const char *text, size_t most,
                    const struct sbi_ssh_keyword *keyword, sbx_error *err)
{
    if (sbi_strv_count((const char *const *)*list) >= most)
        return sbi_fail(err, SBX_ERR_LIMIT, "more than %zu values for '%s'", most,
                        keyword->name);
    return sbi_strv_add(list, text, err);
}

static char ***list_of(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword)
{
    return (char ***)(void *)((char *)&reading->said + keyword->field);
}

int sbi_ssh_take_key_file(struct sbi_ssh_reading *reading,
                          const struct sbi_ssh_keyword *keyword,
                          const struct sbi_ssh_line *line, sbx_error *err)
{
    char ***list = list_of(reading, keyword);

    if (!reading->active || sbi_strv_contains((const char *const *)*list, line->words[0]))
        return SBX_OK;
    return add_text(list, line->words[0], MAX_KEYS, keyword, err);
}

/* The whole list comes from one line. "none" stands alone. */
int sbi_ssh_take_files(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword,
                       const struct sbi_ssh_line *line, sbx_error *err)
{
    char ***list;
    char **word;
    int rc = SBX_OK;

    for (word = line->words; *word != NULL; word++)
        if (**word == '\0' || (strcasecmp(*word, "none") == 0 && line->words[1] != NULL))
            return refuse(keyword, *word, err);

    list = *line->words == NULL ? NULL : claim(reading, keyword->field);
    for (word = line->words; list != NULL && *word != NULL && rc == SBX_OK; word++)
        rc = add_text(list, *word, MAX_KNOWN_HOSTS, keyword, err);
    return rc;
}

int sbi_ssh_take_domains(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err)
{
    char **word;

    for (word = line->words; *word != NULL; word++) {
        sbi_ssh_config_lower(*word);
        if (!sbi_ssh_config_domain(*word))
            return refuse(keyword, *word, err);
    }
    return sbi_ssh_take_files(reading, keyword, line, err);
}

/* "none", "*", or "names:true names", of which both are lists of patterns. */
int sbi_ssh_take_cnames(struct sbi_ssh_reading *reading,
                        const struct sbi_ssh_keyword *keyword,
                        const struct sbi_ssh_line *line, sbx_error *err)
{
    const char *colon;
    char **word;

    for (word = line->words; *word != NULL; word++) {
        if (strcasecmp(*word, "none") == 0 || strcmp(*word, "*") == 0)
            continue;
        sbi_ssh_config_lower(*word);
        colon = strchr(*word, ':');
        if (colon == NULL || colon[1] == '\0')
            return refuse(keyword, *word, err);
    }
    return sbi_ssh_take_files(reading, keyword, line, err);
}

static void remove_matching(char **list, const char *pattern)
{
    char **kept = list;

    for (; list != NULL && *list != NULL; list++)
        if (sbi_ssh_config_pattern(*list, pattern))
            free(*list);
        else
            *kept++ = *list;
    if (list != NULL)
        *kept = NULL;
}

int sbi_ssh_take_send_env(struct sbi_ssh_reading *reading,
                          const struct sbi_ssh_keyword *keyword,
                          const struct sbi_ssh_line *line, sbx_error *err)
{
    char ***list = list_of(reading, keyword);
    char **word;
    int rc = SBX_OK;

    for (word = line->words; *word != NULL && rc == SBX_OK; word++) {
        if (**word == '\0' || strchr(*word, '=') != NULL)
            return refuse(keyword, *word, err);
        if (!reading->active)
            continue;
        if (**word == '-')
            remove_matching(*list, *word + 1);
        else if (!sbi_strv_contains((const char *const *)*list, *word))
            rc = add_text(list, *word, MAX_NAMES, keyword, err);
    }
    return rc;
}

static bool sets_name(char **list, const char *assignment)
{
    size_t length = strcspn(assignment, "=") + 1;

    for (; list != NULL && *list != NULL; list++)
        if (strncmp(*list, assignment, length) == 0)
            return true;
    return false;
}

int sbi_ssh_take_set_env(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err)
{
    char ***list;
    char **word;
    int rc = SBX_OK;

    for (word = line->words; *word != NULL; word++)
        if (strchr(*word, '=') == NULL)
            return refuse(keyword, *word, err);

    list = *line->words == NULL ? NULL : claim(reading, keyword->field);
    for (word = line->words; list != NULL && *word != NULL && rc == SBX_OK; word++)
        if (!sets_name(*list, *word))
            rc = add_text(list, *word, MAX_NAMES, keyword, err);
    return rc;
}

/* Once a pattern with '!' matches, no other word of the line counts. */
int sbi_ssh_take_host(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err)
{
    char **word;
    bool negated;

    reading->active = false;
    for (word = line->words; *word != NULL; word++) {
        if (**word == '\0')
            return refuse(keyword, *word, err);
        negated = **word == '!';
        if (!sbi_ssh_config_pattern(reading->host, *word + negated))
            continue;
        reading->active = !negated && !reading->never;
        if (negated)
            break;
    }
    return SBX_OK;
}

/* The criteria are cut up where they stand, and the line is for others to ask too. */
int sbi_ssh_take_match(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword,
                       const struct sbi_ssh_line *line, sbx_error *err)
{
    SBI_AUTOFREE char *criteria = strdup(line->rest);
    bool matches = false;
    int rc;

    (void)keyword;
    if (criteria == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", line->rest);
    rc = sbi_ssh_config_match(reading, criteria, &matches, err);
    if (rc == SBX_OK)
        reading->active = matches && !reading->never;
    return rc;
}

int sbi_ssh_take_include(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err)
{
    (void)keyword;
    return sbi_ssh_config_walk_included(reading, line, err);
}
