/*
 * ssh_config_lines.c - a text as the lines that say something, each checked once.
 *
 * Most lines of a large file are about other hosts. So each line knows the next that
 * counts whoever is asked for, and the Host lines without a pattern, of which there may
 * be thousands, are found by name.
 */
#include "base/array.h"
#include "transport/ssh_config_take.h"

#include <string.h>

static int add_line(struct sbi_ssh_file *file, size_t *capacity, char *text,
                    size_t number, sbx_error *err)
{
    struct sbi_ssh_line line = {.number = number};
    int rc;

    if (!sbi_ssh_config_cut(text, &line) || !sbi_ssh_config_know(&line))
        return SBX_OK;
    rc = sbi_array_reserve(&file->lines, sizeof(line), file->count + 1, capacity, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_config_check(&line, err);
    if (rc == SBX_OK)
        file->lines[file->count++] = line;
    return rc;
}

static bool names_hosts(const struct sbi_ssh_line *line)
{
    char **word = line->words;

    if (line->wrong || line->known == NULL || line->known->take != sbi_ssh_take_host)
        return false;
    while (word != NULL && *word != NULL && !sbi_ssh_config_is_pattern(*word))
        word++;
    return word == NULL || *word == NULL;
}

/* From the last line to the first, so that of one name the first line comes first. */
static int link_lines(struct sbi_ssh_file *file, sbx_error *err)
{
    size_t next = file->count, i;
    struct sbi_ssh_line *line;
    char **word;
    int rc = SBX_OK;

    for (i = file->count; i-- > 0 && rc == SBX_OK;) {
        line = &file->lines[i];
        file->includes += sbi_ssh_config_is_include(line);
        if (names_hosts(line))
            for (word = line->words; word != NULL && *word != NULL && rc == SBX_OK;
                 word++)
                rc = sbi_names_add(&file->hosts, *word, i, err);
        else if (!sbi_ssh_config_is_setting(line))
            next = i;
        line->next = next;
    }
    return rc;
}

int sbi_ssh_file_cut(struct sbi_ssh_file *file, size_t length, sbx_error *err)
{
    char *text = file->text, *end = text + length, *next;
    size_t capacity = 0, number = 0;
    int rc = SBX_OK;

    for (; text < end && rc == SBX_OK; text = next) {
        next = memchr(text, '\n', (size_t)(end - text));
        next = next == NULL ? end : next + 1;
        if (next[-1] == '\n')
            next[-1] = '\0';
        rc = add_line(file, &capacity, text, ++number, err);
    }
    return rc < 0 ? rc : link_lines(file, err);
}
