/*
 * ssh_config_files.c - reads the files of ssh_config and what they include, and tells
 * whether they are still the same.
 *
 * A file may include itself through a pattern, and does so a number of times that
 * grows with the power of the depth: so there is a limit for all files together.
 */
#include "base/array.h"
#include "base/str.h"
#include "transport/ssh_config_reading.h"

#include <glob.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 16
#define MAX_FILES 2048
#define MAX_BYTES ((size_t)16 * 1024 * 1024)
#define SYSTEM_FOLDER "/etc/ssh"
#define SYSTEM_FILE SYSTEM_FOLDER "/ssh_config"

/* How far the reading has come. */
struct reading {
    struct sbi_ssh_files *files;
    int depth;
    size_t count, bytes;
};

static int read_file(struct reading *reading, const char *path, bool of_user, int how,
                     struct sbi_ssh_file **out, sbx_error *err);

static void free_file(struct sbi_ssh_file **held)
{
    struct sbi_ssh_file *file = *held, **included;
    size_t i;

    if (file == NULL)
        return;
    for (i = 0; i < file->count; i++) {
        included = file->lines[i].included;
        for (; included != NULL && *included != NULL; included++)
            free_file(included);
        free(file->lines[i].included);
        sbi_strv_clear(&file->lines[i].words);
    }
    sbi_names_clear(&file->hosts);
    free(file->lines);
    free(file->text);
    free(file->path);
    free(file);
}

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* What a word of an Include line means now. GLOB_TILDE takes $HOME, as ssh does here and
 * only here. */
static int find_files(const struct sbi_ssh_file *file, const char *word, glob_t *found,
                      sbx_error *err)
{
    const char *folder = file->of_user ? "~/.ssh/" : SYSTEM_FOLDER "/";
    SBI_AUTO_STR pattern = {0};

    if (*word != '/' && *word != '~')
        sbi_str_add(&pattern, folder);
    sbi_str_add(&pattern, word);
    if (pattern.status != SBX_OK)
        return sbi_fail(err, pattern.status, "out of memory for '%s'", word);
    switch (glob(pattern.data, GLOB_TILDE | GLOB_NOSORT, NULL, found)) {
    case 0:
        qsort(found->gl_pathv, found->gl_pathc, sizeof(*found->gl_pathv), by_bytes);
        return SBX_OK;
    case GLOB_NOMATCH:
        return SBX_OK;
    default:
        return sbi_fail(err, SBX_ERR_IO, "look for '%s' failed", pattern.data);
    }
}

/* The files of one line, and a NULL at their end. */
struct included {
    struct sbi_ssh_line *line;
    size_t count, capacity;
};

static int include_each(struct reading *reading, const struct sbi_ssh_file *file,
                        const glob_t *found, struct included *to, sbx_error *err)
{
    struct sbi_ssh_file *one;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < found->gl_pathc && rc == SBX_OK; i++) {
        rc = sbi_array_reserve(&to->line->included, sizeof(one), to->count + 2,
                               &to->capacity, err);
        if (rc < 0)
            return rc;
        to->line->included[to->count] = NULL;
        rc = read_file(reading, found->gl_pathv[i], file->of_user, SBI_SSH_FILE_CHECK,
                       &one, err);
        if (rc < 0)
            return rc;
        to->line->included[to->count++] = one;
        to->line->included[to->count] = NULL;
    }
    return rc;
}

static int include_word(struct reading *reading, const struct sbi_ssh_file *file,
                        const char *word, struct included *to, sbx_error *err)
{
    glob_t found = {0};
    int rc;

    if (*word == '\0')
        return sbi_fail(err, SBX_ERR_CONFIG, "an empty word in 'Include'");
    if (*word == '~' && !file->of_user)
        return sbi_fail(err, SBX_ERR_CONFIG, "bad path '%s' in 'Include'", word);
    rc = find_files(file, word, &found, err);
    if (rc == SBX_OK)
        rc = include_each(reading, file, &found, to, err);
    globfree(&found);
    return rc;
}

