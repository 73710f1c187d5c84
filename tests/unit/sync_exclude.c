/* sync_exclude.c - tests of the rules: what stays behind, by which level, and how fast.
 */
#include "support/unit.h"

#include "base/clock.h"
#include "sync/exclude.h"
#include "sync/exclude_git_config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct row {
    const char *rules; /* the lines of an ignore file */
    const char *path;  /* of a folder, where it ends in '/' */
    bool stays_behind;
};

static bool asked(const struct sbi_exclude *exclude, const char *path)
{
    size_t length = strlen(path);
    bool is_folder = path[length - 1] == '/';

    return sbi_exclude_path(exclude, path, length - is_folder, is_folder);
}

static void check_rows(const struct row *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        SBI_AUTO_EXCLUDE exclude = NULL;

        ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
        ck_assert_int_eq(sbi_exclude_add_text(exclude, SBI_EXCLUDE_GITIGNORE, "",
                                              rows[i].rules, strlen(rows[i].rules), NULL),
                         SBX_OK);
        ck_assert_msg(asked(exclude, rows[i].path) == rows[i].stays_behind,
                      "rules '%s', path '%s'", rows[i].rules, rows[i].path);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

START_TEST(a_rule_without_slash_speaks_of_names_at_any_depth)
{
    static const struct row rows[] = {
        {"foo", "foo", true},      {"foo", "a/foo", true},   {"foo", "foo/a", true},
        {"foo", "food", false},    {"*.o", "a/b.o", true},   {"*.o", ".o", true},
        {"*.o", "a.o/x", true},    {"*.o", "a.ox", false},   {"f?o", "a/fxo", true},
        {"f?o", "f/o", false},     {"foo/", "foo", false},   {"foo/", "foo/", true},
        {"foo/", "a/foo/b", true}, {"a*b*c", "axbyc", true}, {"a*b*c", "acb", false},
    };

    CHECK_ROWS(rows);
}
END_TEST

START_TEST(a_rule_with_slash_is_anchored)
{
    static const struct row rows[] = {
        {"/foo", "foo", true},
        {"/foo", "a/foo", false},
        {"a/b", "a/b", true},
        {"a/b", "c/a/b", false},
        {"a/*", "a/b", true},
        {"a/*", "a/b/c", true},
        {"a/*/c", "a/b/d/c", false},
        {"**/c", "a/b/c", true},
        {"**/c", "c", true},
        {"a/**", "a", false},
        {"a/**", "a/b", true},
        {"a/**/c", "a/c", true},
        {"a/**/c", "a/x/y/c", true},
        {"a/**/c", "b/c", false},
        {"/**", "x", true},
        {"a/**b", "a/xb", true},
        {"a/x**b", "a/xyb", true},
        {"a/x**b", "a/x/yb", false},
        {"a/**/b/**/c", "a/b/c", true},
        {"a/**/b/**/c", "a/1/b/2/3/c", true},
    };

    CHECK_ROWS(rows);
}
END_TEST

START_TEST(classes_and_escapes_are_those_of_git)
{
    static const struct row rows[] = {
        {"[a-c]x", "bx", true},
        {"[a-c]x", "dx", false},
        {"[!a-c]x", "dx", true},
        {"[^a-c]x", "ax", false},
        {"[]]", "]", true},
        {"[]-a]", "^", true},
        {"[!]]", "]", false},
        {"[a", "[a", false},
        {"[[:digit:]]", "7", true},
        {"[[:nope:]]", "7", false},
        {"[[:space:]]", "\v", false},
        {"[a/]b", "a/b", false},
        {"[\\]]", "]", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"a\\", "a\\", false},
        {"\\a", "a", true},
        {"\\!a", "!a", true},
        {"\\#a", "#a", true},
        {"#a", "#a", false},
        {"[\xc0-\xff]", "\xd0", true},
        {"?", "\xff", true},
        {"[[:alpha:][:digit:]_]", "_", true},
    };

    CHECK_ROWS(rows);
}
END_TEST

START_TEST(lines_end_as_in_git)
{
    static const struct row rows[] = {
        {"a\r\nb\r\n", "a", true},
        {"a\r\nb\r\n", "b", true},
        {"a  \nb", "a", true},
        {"a\\ \n", "a ", true},
        {"a\\ \n", "a", false},
        {"a\t\n", "a\t", true},
        {"a\t\n", "a", false},
        {"\n\n a\n", " a", true},
        {"\xef\xbb\xbf"
         "a",
         "a", true},
        {"a\n!a\n", "a", false},
        {"!a\na\n", "a", true},
        {"a\n#!a\n", "a", true},
        {"a\r", "a", true},
        {"/\n//\n!\n", "a", false},
        {"a\\", "a", false},
    };

    CHECK_ROWS(rows);
}
END_TEST

START_TEST(what_is_in_a_folder_that_stays_behind_is_not_revived)
{
    static const struct row rows[] = {
        {"build/\n!build/keep", "build/keep", true},
        {"build/*\n!build/keep", "build/keep", false},
        {"*\n!*/\n!*.c", "a/b/x.c", false},
        {"*\n!*.c", "a/x.c", true},
        {"/*\n!/a\n/a/*\n!/a/b", "a/b", false},
        {"/*\n!/a\n/a/*\n!/a/b", "a/c", true},
    };

    CHECK_ROWS(rows);
}
END_TEST

static struct sbi_exclude *with(int level, const char *folder, const char *rules,
                                struct sbi_exclude *exclude)
{
    if (exclude == NULL)
        ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(
        sbi_exclude_add_text(exclude, level, folder, rules, strlen(rules), NULL), SBX_OK);
    return exclude;
}

START_TEST(each_level_outweighs_those_below_it_whenever_it_was_added)
{
    int level;

    for (level = 1; level < SBI_EXCLUDE_LEVELS; level++) {
        bool is_include = level == SBI_EXCLUDE_INCLUDE;
        SBI_AUTO_EXCLUDE higher_first = with(level, "", is_include ? "a" : "!a", NULL);
        SBI_AUTO_EXCLUDE lower_first = with(level - 1, "", "a", NULL);

        (void)with(level - 1, "", "a", higher_first);
        (void)with(level, "", is_include ? "a" : "!a", lower_first);
        ck_assert(!asked(higher_first, "a"));
        ck_assert(!asked(lower_first, "a"));
    }
}
END_TEST

START_TEST(a_deeper_folder_outweighs_one_above_it)
{
    SBI_AUTO_EXCLUDE exclude = with(SBI_EXCLUDE_GITIGNORE, "a/b", "!*.o", NULL);

    (void)with(SBI_EXCLUDE_GITIGNORE, "", "*.o", exclude);
    (void)with(SBI_EXCLUDE_GITIGNORE, "a", "/x", exclude);
    ck_assert(asked(exclude, "1.o"));
    ck_assert(asked(exclude, "a/1.o"));
    ck_assert(!asked(exclude, "a/b/1.o"));
    ck_assert(!asked(exclude, "a/b/c/1.o"));
    ck_assert(asked(exclude, "a/x"));
    ck_assert(!asked(exclude, "x"));
    ck_assert(!asked(exclude, "a/b/x"));
    ck_assert(!asked(exclude, "ab/x"));
}
END_TEST

START_TEST(options_are_rules_of_the_root_and_refused_when_they_say_nothing)
{
    static const char *const bad[] = {"", "!", "/"};
    SBI_AUTO_EXCLUDE exclude = NULL;
    sbx_error err;
    size_t i;

    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert(sbi_exclude_is_empty(exclude));
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_int_eq(sbi_exclude_add(exclude, SBI_EXCLUDE_OPTION, bad[i], &err),
                         SBX_ERR_INVALID);
    ck_assert_int_eq(sbi_exclude_add(exclude, SBI_EXCLUDE_INCLUDE, "!a", &err),
                     SBX_ERR_INVALID);
    ck_assert_str_eq(err.fix, "exclude 'a' instead");
    ck_assert(sbi_exclude_is_empty(exclude));
    ck_assert_int_eq(sbi_exclude_add(exclude, SBI_EXCLUDE_OPTION, "#a ", NULL), SBX_OK);
    ck_assert(asked(exclude, "#a "));
    ck_assert(!sbi_exclude_is_empty(exclude));
}
END_TEST

/* The patterns that make a matcher go back and forth, and a name that never matches. */
START_TEST(no_pattern_makes_matching_slow)
{
    static const char *const units[] = {"a*",    "*a*",   "?*", "**/",
                                        "**/a*", "[ab]*", "a*/"};
    char name[2048];
    size_t i, at;
    int64_t start = sbi_now_ms();

    memset(name, 'a', sizeof(name));
    for (at = 1; at < sizeof(name); at += 2)
        name[at] = at % 6 == 1 ? '/' : 'a';
    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        SBI_AUTO_EXCLUDE exclude = NULL;
        char rule[512] = "";
        size_t unit = strlen(units[i]);

        for (at = 0; at + unit < 200; at += unit)
            memcpy(rule + at, units[i], unit);
        memcpy(rule + at, "b", 2);
        ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
        ck_assert_int_eq(sbi_exclude_add(exclude, SBI_EXCLUDE_OPTION, rule, NULL),
                         SBX_OK);
        ck_assert(!sbi_exclude_entry(exclude, name, sizeof(name), false));
        ck_assert(!sbi_exclude_entry(
            exclude, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", 43, false));
    }
    ck_assert_int_lt(sbi_now_ms() - start, 2000);
}
END_TEST

START_TEST(a_rule_longer_than_any_path_is_a_rule)
{
    static char long_rule[100000];
    static char stars[30001];
    SBI_AUTO_EXCLUDE exclude = NULL;
    size_t i;

    memset(long_rule, 'a', sizeof(long_rule) - 1);
    for (i = 0; i < sizeof(stars) - 1; i++)
        stars[i] = "**/"[i % 3];
    stars[sizeof(stars) - 2] = 'x';
    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(sbi_exclude_add(exclude, SBI_EXCLUDE_OPTION, long_rule, NULL),
                     SBX_OK);
    ck_assert_int_eq(sbi_exclude_add(exclude, SBI_EXCLUDE_OPTION, stars, NULL), SBX_OK);
    ck_assert(asked(exclude, "a/b/x"));
    ck_assert(asked(exclude, "a/b/cx"));
    ck_assert(!asked(exclude, "aaa"));
}
END_TEST

START_TEST(a_file_of_rules_is_read_and_a_missing_one_is_named)
{
    char path[] = "/tmp/sbx-exclude-XXXXXX";
    int fd = mkstemp(path);
    SBI_AUTO_EXCLUDE exclude = NULL;
    sbx_error err;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "*.log\n", 6), 6);
    (void)close(fd);
    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(sbi_exclude_add_file(exclude, SBI_EXCLUDE_OPTION, path, NULL),
                     SBX_OK);
    ck_assert(asked(exclude, "a/b.log"));
    (void)unlink(path);
    ck_assert_int_eq(sbi_exclude_add_file(exclude, SBI_EXCLUDE_OPTION, path, &err),
                     SBX_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, path));
}
END_TEST

