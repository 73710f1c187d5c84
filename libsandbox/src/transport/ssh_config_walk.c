/* ssh_config_walk.c - goes over the lines that were read, for one host or for all names.
 */
#include "transport/ssh_config_take.h"

/* From line i on in a block that does not match; *named is the host's next Host line. */
static size_t next_line(const struct sbi_ssh_file *file, size_t i,
                        const struct sbi_name **named)
{
    size_t next = file->lines[i].next;

    while (*named != NULL && (*named)->number < i)
        *named = sbi_names_before(&file->hosts, *named);
    return *named != NULL && (*named)->number < next ? (*named)->number : next;
}

static int walk_lines(struct sbi_ssh_reading *reading, const struct sbi_ssh_file *file,
                      sbx_error *err)
{
    const struct sbi_name *named = sbi_names_find(&file->hosts, reading->host);
    size_t i = 0;
    int rc = SBX_OK;

    while (rc == SBX_OK && i < file->count) {
        if (!reading->active && (i = next_line(file, i, &named)) == file->count)
            break;
        reading->line = file->lines[i].number;
        rc = sbi_ssh_config_take(reading, &file->lines[i++], err);
    }
    return rc;
}

int sbi_ssh_config_walk(struct sbi_ssh_reading *reading, const struct sbi_ssh_file *file,
                        sbx_error *err)
{
    const char *outer_file = reading->file;
    size_t outer_line = reading->line;
    int rc;

    reading->file = file->path;
    rc = walk_lines(reading, file, err);
    if (rc < 0)
        rc = sbi_wrap(err, rc, "read '%s' line %zu", file->path, reading->line);
    reading->file = outer_file;
    reading->line = outer_line;
    return rc;
}

/* What an included file does to the state of its block ends with it. */
int sbi_ssh_config_walk_included(struct sbi_ssh_reading *reading,
                                 const struct sbi_ssh_line *line, sbx_error *err)
{
    bool active = reading->active;
    bool never = reading->never;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; reading->text_only && line->words[i] != NULL; i++)
        sbi_ssh_config_warn(reading, "file '%s' is not read", line->words[i]);
    for (i = 0; line->included != NULL && line->included[i] != NULL && rc == SBX_OK;
         i++) {
        reading->never = never || !active;
        rc = sbi_ssh_config_walk(reading, line->included[i], err);
        reading->active = active;
        reading->never = never;
    }
    return rc;
}

/* The names so far, and where each is found. */
struct names {
    char **list;
    struct sbi_names table;
};

static int collect_names(const struct sbi_ssh_file *file, struct names *names,
                         sbx_error *err);

static int collect_word(const char *word, struct names *names, sbx_error *err)
{
    int rc;

    if (sbi_ssh_config_is_pattern(word) || sbi_names_find(&names->table, word) != NULL)
        return SBX_OK;
    rc = sbi_names_add(&names->table, word, 0, err);
    return rc < 0 ? rc : sbi_strv_add(&names->list, word, err);
}

static int collect_words(char **words, struct names *names, sbx_error *err)
{
    int rc = SBX_OK;

    for (; words != NULL && *words != NULL && rc == SBX_OK; words++)
        rc = collect_word(*words, names, err);
    return rc;
}

static int collect_included(struct sbi_ssh_file **included, struct names *names,
                            sbx_error *err)
{
    int rc = SBX_OK;

    for (; included != NULL && *included != NULL && rc == SBX_OK; included++)
        rc = collect_names(*included, names, err);
    return rc;
}

/* For the names a line that is wrong says nothing; whoever resolves one is told. */
static int collect_names(const struct sbi_ssh_file *file, struct names *names,
                         sbx_error *err)
{
    const struct sbi_ssh_line *line = file->lines;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < file->count && rc == SBX_OK; i++, line++) {
        if (line->known != NULL && line->known->take == sbi_ssh_take_host)
            rc = collect_words(line->words, names, err);
        else
            rc = collect_included(line->included, names, err);
    }
    return rc;
}

int sbi_ssh_files_names(const struct sbi_ssh_files *files, char ***out, sbx_error *err)
{
    struct names names = {0};
    struct sbi_ssh_file *const *file;
    int rc = SBX_OK;

    for (file = files->top; *file != NULL && rc == SBX_OK; file++)
        rc = collect_names(*file, &names, err);
    sbi_names_clear(&names.table);
    if (rc == SBX_OK)
        *out = names.list;
    else
        sbi_strv_clear(&names.list);
    return rc;
}