static int include(struct reading *reading, const struct sbi_ssh_file *file,
                   struct sbi_ssh_line *line, sbx_error *err)
{
    struct included to = {.line = line};
    char **word = line->words;
    int rc = SBX_OK;

    if (reading->depth >= MAX_DEPTH)
        return sbi_fail(err, SBX_ERR_CONFIG, "files included more than %d deep",
                        MAX_DEPTH);
    reading->depth++;
    for (; word != NULL && *word != NULL && rc == SBX_OK; word++)
        rc = include_word(reading, file, *word, &to, err);
    reading->depth--;
    return rc;
}

static int follow_includes(struct reading *reading, struct sbi_ssh_file *file,
                           sbx_error *err)
{
    size_t i;
    int rc;

    for (i = 0; i < file->count; i++) {
        if (!sbi_ssh_config_is_include(&file->lines[i]))
            continue;
        rc = include(reading, file, &file->lines[i], err);
        if (rc < 0)
            return sbi_wrap(err, rc, "read '%s' line %zu", file->path,
                            file->lines[i].number);
    }
    return SBX_OK;
}

static int count_file(struct reading *reading, size_t bytes, sbx_error *err)
{
    reading->count++;
    reading->bytes += bytes;
    if (reading->count > MAX_FILES || reading->bytes > MAX_BYTES)
        return sbi_fail(err, SBX_ERR_LIMIT, "more than %d files or %zu bytes included",
                        MAX_FILES, MAX_BYTES);
    return SBX_OK;
}

