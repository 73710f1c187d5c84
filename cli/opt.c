#include "opt.h"

#include "nearest.h"

#include <stdio.h>
#include <string.h>

/* Where the parser stands: argv[0] is the word it reads. */
struct parser {
    const struct opt_set *sets;
    char *const *argv;
    sbx_error *err;
};

const struct opt *opt_named(const struct opt *table, const char *name, size_t length)
{
    for (; table->name != NULL; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

const struct opt *opt_lettered(const struct opt *table, char letter)
{
    for (; table->name != NULL; table++)
        if (table->letter != 0 && table->letter == letter)
            return table;
    return NULL;
}

static void add_names(const struct opt *table, struct words *names)
{
    for (; table->name != NULL; table++)
        if (table->kind != OPT_REFUSED)
            words_add(names, table->name);
}

static int unknown_long(const struct parser *parser, const char *name, size_t length)
{
    AUTO_WORDS names = {0};
    AUTOFREE char *given = own_copy(name, length);
    const char *near;
    int rc;

    add_names(parser->sets[0].table, &names);
    add_names(parser->sets[1].table, &names);
    near = nearest_word(&names, given);
    rc = fault(parser->err, SBX_ERR_INVALID, "unknown option '--%s'", given);
    return near == NULL ? rc : fault_fix(parser->err, rc, "--%s", near);
}

static int count_flag(const struct parser *parser, const struct opt *opt, void *values)
{
    if (opt->kind == OPT_REFUSED)
        return fault_fix(parser->err,
                         fault(parser->err, SBX_ERR_INVALID, "option '--%s': %s",
                               opt->name, opt->help),
                         "%s", opt->argument);
    ++*(int64_t *)((char *)values + opt->at);
    return SBX_OK;
}

static bool takes_value(const struct opt *opt)
{
    return opt->kind != OPT_FLAG && opt->kind != OPT_REFUSED;
}

/* inline_value: what stood in the same word, or NULL: then it is the next word. */
static int read_value(struct parser *parser, const struct opt *opt, const char *shown,
                      const char *inline_value, void *values)
{
    const char *value = inline_value;

    if (value == NULL) {
        if (parser->argv[1] == NULL)
            return fault(parser->err, SBX_ERR_INVALID, "option '%s': no %s given", shown,
                         opt->argument);
        parser->argv++;
        value = parser->argv[0];
    }
    return opt_store(opt, shown, value, values, parser->err);
}

static int read_long(struct parser *parser)
{
    const char *name = parser->argv[0] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const struct opt *opt;
    const struct opt_set *set = &parser->sets[0];
    char shown[40];

    opt = opt_named(set->table, name, length);
    if (opt == NULL) {
        set = &parser->sets[1];
        opt = opt_named(set->table, name, length);
    }
    if (opt == NULL)
        return unknown_long(parser, name, length);
    if (takes_value(opt)) {
        (void)snprintf(shown, sizeof(shown), "--%s", opt->name);
        return read_value(parser, opt, shown, value, set->values);
    }
    if (value != NULL && opt->kind == OPT_FLAG)
        return fault(parser->err, SBX_ERR_INVALID, "option '--%s' takes no value ('%s')",
                     opt->name, value);
    return count_flag(parser, opt, set->values);
}

static int read_letters(struct parser *parser)
{
    const char *at = parser->argv[0] + 1;
    int rc = SBX_OK;

    for (; *at != '\0' && rc == SBX_OK; at++) {
        const struct opt_set *set = &parser->sets[0];
        const struct opt *opt = opt_lettered(set->table, *at);
        const char shown[] = {'-', *at, '\0'};

        if (opt == NULL) {
            set = &parser->sets[1];
            opt = opt_lettered(set->table, *at);
        }
        if (opt == NULL)
            return fault(parser->err, SBX_ERR_INVALID, "unknown option '-%c'", *at);
        if (takes_value(opt))
            return read_value(parser, opt, shown, at[1] != '\0' ? at + 1 : NULL,
                              set->values);
        rc = count_flag(parser, opt, set->values);
    }
    return rc;
}

int opt_parse(const struct opt_set sets[2], int stop, char *const *argv,
              struct words *operands, sbx_error *err)
{
    struct parser parser = {.sets = sets, .argv = argv, .err = err};
    bool words_only = false;
    int rc = SBX_OK;

    for (; *parser.argv != NULL && rc == SBX_OK; parser.argv++) {
        const char *word = *parser.argv;

        if (words_only || word[0] != '-' || word[1] == '\0') {
            words_add(operands, word);
            words_only = words_only || stop == OPT_TO_FIRST_WORD;
        } else if (strcmp(word, "--") == 0) {
            words_only = true;
        } else if (word[1] == '-') {
            rc = read_long(&parser);
        } else {
            rc = read_letters(&parser);
        }
    }
    return rc;
}

void opt_clear(const struct opt_set *set)
{
    const struct opt *opt;

    for (opt = set->table; opt->name != NULL; opt++)
        if (opt->kind == OPT_LIST)
            words_clear((struct words *)((char *)set->values + opt->at));
}

void opt_help_wrapped(struct text *help, const char *words, size_t indent)
{
    size_t column = indent;
    size_t length;

    for (; *words != '\0'; words += length, words += strspn(words, " ")) {
        length = strcspn(words, " ");
        if (column > indent && column + 1 + length > 78) {
            text_addf(help, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            text_add(help, " ");
            column++;
        }
        text_add_bytes(help, words, length);
        column += length;
    }
    text_add(help, "\n");
}

void opt_help(const struct opt *table, struct text *help)
{
    enum { INDENT = 30 };

    for (; table->name != NULL; table++) {
        char left[80];
        char letter[] = {'-', table->letter, ',', ' ', '\0'};

        if (table->kind == OPT_REFUSED)
            continue;
        (void)snprintf(left, sizeof(left), "  %s--%s%s%s",
                       table->letter != 0 ? letter : "    ", table->name,
                       table->argument != NULL ? " " : "",
                       table->argument != NULL ? table->argument : "");
        text_addf(help, "%-*s", INDENT, left);
        if (strlen(left) >= INDENT)
            text_addf(help, "\n%*s", INDENT, "");
        opt_help_wrapped(help, table->help, INDENT);
    }
}
