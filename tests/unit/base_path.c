/* base_path.c - tests of this user's folders, and of files read and written whole. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "base/path.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64];

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/sbx-path-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_folder(void)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *in_folder(const char *name)
{
    static char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static unsigned mode_of(const char *path)
{
    struct stat info;

    ck_assert_int_eq(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

START_TEST(home_is_the_variable_and_else_passwd)
{
    SBI_AUTOFREE char *home = NULL;
    SBI_AUTOFREE char *by_passwd = NULL;

    (void)setenv("HOME", "/some/where", 1);
    ck_assert_int_eq(sbi_path_home(&home, NULL), SBX_OK);
    ck_assert_str_eq(home, "/some/where");
    (void)setenv("HOME", "", 1);
    ck_assert_int_eq(sbi_path_home(&by_passwd, NULL), SBX_OK);
    ck_assert_int_eq(by_passwd[0], '/');
}
END_TEST

START_TEST(a_folder_of_the_user_follows_xdg_unless_it_is_relative)
{
    SBI_AUTOFREE char *config = NULL;
    SBI_AUTOFREE char *state = NULL;
    SBI_AUTOFREE char *relative = NULL;

    (void)setenv("HOME", "/h", 1);
    (void)setenv("XDG_CONFIG_HOME", "/x", 1);
    (void)unsetenv("XDG_STATE_HOME");
    ck_assert_int_eq(sbi_path_user(SBI_PATH_CONFIG, "hosts.json", &config, NULL), SBX_OK);
    ck_assert_str_eq(config, "/x/sbx/hosts.json");
    ck_assert_int_eq(sbi_path_user(SBI_PATH_STATE, "runs", &state, NULL), SBX_OK);
    ck_assert_str_eq(state, "/h/.local/state/sbx/runs");
    (void)setenv("XDG_CONFIG_HOME", "x", 1);
    ck_assert_int_eq(sbi_path_user(SBI_PATH_CONFIG, "a", &relative, NULL), SBX_OK);
    ck_assert_str_eq(relative, "/h/.config/sbx/a");
}
END_TEST

START_TEST(folders_are_made_for_this_user_alone)
{
    sbx_error err;

    ck_assert_int_eq(sbi_path_make_folders(in_folder("a/b//c"), NULL), SBX_OK);
    ck_assert_int_eq(sbi_path_make_folders(in_folder("a/b//c"), NULL), SBX_OK);
    ck_assert_uint_eq(mode_of(in_folder("a")), 0700);
    ck_assert_uint_eq(mode_of(in_folder("a/b/c")), 0700);
    ck_assert_int_eq(sbi_path_write(in_folder("file"), "", 0, 0600, NULL), SBX_OK);
    ck_assert_int_eq(sbi_path_make_folders(in_folder("file/x"), &err), SBX_ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "Not a directory"));
}
END_TEST

START_TEST(a_file_is_written_and_read_whole)
{
    SBI_AUTOFREE char *text = NULL;
    size_t length;

    ck_assert_int_eq(sbi_path_write(in_folder("f"), "a\0b", 3, 0640, NULL), SBX_OK);
    ck_assert_uint_eq(mode_of(in_folder("f")), 0640);
    ck_assert_int_eq(sbi_path_read(in_folder("f"), 3, &text, &length, NULL), SBX_OK);
    ck_assert_uint_eq(length, 3);
    ck_assert_mem_eq(text, "a\0b", 4);
}
END_TEST

START_TEST(a_file_over_the_limit_or_absent_is_told_apart)
{
    char *text = NULL;
    size_t length;
    sbx_error err;

    ck_assert_int_eq(sbi_path_write(in_folder("f"), "four", 4, 0600, NULL), SBX_OK);
    ck_assert_int_eq(sbi_path_read(in_folder("f"), 3, &text, &length, &err),
                     SBX_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.text, "text over 3 bytes"));
    ck_assert_int_eq(sbi_path_read(in_folder("g"), 3, &text, &length, &err),
                     SBX_ERR_NOT_FOUND);
    ck_assert_int_eq(sbi_path_read(folder, 3, &text, &length, &err), SBX_ERR_IO);
    ck_assert_ptr_null(text);
}
END_TEST

START_TEST(a_file_behind_a_link_is_replaced_and_the_link_stays)
{
    SBI_AUTOFREE char *text = NULL;
    char link[256], points_to[256];
    size_t length;

    (void)snprintf(link, sizeof(link), "%s", in_folder("link"));
    ck_assert_int_eq(sbi_path_write(in_folder("f"), "old", 3, 0600, NULL), SBX_OK);
    ck_assert_int_eq(symlink("f", link), 0);
    ck_assert_int_eq(sbi_path_write(link, "new!", 4, 0600, NULL), SBX_OK);
    ck_assert_int_eq(readlink(link, points_to, sizeof(points_to)), 1);
    ck_assert_int_eq(sbi_path_read(in_folder("f"), 9, &text, &length, NULL), SBX_OK);
    ck_assert_str_eq(text, "new!");
}
END_TEST

START_TEST(a_write_that_fails_leaves_nothing_behind)
{
    sbx_error err;

    ck_assert_int_eq(sbi_path_write(in_folder("no/f"), "x", 1, 0600, &err), SBX_ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
    ck_assert_int_eq(sbi_path_make_folders(in_folder("d/full"), NULL), SBX_OK);
    ck_assert_int_eq(sbi_path_write(in_folder("d"), "x", 1, 0600, &err), SBX_ERR_IO);
    ck_assert_int_eq(rmdir(in_folder("d/full")), 0);
    ck_assert_int_eq(rmdir(in_folder("d")), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, home_is_the_variable_and_else_passwd);
    tcase_add_test(tests, a_folder_of_the_user_follows_xdg_unless_it_is_relative);
    tcase_add_test(tests, folders_are_made_for_this_user_alone);
    tcase_add_test(tests, a_file_is_written_and_read_whole);
    tcase_add_test(tests, a_file_over_the_limit_or_absent_is_told_apart);
    tcase_add_test(tests, a_file_behind_a_link_is_replaced_and_the_link_stays);
    tcase_add_test(tests, a_write_that_fails_leaves_nothing_behind);
}
