/* session_file_said.c - tests of the words of scripts, and of the errors they are. */
#include "support/unit.h"

#include "session/file_said.h"

#include <errno.h>
#include <string.h>

static int told(const char *text, sbx_error *err)
{
    struct sbi_file_said said;

    sbi_file_said_read(text, strlen(text), &said);
    return sbi_file_said_fail(&said, "read", "gpu1", "x", err);
}

START_TEST(a_word_is_a_code_an_errno_and_a_text)
{
    static const struct {
        const char *text;
        int code;
        int sys_errno;
        const char *told;
    } rows[] = {
        {"sbx-file:missing\n", SBX_ERR_NOT_FOUND, ENOENT, "no such file or folder"},
        {"sbx-file:parent ./a b\n", SBX_ERR_NOT_FOUND, ENOENT,
         "there is no folder 'a b'"},
        {"sbx-file:denied ./a b\n", SBX_ERR_IO, EACCES, "no permission for 'a b'"},
        {"sbx-file:readonly /mnt\n", SBX_ERR_IO, EROFS,
         "the file system of '/mnt' is read-only"},
        {"sbx-file:full 4096 12 /data\n", SBX_ERR_IO, ENOSPC,
         "no space left on device: 4096 bytes and 12 inodes free in '/data'"},
        {"sbx-file:full 0 -1 /data\n", SBX_ERR_IO, ENOSPC,
         "no space left on device: 0 bytes free in '/data'"},
        {"sbx-file:full -1 -1 /data\n", SBX_ERR_IO, ENOSPC, "no space left on device"},
        {"sbx-file:full\n", SBX_ERR_IO, ENOSPC, "no space left on device"},
        {"sbx-file:quota /home\n", SBX_ERR_IO, EDQUOT,
         "the disk quota in '/home' is used up"},
        {"sbx-file:notdir ./a\n", SBX_ERR_IO, ENOTDIR, "'a' is not a folder"},
        {"sbx-file:exists\n", SBX_ERR_EXISTS, EEXIST, "it is there already"},
        {"sbx-file:changed abc\n", SBX_ERR_CONFLICT, ESTALE,
         "it is no longer what you read: its sha256 is abc"},
        {"sbx-file:other what it said\n", SBX_ERR_IO, 0, "what it said"},
        {"sbx-file:never /root\n", SBX_ERR_INVALID, 0,
         "never done to '/', a home, or a folder with a home in it; here that is "
         "'/root'"},
        {"something else\n", SBX_ERR_IO, 0, "something else"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sbx_error err = {0};

        ck_assert_int_eq(told(rows[i].text, &err), rows[i].code);
        ck_assert_int_eq(err.code, rows[i].code);
        ck_assert_int_eq(err.sys_errno, rows[i].sys_errno);
        ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
        ck_assert_msg(strncmp(err.text, "read 'gpu1:x': ", 15) == 0, "%s", err.text);
        ck_assert_str_eq(err.text + 15, rows[i].told);
    }
}
END_TEST

START_TEST(the_first_failure_counts_whatever_names_hold)
{
    sbx_error err = {0};

    ck_assert_int_eq(told("find: x\nsbx-file:denied a\nsbx-file:missing\n", &err),
                     SBX_ERR_IO);
    ck_assert_int_eq(err.sys_errno, EACCES);
    ck_assert_int_eq(told("x sbx-file:missing\nsbx-file:quota /\n", &err), SBX_ERR_IO);
    ck_assert_int_eq(err.sys_errno, EDQUOT);
}
END_TEST

START_TEST(facts_on_the_way_are_no_failure)
{
    struct sbi_file_said said;
    static const char text[] = "sbx-file:size 4096\nsbx-file:broken\nsbx-file:partly\n";

    sbi_file_said_read(text, sizeof(text) - 1, &said);
    ck_assert_str_eq(said.word, "");
    ck_assert_int_eq(said.size, 4096);
    ck_assert(said.broken);
    ck_assert(said.partly);
    sbi_file_said_read(NULL, 0, &said);
    ck_assert_int_eq(said.size, -1);
    ck_assert(!said.broken && !said.partly);
}
END_TEST

START_TEST(what_was_done_in_part_is_told)
{
    sbx_error err = {0};

    (void)told("sbx-file:partly\nsbx-file:denied a\n", &err);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_YES);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_word_is_a_code_an_errno_and_a_text);
    tcase_add_test(tests, the_first_failure_counts_whatever_names_hold);
    tcase_add_test(tests, facts_on_the_way_are_no_failure);
    tcase_add_test(tests, what_was_done_in_part_is_told);
}
