/* session_file_glob.c - tests of which paths go by a pattern. */
#include "support/unit.h"

#include "session/file_glob.h"

#include <stdlib.h>
#include <string.h>

START_TEST(a_path_goes_by_a_pattern_or_does_not)
{
    static const struct {
        const char *pattern;
        const char *path;
        bool goes;
    } rows[] = {
        {"*.py", "a.py", true},
        {"*.py", "x/y/a.py", true},
        {"*.py", "a.pyc", false},
        {"*.py", ".py", true},
        {"*", ".hidden", true},
        {"a?c", "abc", true},
        {"a?c",
         "a\xC3\xA4"
         "c",
         true},
        {"a?c",
         "a\xFF"
         "c",
         true},
        {"a?c", "ac", false},
        {"[a-c]x", "bx", true},
        {"[!a-c]x", "bx", false},
        {"[^a-c]x", "dx", true},
        {"[]]x", "]x", true},
        {"[a-]x", "-x", true},
        {"[x", "[x", true},
        {"\\*x", "*x", true},
        {"\\*x", "ax", false},
        {"x\\", "x\\", true},
        {"src/*.c", "src/a.c", true},
        {"src/*.c", "src/b/a.c", false},
        {"src/*.c", "lib/src/a.c", false},
        {"src/**/*.c", "src/a.c", true},
        {"src/**/*.c", "src/b/c/a.c", true},
        {"**/a.c", "a.c", true},
        {"**/a.c", "x/y/a.c", true},
        {"**/a.c", "x/ya.c", false},
        {"src/**", "src/x/y", true},
        {"src/**", "srcx/y", false},
        {"**", "x/y", true},
        {"a/**/b/**/c", "a/x/b/y/z/c", true},
        {"a/**/b/**/c", "a/x/y/z/c", false},
        {"**/x*/y", "x1/x2/y", true},
        {"a**b", "axxb", true},
        {"a/?/c", "a//c", false},
        {"a/[!x]/c", "a///c", false},
        {"*a*b*c", "xaxbxcxc", true},
        {"*a*b*c", "xaxbxcx", false},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_msg(sbi_file_glob(rows[i].pattern, rows[i].path) == rows[i].goes,
                      "'%s' and '%s'", rows[i].pattern, rows[i].path);
}
END_TEST

START_TEST(no_pattern_takes_for_ever)
{
    char pattern[2001], path[4001];
    size_t i;

    for (i = 0; i < 2000; i += 4)
        memcpy(pattern + i, i % 8 == 0 ? "**/a" : "*a*/", 4);
    pattern[2000] = '\0';
    for (i = 0; i < 4000; i++)
        path[i] = i % 2 == 0 ? 'a' : '/';
    path[4000] = '\0';
    ck_assert(!sbi_file_glob(pattern, path));
    for (i = 0; i < 2000; i++)
        pattern[i] = i % 2 == 0 ? '*' : 'a';
    memset(path, 'a', 4000);
    path[3999] = 'b';
    ck_assert(!sbi_file_glob(pattern, path));
}
END_TEST

START_TEST(what_find_reads_as_we_do_is_plain)
{
    ck_assert(sbi_file_glob_is_plain("*.py"));
    ck_assert(!sbi_file_glob_is_plain("a?"));
    ck_assert(!sbi_file_glob_is_plain("[a]"));
    ck_assert(!sbi_file_glob_is_plain("a/*"));
    ck_assert(!sbi_file_glob_is_plain("a\\*"));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_path_goes_by_a_pattern_or_does_not);
    tcase_add_test(tests, no_pattern_takes_for_ever);
    tcase_add_test(tests, what_find_reads_as_we_do_is_plain);
}
