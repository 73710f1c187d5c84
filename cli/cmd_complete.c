/*
 * cmd_complete.c - `__complete`, which the completion scripts call: the words that
 * may stand next, one a line, each with a tab and its help where it has one.
 *
 * A line that begins with a colon asks the shell for its own: ":file" names of
 * files, ":dir" names of folders, ":command" a command with its arguments.
 */
#include "cmd.h"
#include "places.h"

#include <stdio.h>
#include <string.h>

/* Where the words that are whole lead. */
struct state {
    struct app *app;
    const struct cmd *cmd;     /* NULL: the command is not named yet */
    const struct opt *waiting; /* its value comes next */
    size_t operands;
    bool words_only; /* behind "--", or behind what is not ours */
    const char *current;
};

static const struct opt *find_option(const struct state *state, const char *word)
{
    const struct opt *own = state->cmd == NULL ? cmd_no_options : state->cmd->options;
    const struct opt *opt;
    size_t length;

    if (word[1] == '-') {
        length = strcspn(word + 2, "=");
        opt = opt_named(own, word + 2, length);
        return opt != NULL ? opt : opt_named(app_options, word + 2, length);
    }
    opt = opt_lettered(own, word[1]);
    return opt != NULL ? opt : opt_lettered(app_options, word[1]);
}

static bool has_value(const char *word)
{
    return word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
}

static void pass_name(struct state *state, const char *word)
{
    const struct cmd *const *table = state->cmd == NULL ? cmd_all : state->cmd->commands;
    const struct cmd *next = cmd_named(table, word);

    if (next != NULL && state->operands == 0)
        state->cmd = next;
    else if (state->cmd != NULL && state->cmd->run != NULL)
        state->operands++;
    else
        state->words_only = true;
}

static void pass_word(struct state *state, const char *word)
{
    const struct opt *opt;

    if (state->waiting != NULL) {
        state->waiting = NULL;
    } else if (!state->words_only && strcmp(word, "--") == 0) {
        state->words_only = true;
    } else if (!state->words_only && word[0] == '-' && word[1] != '\0') {
        opt = find_option(state, word);
        if (opt != NULL && opt->kind != OPT_FLAG && !has_value(word))
            state->waiting = opt;
    } else if (state->cmd == NULL || state->cmd->commands != NULL) {
        pass_name(state, word);
    } else {
        state->operands++;
        if (state->cmd->stop == OPT_TO_FIRST_WORD)
            state->words_only = true;
    }
}

static void offer(const struct state *state, const char *head, const char *word,
                  const char *help)
{
    AUTO_TEXT whole = {0};

    text_addf(&whole, "%s%s", head, word);
    if (strncmp(whole.data, state->current, strlen(state->current)) != 0)
        return;
    (void)printf("%s%s%s\n", whole.data, help != NULL ? "\t" : "",
                 help != NULL ? help : "");
}

static void offer_options(const struct state *state, const struct opt *table)
{
    for (; table->name != NULL; table++)
        if (table->kind != OPT_REFUSED)
            offer(state, "--", table->name, table->help);
}

static void offer_commands(const struct state *state, const struct cmd *const *table)
{
    for (; *table != NULL; table++)
        if (!cmd_hidden(*table))
            offer(state, "", cmd_word(*table), (*table)->help);
}

/* Each of a row's words; one that names a kind of thing is left to the shell. */
static void offer_words(const struct state *state, const char *head, const char *words)
{
    if (strcmp(words, "file") == 0 || strcmp(words, "dir") == 0) {
        (void)printf(":%s\n", words);
        return;
    }
    for (; *words != '\0'; words += strcspn(words, " "), words += strspn(words, " ")) {
        AUTOFREE char *word = own_copy(words, strcspn(words, " "));

        offer(state, head, word, NULL);
    }
}

/* head: what of the word stands already, "gpu1,"; tail: what follows a name. of_list:
 * those alone that hosts.json has. */
static void offer_names(const struct state *state, const char *head, const char *tail,
                        bool of_list)
{
    sbx_error err = {0};
    size_t i;

    if (app_open_hosts(state->app, &err) < 0)
        return;
    for (i = 0; i < sbx_hosts_count(state->app->hosts); i++) {
        const sbx_host *host = sbx_hosts_at(state->app->hosts, i);
        AUTO_TEXT name = {0};

        if (of_list && host->source != SBX_HOST_LIST)
            continue;
        text_addf(&name, "%s%s", host->name, tail);
        offer(state, head, name.data, NULL);
    }
}

static void offer_places(const struct state *state, const char *head, bool tags_too)
{
    AUTO_WORDS tags = {0};
    size_t i;

    offer_names(state, head, "", false);
    if (state->app->hosts == NULL)
        return;
    if (!tags_too)
        return;
    places_tags(state->app->hosts, &tags);
    for (i = 0; i < tags.count; i++) {
        AUTO_TEXT tag = {0};

        text_addf(&tag, "@%s", tags.items[i]);
        offer(state, head, tag.data, NULL);
    }
}

