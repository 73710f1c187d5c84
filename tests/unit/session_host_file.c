/* session_host_file.c - tests of the list as a file: who may read it, adds, removes. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "session/host_file.h"

#include <sandbox/host.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64], list_file[128];

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/sbx-host-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(list_file, sizeof(list_file), "%s/sub/hosts.json", folder);
}

static void remove_folder(void)
{
    char path[160];

    (void)unlink(list_file);
    (void)snprintf(path, sizeof(path), "%s.lock", list_file);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/sub", folder);
    (void)rmdir(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void write_list(const char *text, unsigned mode)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/sub", folder);
    ck_assert_int_eq(sbi_path_make_folders(path, NULL), SBX_OK);
    ck_assert_int_eq(sbi_path_write(list_file, text, strlen(text), mode, NULL), SBX_OK);
}

static void assert_list(const char *text)
{
    SBI_AUTOFREE char *got = NULL;
    size_t length;

    ck_assert_int_eq(sbi_path_read(list_file, 1 << 20, &got, &length, NULL), SBX_OK);
    ck_assert_str_eq(got, text);
}

static int load(sbx_error *err)
{
    SBI_AUTO_HOST_LIST list = {0};

    return sbi_host_file_load(list_file, &list, err);
}

START_TEST(a_list_with_a_secret_is_for_its_owner_alone)
{
    static const char *const secrets[] = {"[{\"name\":\"a\",\"password\":\"x\"}]",
                                          "[{\"name\":\"a\",\"key_passphrase\":\"x\"}]"};
    char fix[160];
    sbx_error err;
    size_t i;

    for (i = 0; i < 2; i++) {
        write_list(secrets[i], 0640);
        ck_assert_int_eq(load(&err), SBX_ERR_CONFIG);
        (void)snprintf(fix, sizeof(fix), "chmod 600 %s", list_file);
        ck_assert_str_eq(err.fix, fix);
        ck_assert_ptr_nonnull(strstr(err.text, "open to others (0640)"));
        ck_assert_ptr_nonnull(strstr(err.text, list_file));
        write_list(secrets[i], 0604);
        ck_assert_int_eq(load(NULL), SBX_ERR_CONFIG);
        write_list(secrets[i], 0400);
        ck_assert_int_eq(load(NULL), SBX_OK);
    }
}
END_TEST

START_TEST(a_list_without_secrets_may_be_of_any_mode)
{
    write_list("[{\"name\":\"a\",\"password_file\":\"/x\",\"tags\":[\"t\"]}]", 0666);
    ck_assert_int_eq(load(NULL), SBX_OK);
}
END_TEST

START_TEST(a_list_with_a_command_may_be_read_but_not_written_by_others)
{
    write_list("[{\"name\":\"a\",\"password_command\":\"x\"}]", 0644);
    ck_assert_int_eq(load(NULL), SBX_OK);
    write_list("[{\"name\":\"a\",\"password_command\":\"x\"}]", 0664);
    ck_assert_int_eq(load(NULL), SBX_ERR_CONFIG);
}
END_TEST

START_TEST(a_list_with_a_secret_of_another_user_is_refused)
{
    bool root = geteuid() == 0;
    char command[256];
    sbx_error err;

    write_list("[{\"name\":\"a\",\"password\":\"x\"}]", 0600);
    (void)snprintf(command, sizeof(command), "%schown 65534:65534 '%s'",
                   root ? "" : "sudo -n ", list_file);
    ck_assert_msg(system(command) == 0, "only root gives files away");
    ck_assert_int_lt(load(&err), 0);
    ck_assert_ptr_nonnull(
        strstr(err.text, root ? "is of user 65534" : "Permission denied"));
}
END_TEST

START_TEST(an_absent_and_a_broken_list_are_told_with_their_file)
{
    sbx_error err;

    ck_assert_int_eq(load(&err), SBX_ERR_NOT_FOUND);
    write_list("[\n  {\"name\": \"a\" \"port\": 1}\n]", 0600);
    ck_assert_int_eq(load(&err), SBX_ERR_CONFIG);
    ck_assert_ptr_nonnull(strstr(err.text, list_file));
    ck_assert_ptr_nonnull(strstr(err.text, "line 2, column "));
}
END_TEST

START_TEST(an_add_makes_the_file_and_a_remove_leaves_its_comments)
{
    struct stat info;

    ck_assert_int_eq(sbx_hosts_file_add(list_file, "{\"name\":\"a\"}", NULL), SBX_OK);
    assert_list("[\n    {\"name\":\"a\"}\n]\n");
    write_list("// mine\n[\n    {\"name\": \"a\"} // first\n]\n", 0644);
    ck_assert_int_eq(sbx_hosts_file_add(list_file, "{\"name\":\"b\"}", NULL), SBX_OK);
    assert_list("// mine\n[\n    {\"name\": \"a\"}, // first\n    {\"name\":\"b\"}\n]\n");
    ck_assert_int_eq(stat(list_file, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    ck_assert_int_eq(sbx_hosts_file_remove(list_file, "b", NULL), SBX_OK);
    assert_list("// mine\n[\n    {\"name\": \"a\"} // first\n]\n");
}
END_TEST

START_TEST(a_change_that_cannot_be_leaves_the_file_alone)
{
    static const struct {
        const char *entry;
        int code;
        const char *says;
    } bad[] = {
        {"{\"name\":\"gpu1\"}", SBX_ERR_EXISTS, "add 'gpu1' to host list"},
        {"{\"name\":\"b\",\"prot\":1}", SBX_ERR_CONFIG, "entry 'b': unknown key 'prot'"},
        {"{", SBX_ERR_CONFIG, "line 1"},
        {"[]", SBX_ERR_INVALID, "0 of them"},
        {"[{\"name\":\"b\"},{\"name\":\"c\"}]", SBX_ERR_INVALID, "2 of them"},
    };
    sbx_error err;
    size_t i;

    write_list("[{\"name\":\"gpu1\"}]", 0644);
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(sbx_hosts_file_add(list_file, bad[i].entry, &err), bad[i].code);
        ck_assert_msg(strstr(err.text, bad[i].says) != NULL, "%s", err.text);
    }
    ck_assert_int_eq(sbx_hosts_file_remove(list_file, "gpu2", &err), SBX_ERR_NOT_FOUND);
    ck_assert_str_eq(err.fix, "did you mean 'gpu1'?");
    assert_list("[{\"name\":\"gpu1\"}]");
    write_list("[{", 0644);
    ck_assert_int_eq(sbx_hosts_file_add(list_file, "{\"name\":\"b\"}", NULL),
                     SBX_ERR_CONFIG);
    assert_list("[{");
}
END_TEST

static void *add_five(void *userdata)
{
    char entry[64];
    int i;

    for (i = 0; i < 5; i++) {
        (void)snprintf(entry, sizeof(entry), "{\"name\":\"h%d-%d\"}", *(int *)userdata,
                       i);
        if (sbx_hosts_file_add(list_file, entry, NULL) < 0)
            return userdata;
    }
    return NULL;
}

START_TEST(of_many_adds_at_once_none_is_lost)
{
    SBI_AUTO_HOST_LIST list = {0};
    pthread_t threads[8];
    int numbers[8], i;
    void *failed;

    for (i = 0; i < 8; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, add_five, &numbers[i]), 0);
    }
    for (i = 0; i < 8; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    ck_assert_int_eq(sbi_host_file_load(list_file, &list, NULL), SBX_OK);
    ck_assert_uint_eq(list.count, 40);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, a_list_with_a_secret_is_for_its_owner_alone);
    tcase_add_test(tests, a_list_without_secrets_may_be_of_any_mode);
    tcase_add_test(tests, a_list_with_a_command_may_be_read_but_not_written_by_others);
    tcase_add_test(tests, a_list_with_a_secret_of_another_user_is_refused);
    tcase_add_test(tests, an_absent_and_a_broken_list_are_told_with_their_file);
    tcase_add_test(tests, an_add_makes_the_file_and_a_remove_leaves_its_comments);
    tcase_add_test(tests, a_change_that_cannot_be_leaves_the_file_alone);
    tcase_add_test(tests, of_many_adds_at_once_none_is_lost);
}
