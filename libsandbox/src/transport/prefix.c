#include "transport/prefix.h"

#include "base/cleanup.h"
#include "base/far_kill.h"
#include "base/far_quote.h"

#include <string.h>

#define COMMAND_LIMIT ((size_t)120 * 1024)
#define ENTER "exec /bin/sh -c "

struct prefix_line {
    struct sbi_line base;
    struct sbi_line *below;
    char *enter[2]; /* what stands before the script: plain, and with a terminal */
};

static void prefix_free(struct sbi_line *base)
{
    struct prefix_line *line = (struct prefix_line *)base;

    sbi_line_free(line->below);
    free(line->enter[0]);
    free(line->enter[1]);
    free(line);
}

static void prefix_clear(struct prefix_line **line)
{
    if (*line != NULL)
        prefix_free(&(*line)->base);
}

/* printf(1) reads octal digits; '%' it would take for more than itself. */
static void add_printable(struct sbi_str *text, const char *bytes)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789 /-_.,:=";

    for (; *bytes != '\0'; bytes++) {
        if (*bytes == '%')
            sbi_str_add(text, "%%");
        else if (strchr(plain, *bytes) != NULL)
            sbi_str_add_bytes(text, bytes, 1);
        else
            sbi_str_addf(text, "\\%03o", (unsigned)(unsigned char)*bytes);
    }
}

/*
 * The words hold any byte, and a login shell that we do not know reads the line: what it
 * could take for its own comes as digits, and /bin/sh reads what printf made of them. The
 * script comes behind that as a word of its own.
 */
static int make_enter(char *const *words, char **out, sbx_error *err)
{
    SBI_AUTO_STR plain = {.limit = COMMAND_LIMIT};
    SBI_AUTO_STR text = {.limit = COMMAND_LIMIT};

    for (; *words != NULL; words++) {
        sbi_far_quote(&plain, *words);
        sbi_str_add(&plain, " ");
    }
    sbi_str_add(&plain, "/bin/sh -c \"$1\"");
    if (plain.status < 0)
        return sbi_str_take(&plain, out, err);
    sbi_str_add(&text, ENTER "'" SBI_FAR_NEWLINE "eval \"exec $(printf \"");
    add_printable(&text, plain.data);
    sbi_str_add(&text, "\")\"' sbx ");
    return sbi_str_take(&text, out, err);
}

static int join(const char *enter, const char *command, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = COMMAND_LIMIT};

    if (strncmp(command, ENTER, strlen(ENTER)) != 0)
        return sbi_fail(err, SBX_ERR_INTERNAL, "a command that is no script of ours");
    sbi_str_add(&text, enter);
    sbi_str_add(&text, command + strlen(ENTER));
    return sbi_str_take(&text, out, err);
}

int sbi_prefix_command(char *const *words, const char *command, char **out,
                       sbx_error *err)
{
    SBI_AUTOFREE char *enter = NULL;
    int rc = make_enter(words, &enter, err);

    return rc < 0 ? rc : join(enter, command, out, err);
}

/* A process that the spec wants outside is one of the line below, and no more. */
static int prefix_start(struct sbi_line *base, const struct sbi_process_spec *spec,
                        struct sbi_process **out, sbx_error *err)
{
    struct prefix_line *line = (struct prefix_line *)base;
    SBI_AUTOFREE char *command = NULL;
    struct sbi_process_spec ours = *spec;
    int rc;

    if (spec->connect_host != NULL)
        return sbi_fail(err, SBX_ERR_UNSUPPORTED, "connect from behind a prefix");
    if (spec->outside)
        return sbi_line_start(line->below, spec, out, err);
    rc = join(line->enter[spec->pty ? 1 : 0], spec->command, &command, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "the words of a prefix");
    ours.command = command;
    return sbi_line_start(line->below, &ours, out, err);
}

static bool prefix_alive(struct sbi_line *base)
{
    return sbi_line_alive(((struct prefix_line *)base)->below);
}

static int prefix_ping(struct sbi_line *base, int64_t deadline, sbx_cancel *cancel,
                       sbx_error *err)
{
    return sbi_line_ping(((struct prefix_line *)base)->below, deadline, cancel, err);
}

static const struct sbi_line_facts *prefix_facts(struct sbi_line *base)
{
    return sbi_line_facts(((struct prefix_line *)base)->below);
}

static const struct sbi_line_ops line_ops = {
    .start = prefix_start,
    .alive = prefix_alive,
    .ping = prefix_ping,
    .facts = prefix_facts,
    .free = prefix_free,
};

int sbi_prefix_open(struct sbi_line *below, char *const *words, char *const *terminal,
                    struct sbi_line **out, sbx_error *err)
{
    SBI_CLEANUP(prefix_clear) struct prefix_line *line = calloc(1, sizeof(*line));
    int rc;

    if (line == NULL) {
        sbi_line_free(below);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a prefix: out of memory");
    }
    *line = (struct prefix_line){.base = {&line_ops}, .below = below};
    rc = make_enter(words, &line->enter[0], err);
    if (rc == SBX_OK)
        rc = make_enter(terminal, &line->enter[1], err);
    if (rc < 0)
        return sbi_wrap(err, rc, "the words of a prefix");
    *out = &SBI_STEAL(line)->base;
    return SBX_OK;
}
