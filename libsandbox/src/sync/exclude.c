/* exclude.c - rules by level, and the answer of the highest that has one. */
#include "sync/exclude.h"

#include "base/path.h"
#include "sync/exclude_git.h"
#include "sync/exclude_groups.h"
#include "sync/exclude_lines.h"

#include <string.h>

#define FILE_LIMIT (16 * 1024 * 1024)

struct sbi_exclude {
    struct sbi_rule_groups levels[SBI_EXCLUDE_LEVELS];
    bool hides_git; /* ".git" stays behind, unless an option says otherwise */
};

int sbi_exclude_new(struct sbi_exclude **out, sbx_error *err)
{
    struct sbi_exclude *exclude = calloc(1, sizeof(*exclude));

    if (exclude == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read rules: out of memory");
    *out = exclude;
    return SBX_OK;
}

int sbi_exclude_add(struct sbi_exclude *exclude, int level, const char *rule,
                    sbx_error *err)
{
    bool turned = level == SBI_EXCLUDE_INCLUDE;
    struct sbi_rule_group *group;
    int rc;

    if (rule[0] == '\0' || strcmp(rule, "!") == 0 || strcmp(rule, "/") == 0)
        return sbi_fail(err, SBX_ERR_INVALID, "the rule '%s' matches nothing", rule);
    if (turned && rule[0] == '!')
        return sbi_fix(err,
                       sbi_fail(err, SBX_ERR_INVALID,
                                "the rule '%s' takes back what it includes", rule),
                       NULL, "exclude '%s' instead", rule + 1);
    rc = sbi_rule_groups_inside(&exclude->levels[level], "", &group, err);
    return rc < 0 ? rc : sbi_rule_group_add(group, rule, strlen(rule), turned, err);
}

static int add_lines(struct sbi_rule_group *group, int level, const char *text,
                     size_t length, sbx_error *err)
{
    struct sbi_rule_lines lines = sbi_rule_lines_of(text, length);
    const char *rule;
    size_t size;
    int rc = SBX_OK;

    while (rc == SBX_OK && sbi_rule_lines_next(&lines, &rule, &size))
        rc = sbi_rule_group_add(group, rule, size, level == SBI_EXCLUDE_INCLUDE, err);
    return rc;
}

int sbi_exclude_add_text(struct sbi_exclude *exclude, int level, const char *folder,
                         const char *text, size_t length, sbx_error *err)
{
    struct sbi_rule_group *group;
    int rc = sbi_rule_groups_inside(&exclude->levels[level], folder, &group, err);

    return rc < 0 ? rc : add_lines(group, level, text, length, err);
}

int sbi_exclude_add_file(struct sbi_exclude *exclude, int level, const char *path,
                         sbx_error *err)
{
    SBI_AUTOFREE char *text = NULL;
    size_t length;
    int rc = sbi_path_read(path, FILE_LIMIT, &text, &length, err);

    if (rc == SBX_OK)
        rc = sbi_exclude_add_text(exclude, level, "", text, length, err);
    return rc < 0 ? sbi_wrap(err, rc, "read rules") : rc;
}

/* Takes one file that git reads besides those in the tree. */
static int take_git_text(int level, const char *way, const char *text, size_t length,
                         void *userdata, sbx_error *err)
{
    struct sbi_exclude *exclude = userdata;
    struct sbi_rule_group *group;
    int rc;

    if (way[0] == '\0')
        return sbi_exclude_add_text(exclude, level, "", text, length, err);
    rc = sbi_rule_groups_above(&exclude->levels[level], way, &group, err);
    return rc < 0 ? rc : add_lines(group, level, text, length, err);
}

int sbi_exclude_add_git(struct sbi_exclude *exclude, const char *root, sbx_error *err)
{
    int rc = sbi_exclude_git_read(root, take_git_text, exclude, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "read what git ignores");
    exclude->hides_git = true;
    return SBX_OK;
}

static bool is_git(const char *path, size_t length)
{
    return length >= 4 && memcmp(path + length - 4, ".git", 4) == 0 &&
           (length == 4 || path[length - 5] == '/');
}

bool sbi_exclude_entry(const struct sbi_exclude *exclude, const char *path, size_t length,
                       bool is_folder)
{
    const struct sbi_rule *rule = NULL;
    int level;

    for (level = SBI_EXCLUDE_LEVELS - 1; level >= 0 && rule == NULL; level--) {
        if (level == SBI_EXCLUDE_SBXIGNORE && exclude->hides_git && is_git(path, length))
            return true;
        if (exclude->levels[level].count > 0)
            rule = sbi_rule_groups_ask(&exclude->levels[level], path, length, is_folder);
    }
    return rule != NULL && !rule->takes_back;
}

bool sbi_exclude_path(const struct sbi_exclude *exclude, const char *path, size_t length,
                      bool is_folder)
{
    size_t i;

    for (i = 1; i < length; i++)
        if (path[i] == '/' && sbi_exclude_entry(exclude, path, i, true))
            return true;
    return length > 0 && sbi_exclude_entry(exclude, path, length, is_folder);
}

bool sbi_exclude_is_empty(const struct sbi_exclude *exclude)
{
    size_t i;

    for (i = 0; i < SBI_EXCLUDE_LEVELS; i++)
        if (exclude->levels[i].count > 0)
            return false;
    return !exclude->hides_git;
}

void sbi_exclude_free(struct sbi_exclude *exclude)
{
    size_t i;

    if (exclude == NULL)
        return;
    for (i = 0; i < SBI_EXCLUDE_LEVELS; i++)
        sbi_rule_groups_clear(&exclude->levels[i]);
    free(exclude);
}

void sbi_exclude_clear(struct sbi_exclude **exclude)
{
    sbi_exclude_free(*exclude);
    *exclude = NULL;
}