static int new_file(const char *path, bool of_user, struct sbi_ssh_file **out,
                    sbx_error *err)
{
    SBI_CLEANUP(free_file) struct sbi_ssh_file *file = calloc(1, sizeof(*file));

    if (file == NULL || (file->path = strdup(path)) == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", path);
    file->of_user = of_user;
    *out = SBI_STEAL(file);
    return SBX_OK;
}

static int read_file(struct reading *reading, const char *path, bool of_user, int how,
                     struct sbi_ssh_file **out, sbx_error *err)
{
    SBI_CLEANUP(free_file) struct sbi_ssh_file *file = NULL;
    size_t length = 0;
    int rc = new_file(path, of_user, &file, err);

    if (rc == SBX_OK)
        rc = sbi_ssh_file_open(file, how, &length, err);
    if (rc == SBX_OK)
        rc = count_file(reading, length, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_file_cut(file, length, err);
    if (rc == SBX_OK)
        rc = follow_includes(reading, file, err);
    if (rc < 0)
        return rc;
    reading->files->young = reading->files->young || sbi_ssh_file_is_young(file);
    *out = SBI_STEAL(file);
    return SBX_OK;
}

static int read_default_files(struct reading *reading, const char *system_file,
                              sbx_error *err)
{
    struct sbi_ssh_file **top = reading->files->top;
    SBI_AUTO_STR path = {0};
    int how = system_file == NULL ? 0 : SBI_SSH_FILE_MUST;
    int rc;

    sbi_str_addf(&path, "%s/.ssh/config", reading->files->self.home);
    if (path.status != SBX_OK)
        return sbi_fail(err, path.status, "out of memory");
    rc = read_file(reading, path.data, true, SBI_SSH_FILE_CHECK, &top[0], err);
    if (rc == SBX_OK)
        rc = read_file(reading, system_file == NULL ? SYSTEM_FILE : system_file, false,
                       how, &top[1], err);
    return rc;
}

/* A uid without a passwd entry is common in containers; ssh would give up there. */
static int find_self(struct sbi_ssh_self *self, sbx_error *err)
{
    struct passwd entry, *found = NULL;
    char room[4096];
    const char *home, *user;

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
    self->user = strdup(user);
    self->home = strdup(home);
    if (self->user == NULL || self->home == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", home);
    return SBX_OK;
}

static int new_files(struct sbi_ssh_files **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_ssh_files_release)
    struct sbi_ssh_files *files = calloc(1, sizeof(*files));
    int rc;

    if (files == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    atomic_init(&files->holders, 1);
    rc = find_self(&files->self, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(files);
    return rc;
}

int sbi_ssh_files_read(const char *user_file, const char *system_file,
                       struct sbi_ssh_files **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_ssh_files_release) struct sbi_ssh_files *files = NULL;
    struct reading reading = {0};
    int rc = new_files(&files, err);

    reading.files = files;
    if (rc == SBX_OK && user_file == NULL)
        rc = read_default_files(&reading, system_file, err);
    else if (rc == SBX_OK && strcasecmp(user_file, "none") != 0)
        rc = read_file(&reading, user_file, true, SBI_SSH_FILE_MUST, &files->top[0], err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(files);
    return rc;
}

int sbi_ssh_files_of_text(const char *text, size_t length, struct sbi_ssh_files **out,
                          sbx_error *err)
{
    SBI_CLEANUP(sbi_ssh_files_release) struct sbi_ssh_files *files = NULL;
    SBI_AUTO_STR copy = {0};
    int rc = new_files(&files, err);

    if (rc == SBX_OK)
        rc = new_file("text", true, &files->top[0], err);
    sbi_str_add_bytes(&copy, text, length);
    if (rc == SBX_OK)
        rc = sbi_str_take(&copy, &files->top[0]->text, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_file_cut(files->top[0], length, err);
    if (rc < 0)
        return rc;
    files->text_only = true;
    *out = SBI_STEAL(files);
    return SBX_OK;
}

static bool is_current(const struct sbi_ssh_file *file);

/* Whether a word brings the files from *at on, which moves behind them. */
static bool finds_the_same(const struct sbi_ssh_file *file, const char *word,
                           struct sbi_ssh_file ***at)
{
    glob_t found = {0};
    bool same = find_files(file, word, &found, NULL) == SBX_OK;
    size_t i;

    for (i = 0; same && i < found.gl_pathc; i++, ++*at)
        same = *at != NULL && **at != NULL &&
               strcmp((**at)->path, found.gl_pathv[i]) == 0 && is_current(**at);
    globfree(&found);
    return same;
}

static bool line_is_current(const struct sbi_ssh_file *file,
                            const struct sbi_ssh_line *line)
{
    struct sbi_ssh_file **at = line->included;
    char **word = line->words;

    for (; word != NULL && *word != NULL; word++)
        if (!finds_the_same(file, *word, &at))
            return false;
    return at == NULL || *at == NULL;
}

static bool is_current(const struct sbi_ssh_file *file)
{
    size_t left = file->includes;
    const struct sbi_ssh_line *line = file->lines;

    if (!sbi_ssh_file_is_current(file))
        return false;
    for (; left > 0; line++) {
        if (!sbi_ssh_config_is_include(line))
            continue;
        if (!line_is_current(file, line))
            return false;
        left--;
    }
    return true;
}

bool sbi_ssh_files_are_current(const struct sbi_ssh_files *files)
{
    struct sbi_ssh_file *const *file = files->top;

    if (files->young)
        return false;
    while (*file != NULL && is_current(*file))
        file++;
    return *file == NULL;
}

struct sbi_ssh_files *sbi_ssh_files_hold(struct sbi_ssh_files *files)
{
    (void)atomic_fetch_add(&files->holders, 1);
    return files;
}

void sbi_ssh_files_release(struct sbi_ssh_files **held)
{
    struct sbi_ssh_files *files = SBI_STEAL(*held);

    if (files == NULL || atomic_fetch_sub(&files->holders, 1) > 1)
        return;
    free_file(&files->top[0]);
    free_file(&files->top[1]);
    free(files->self.user);
    free(files->self.home);
    free(files);
}
