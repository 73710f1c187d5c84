#include "doctor/parse.h"

#include "base/cleanup.h"
#include "base/df.h"

#include <errno.h>
#include <string.h>

#define MOST_LINES 512

/* Where a line belongs: within a task to it, else to its own key. */
struct reader {
    struct sbi_told *told;
    const char *task; /* NULL: within none */
};

static void make_printable(char *line)
{
    for (; *line != '\0'; line++)
        if ((unsigned char)*line < 0x20 || *line == 0x7f)
            *line = ' ';
}

static void add(struct sbi_told *told, const char *key, const char *value)
{
    if (told->count < MOST_LINES)
        told->lines[told->count++] = (struct sbi_told_line){key, value};
}

static void read_line(struct reader *reader, char *line)
{
    char *equals = strchr(line, '=');

    if (line[0] == '\0')
        return;
    if (reader->task != NULL && strncmp(line, "done=", 5) == 0) {
        add(reader->told, line, reader->task);
        reader->task = NULL;
    } else if (reader->task != NULL) {
        add(reader->told, reader->task, line);
    } else if (equals != NULL && equals != line) {
        *equals = '\0';
        add(reader->told, line, equals + 1);
        if (strcmp(line, "task") == 0)
            reader->task = equals + 1;
    }
}

int sbi_told_parse(const char *text, size_t length, struct sbi_told *out, sbx_error *err)
{
    struct sbi_told told = {0};
    struct reader reader = {.told = &told};
    char *line, *end;

    told.text = malloc(length + 1);
    told.lines = calloc(MOST_LINES, sizeof(told.lines[0]));
    if (told.text == NULL || told.lines == NULL) {
        sbi_told_clear(&told);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    memcpy(told.text, text, length);
    told.text[length] = '\0';
    for (line = told.text;
         (end = memchr(line, '\n', length - (size_t)(line - told.text))) != NULL;
         line = end + 1) {
        *end = '\0';
        make_printable(line);
        read_line(&reader, line);
    }
    *out = told;
    return SBX_OK;
}

void sbi_told_clear(struct sbi_told *told)
{
    free(told->text);
    free(told->lines);
    *told = (struct sbi_told){0};
}

const char *sbi_told(const struct sbi_told *told, const char *key)
{
    size_t i;

    for (i = 0; i < told->count; i++)
        if (strcmp(told->lines[i].key, key) == 0)
            return told->lines[i].value;
    return NULL;
}

const char *sbi_told_last(const struct sbi_told *told, const char *key)
{
    size_t i;

    for (i = told->count; i > 0; i--)
        if (strcmp(told->lines[i - 1].key, key) == 0)
            return told->lines[i - 1].value;
    return "";
}

bool sbi_told_has(const struct sbi_told *told, const char *key, const char *value)
{
    size_t i;

    for (i = 0; i < told->count; i++)
        if (strcmp(told->lines[i].key, key) == 0 &&
            strcmp(told->lines[i].value, value) == 0)
            return true;
    return false;
}

/* A task's end is kept as the line "done=STATUS" with the task as its value. */
int sbi_told_task(const struct sbi_told *told, const char *name)
{
    const char *status;
    size_t i;

    if (!sbi_told_has(told, "task", name))
        return SBI_TASK_NONE;
    for (i = 0; i < told->count; i++) {
        if (strncmp(told->lines[i].key, "done=", 5) != 0 ||
            strcmp(told->lines[i].value, name) != 0)
            continue;
        status = told->lines[i].key + 5;
        if (strcmp(status, "late") == 0)
            return SBI_TASK_LATE;
        return strcmp(status, "0") == 0 ? SBI_TASK_WELL : SBI_TASK_ILL;
    }
    return SBI_TASK_UNKNOWN;
}

bool sbi_told_df(const struct sbi_told *told, const char *task, int column,
                 int64_t *value)
{
    size_t i;

    for (i = 0; i < told->count; i++)
        if (strcmp(told->lines[i].key, task) == 0 &&
            sbi_df_row(told->lines[i].value, column, value))
            return true;
    return false;
}
