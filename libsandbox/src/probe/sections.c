#include "probe/sections.h"

#include "base/cleanup.h"

#include <string.h>

#define MOST_SECTIONS 512

static void make_printable(char *text, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++)
        if (((unsigned char)text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7f)
            text[i] = ' ';
}

/* Ends the section before it, and begins one: "MARK NAME VALUE". */
static void begin_section(struct sbi_sections *sections, char *line, size_t mark_length,
                          char *body)
{
    char *name = line + mark_length;
    char *blank = strchr(name, ' ');

    *line = '\0';
    if (sections->count == MOST_SECTIONS)
        return;
    if (blank != NULL)
        *blank = '\0';
    sections->list[sections->count++] = (struct sbi_section){
        .name = name, .value = blank == NULL ? "" : blank + 1, .body = body};
}

static void cut(struct sbi_sections *sections, size_t length, const char *mark)
{
    size_t mark_length = strlen(mark);
    char *line = sections->text, *end;

    while ((end = memchr(line, '\n', length - (size_t)(line - sections->text))) != NULL) {
        if (strncmp(line, mark, mark_length) == 0) {
            *end = '\0';
            begin_section(sections, line, mark_length, end + 1);
        }
        line = end + 1;
    }
    *line = '\0';
}

int sbi_sections_parse(const char *text, size_t length, const char *mark,
                       struct sbi_sections *out, sbx_error *err)
{
    SBI_CLEANUP(sbi_sections_clear) struct sbi_sections sections = {0};

    sections.text = malloc(length + 1);
    sections.list = calloc(MOST_SECTIONS, sizeof(sections.list[0]));
    if (sections.text == NULL || sections.list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read a probe: out of memory");
    memcpy(sections.text, text, length);
    sections.text[length] = '\0';
    make_printable(sections.text, length);
    cut(&sections, length, mark);
    *out = sections;
    sections = (struct sbi_sections){0};
    return SBX_OK;
}

void sbi_sections_clear(struct sbi_sections *sections)
{
    free(sections->text);
    free(sections->list);
    *sections = (struct sbi_sections){0};
}

const char *sbi_section_value(const struct sbi_sections *sections, const char *name)
{
    size_t i;

    for (i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, name) == 0)
            return sections->list[i].value;
    return NULL;
}

const char *sbi_section_tool(const struct sbi_sections *sections, const char *name,
                             const char **end)
{
    size_t length = strlen(name), i;

    for (i = 0; i < sections->count; i++) {
        const struct sbi_section *section = &sections->list[i];

        if (strcmp(section->name, "tool") != 0 ||
            strncmp(section->value, name, length) != 0 || section->value[length] != ' ')
            continue;
        *end = section->value + length + 1;
        return section->body;
    }
    return NULL;
}

bool sbi_next_line(const char **at, char *line, size_t room)
{
    size_t length = strcspn(*at, "\n");
    size_t kept = length < room ? length : room - 1;

    if (**at == '\0')
        return false;
    memcpy(line, *at, kept);
    line[kept] = '\0';
    *at += length + ((*at)[length] == '\n');
    return true;
}