/* A path of this machine, or a place with its colon. */
static void offer_either(const struct state *state)
{
    if (strpbrk(state->current, "/:.~") == NULL)
        offer_names(state, "", ":", false);
    offer_words(state, "", "file");
}

/* The part of a row's `completes` for that operand: they stand with '|' between them. */
static char *kind_of(const struct cmd *cmd, size_t operand)
{
    const char *kind = cmd->completes;
    const char *bar;

    if (kind == NULL)
        return NULL;
    for (; operand > 0 && (bar = strchr(kind, '|')) != NULL; operand--)
        kind = bar + 1;
    return own_copy(kind, strcspn(kind, "|"));
}

static void offer_operand(const struct state *state)
{
    AUTOFREE char *kind = kind_of(state->cmd, state->operands);
    const char *comma = strrchr(state->current, ',');
    AUTOFREE char *head = own_copy(
        state->current, comma == NULL ? 0 : (size_t)(comma + 1 - state->current));

    if (state->cmd->stop == OPT_TO_FIRST_WORD && state->operands > 0)
        (void)printf(":command\n");
    else if (kind == NULL || state->operands >= state->cmd->most)
        return;
    else if (strcmp(kind, "places") == 0)
        offer_places(state, head, true);
    else if (strcmp(kind, "place") == 0)
        offer_places(state, "", false);
    else if (strcmp(kind, "address") == 0)
        offer_names(state, "", ":", false);
    else if (strcmp(kind, "file-or-address") == 0)
        offer_either(state);
    else if (strcmp(kind, "entry") == 0)
        offer_names(state, "", "", true);
    else if (strcmp(kind, "command") == 0)
        offer_commands(state, cmd_all);
    else
        offer_words(state, "", kind);
}

/* "--name=val": the value's words, with the option's name in front. */
static void offer_value(const struct state *state)
{
    const struct opt *opt = find_option(state, state->current);
    AUTOFREE char *head = own_copy(
        state->current, (size_t)(strchr(state->current, '=') + 1 - state->current));

    if (opt != NULL && opt->completes != NULL)
        offer_words(state, head, opt->completes);
}

static void offer_current(const struct state *state)
{
    bool option = !state->words_only && state->current[0] == '-';

    if (state->waiting != NULL) {
        if (state->waiting->completes != NULL)
            offer_words(state, "", state->waiting->completes);
    } else if (option && state->current[1] == '-' &&
               strchr(state->current, '=') != NULL) {
        offer_value(state);
    } else if (option) {
        offer_options(state, state->cmd == NULL ? cmd_no_options : state->cmd->options);
        offer_options(state, app_options);
    } else if (state->cmd == NULL || state->cmd->commands != NULL) {
        if (!state->words_only && state->operands == 0)
            offer_commands(state, state->cmd == NULL ? cmd_all : state->cmd->commands);
        if (state->cmd != NULL && state->cmd->run != NULL)
            offer_operand(state);
    } else {
        offer_operand(state);
    }
}

/* The words of the line behind the program's name; the last one is being typed. */
static int run_complete(struct app *app, const void *values, const struct words *operands)
{
    struct state state = {.app = app, .current = operands->items[operands->count - 1]};
    size_t i;

    (void)values;
    for (i = 0; i + 1 < operands->count; i++)
        pass_word(&state, operands->items[i]);
    offer_current(&state);
    return 0;
}

const struct cmd cmd_complete = {
    .name = "__complete",
    .options = cmd_no_options,
    .stop = OPT_TO_FIRST_WORD,
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "WORD",
    .run = run_complete,
};

static int run_hosts(struct app *app, const void *values, const struct words *operands)
{
    const struct state state = {.app = app, .current = ""};

    (void)values;
    (void)operands;
    offer_places(&state, "", true);
    return 0;
}

const struct cmd cmd_hosts = {
    .name = "__hosts",
    .options = cmd_no_options,
    .most = 0,
    .run = run_hosts,
};

static void print_options(const struct cmd *cmd, void *userdata)
{
    const struct opt *opt;

    (void)userdata;
    if (cmd_hidden(cmd))
        return;
    (void)printf("%s\t\t\n", cmd->name);
    for (opt = cmd->options; opt->name != NULL; opt++)
        if (opt->kind != OPT_REFUSED)
            (void)printf("%s\t--%s\t%s\n", cmd->name, opt->name,
                         opt->argument != NULL ? opt->argument : "");
}

/* Every command and option in a form for programs: our tests hold the manual to it. */
static int run_options(struct app *app, const void *values, const struct words *operands)
{
    const struct opt *opt;

    (void)app;
    (void)values;
    (void)operands;
    for (opt = app_options; opt->name != NULL; opt++)
        (void)printf("\t--%s\t%s\n", opt->name,
                     opt->argument != NULL ? opt->argument : "");
    cmd_each(print_options, NULL);
    return 0;
}

const struct cmd cmd_options = {
    .name = "__options",
    .options = cmd_no_options,
    .most = 0,
    .run = run_options,
};