START_TEST(with_git_its_folder_stays_behind_unless_it_is_included)
{
    char root[] = "/tmp/sbx-exclude-XXXXXX";
    SBI_AUTO_EXCLUDE exclude = NULL;

    ck_assert_ptr_nonnull(mkdtemp(root));
    (void)setenv("HOME", root, 1);
    (void)unsetenv("XDG_CONFIG_HOME");
    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert(!asked(exclude, ".git/"));
    ck_assert_int_eq(sbi_exclude_add_git(exclude, root, NULL), SBX_OK);
    ck_assert(asked(exclude, ".git/"));
    ck_assert(asked(exclude, "sub/.git"));
    ck_assert(!asked(exclude, "x.git/"));
    ck_assert(!asked(exclude, ".gitignore"));
    (void)with(SBI_EXCLUDE_GITIGNORE, "", "!.git", exclude);
    ck_assert(asked(exclude, ".git/"));
    (void)with(SBI_EXCLUDE_INCLUDE, "", ".git", exclude);
    ck_assert(!asked(exclude, ".git/"));
    (void)rmdir(root);
}
END_TEST

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_folder(const char *folder, const char *name)
{
    char path[512];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

/* A worktree: its ".git" is a file, and info/exclude lies with the main repository. */
START_TEST(a_worktree_finds_the_rules_of_its_repository)
{
    char base[] = "/tmp/sbx-exclude-XXXXXX";
    char root[256], text[512], command[512];
    SBI_AUTO_EXCLUDE exclude = NULL;

    ck_assert_ptr_nonnull(mkdtemp(base));
    (void)setenv("HOME", base, 1);
    (void)unsetenv("XDG_CONFIG_HOME");
    make_folder(base, "main.git");
    make_folder(base, "main.git/info");
    make_folder(base, "main.git/worktrees");
    make_folder(base, "main.git/worktrees/w");
    make_folder(base, "w");
    make_folder(base, "w/sub");
    (void)snprintf(text, sizeof(text), "gitdir: %s/main.git/worktrees/w\n", base);
    write_file(base, "w/.git", text);
    write_file(base, "main.git/worktrees/w/commondir", "../..\n");
    write_file(base, "main.git/info/exclude", "/sub/secret\n");
    write_file(base, "w/.gitignore", "*.tmp\n");
    (void)snprintf(root, sizeof(root), "%s/w/sub", base);
    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(sbi_exclude_add_git(exclude, root, NULL), SBX_OK);
    ck_assert(asked(exclude, "secret"));
    ck_assert(asked(exclude, "a/b.tmp"));
    ck_assert(!asked(exclude, "a/secret"));
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", base);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(the_setting_of_git_is_found_in_its_configuration)
{
    static const struct {
        const char *text;
        const char *value;
    } rows[] = {
        {"[core]\nexcludesFile = /a b # x\n", "/a b"},
        {"[CORE] EXCLUDESFILE=~/x\n", "~/x"},
        {"[core]\n\texcludesfile = \"/a # b\" ; c\n", "/a # b"},
        {"[core]\nexcludesfile = \"a\\\"b\\\\c\\td\"\n", "a\"b\\c\td"},
        {"[core]\nexcludesfile = /1\n[user]\n[core]\nexcludesfile = /2", "/2"},
        {"[core \"x\"]\nexcludesfile = /no\n", NULL},
        {"[user]\nexcludesfile = /no\n", NULL},
        {"[core]\n# excludesfile = /no\n", NULL},
        {"[core]\nexcludesfilex = /no\n", NULL},
        {"[core]\nexcludesfile\n", NULL},
        {"[core", NULL},
        {"", NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SBI_AUTOFREE char *value = NULL;

        ck_assert_int_eq(
            sbi_git_config_excludes(rows[i].text, strlen(rows[i].text), &value, NULL),
            SBX_OK);
        if (rows[i].value == NULL)
            ck_assert_ptr_null(value);
        else
            ck_assert_str_eq(value, rows[i].value);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_rule_without_slash_speaks_of_names_at_any_depth);
    tcase_add_test(tests, a_rule_with_slash_is_anchored);
    tcase_add_test(tests, classes_and_escapes_are_those_of_git);
    tcase_add_test(tests, lines_end_as_in_git);
    tcase_add_test(tests, what_is_in_a_folder_that_stays_behind_is_not_revived);
    tcase_add_test(tests, each_level_outweighs_those_below_it_whenever_it_was_added);
    tcase_add_test(tests, a_deeper_folder_outweighs_one_above_it);
    tcase_add_test(tests,
                   options_are_rules_of_the_root_and_refused_when_they_say_nothing);
    tcase_add_test(tests, no_pattern_makes_matching_slow);
    tcase_add_test(tests, a_rule_longer_than_any_path_is_a_rule);
    tcase_add_test(tests, a_file_of_rules_is_read_and_a_missing_one_is_named);
    tcase_add_test(tests, with_git_its_folder_stays_behind_unless_it_is_included);
    tcase_add_test(tests, a_worktree_finds_the_rules_of_its_repository);
    tcase_add_test(tests, the_setting_of_git_is_found_in_its_configuration);
}
