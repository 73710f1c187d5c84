/* transport_ssh_config_files.c - files of ssh_config that are read once, and asked often.
 */
#include "support/unit.h"

#include "base/str.h"
#include "transport/ssh_config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64], main_file[128];
static struct sbi_ssh_config *config;

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fchmod(fileno(file), 0600), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void remove_file(const char *name)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    ck_assert_int_eq(unlink(path), 0);
}

static void set_up(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/ssh_config.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(main_file, sizeof(main_file), "%s/config", folder);
    ck_assert_int_eq(setenv("SHELL", "/bin/sh", 1), 0);
    ck_assert_int_eq(setenv("FOLDER", folder, 1), 0);
    ck_assert_int_eq(sbi_ssh_config_new(main_file, NULL, &config, NULL), SBX_OK);
}

static void tear_down(void)
{
    char command[128];

    sbi_ssh_config_free(config);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Includes all files of the folder whose name begins with "part". */
static void write_including(const char *rest)
{
    char text[512];

    (void)snprintf(text, sizeof(text), "Include %s/part*\n%s", folder, rest);
    write_file("config", text);
}

static struct sbi_ssh_options *ask(const char *host)
{
    const struct sbi_ssh_asked asked = {.host = host};
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};

    ck_assert_msg(sbi_ssh_config_resolve(config, &asked, &options, &err) == SBX_OK, "%s",
                  err.text);
    return options;
}

static void user_is(const char *host, const char *user)
{
    struct sbi_ssh_options *options = ask(host);

    ck_assert_str_eq(options->user, user);
    sbi_ssh_options_free(options);
}

static void is_refused(const char *part)
{
    const struct sbi_ssh_asked asked = {.host = "h"};
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};

    ck_assert_int_lt(sbi_ssh_config_resolve(config, &asked, &options, &err), 0);
    ck_assert_msg(strstr(err.text, part) != NULL, "'%s' is not in: %s", part, err.text);
}

/* Of the same length and at once, so that a clock in steps does not show it. */
START_TEST(a_change_holds_from_the_next_question_on)
{
    char text[64], user[16];
    int i;

    for (i = 100; i < 300; i++) {
        (void)snprintf(user, sizeof(user), "u%d", i);
        (void)snprintf(text, sizeof(text), "Host h\nUser %s\n", user);
        write_file("config", text);
        user_is("h", user);
        user_is("h", user);
    }
}
END_TEST

START_TEST(what_a_pattern_finds_later_is_read_and_what_is_gone_is_not)
{
    write_including("Host h\nUser main\n");
    user_is("h", "main");
    write_file("part1", "Host h\nUser one\n");
    user_is("h", "one");
    write_file("part0", "Host h\nUser zero\n");
    user_is("h", "zero");
    remove_file("part0");
    user_is("h", "one");
    write_file("part1", "Host h\nUser uno\n");
    user_is("h", "uno");
    remove_file("part1");
    user_is("h", "main");
}
END_TEST

START_TEST(a_file_that_others_may_write_from_now_on_is_refused)
{
    char path[256];

    write_including("");
    write_file("part", "User x\n");
    user_is("h", "x");
    (void)snprintf(path, sizeof(path), "%s/part", folder);
    ck_assert_int_eq(chmod(path, 0602), 0);
    is_refused("can be written by others");
    ck_assert_int_eq(chmod(path, 0600), 0);
    user_is("h", "x");
    remove_file("config");
    is_refused("No such file");
}
END_TEST

/* What the first question found out is not the second one's. */
START_TEST(every_question_is_its_own)
{
    struct sbi_ssh_options *options;

    write_file("config", "Host a b\nUser first\nSetEnv A=1\nCanonicalDomains X.Example.\n"
                         "Host b c\nUser second\nPort 2\nIdentityFile ~/k\n"
                         "Host !a *\nHostName %h.lab\nMatch host *.lab\nPort 3\n"
                         "Host b\nPort 4\nHost a d\nPort 5\n");
    user_is("b", "first");
    user_is("c", "second");
    options = ask("a");
    ck_assert_str_eq(options->user, "first");
    ck_assert_str_eq(options->hostname, "a");
    ck_assert_int_eq(options->port, 5);
    ck_assert(!options->identity_files_named);
    sbi_ssh_options_free(options);
    options = ask("b");
    ck_assert_str_eq(options->hostname, "b.lab");
    ck_assert_int_eq(options->port, 2);
    ck_assert(options->identity_files_named);
    sbi_ssh_options_free(options);
    options = ask("d");
    ck_assert_int_eq(options->port, 3);
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(a_command_is_asked_each_time_that_a_host_comes_to_it)
{
    char path[256];
    struct stat info;

    write_file("config", "Match host a exec \"printf x >> $FOLDER/ran\"\nUser x\n");
    user_is("a", "x");
    user_is("a", "x");
    sbi_ssh_options_free(ask("b"));
    (void)snprintf(path, sizeof(path), "%s/ran", folder);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_int_eq(info.st_size, 2);
}
END_TEST

START_TEST(a_mistake_is_told_to_all_who_ask_with_its_line)
{
    write_file("config", "Host a\nUser x\nHost other\nPort none\n");
    is_refused("/config' line 4: bad value 'none'");
    is_refused("/config' line 4: bad value 'none'");
    write_file("config", "Host a\nUser x\nHost other\nPort 44\n");
    user_is("a", "x");
}
END_TEST

/* With a reading for each, or a look at every line, this takes minutes. */
START_TEST(ten_thousand_hosts_are_asked_of_one_reading)
{
    SBI_AUTO_STR text = {0};
    char host[32];
    int i;

    for (i = 0; i < 10000; i++)
        sbi_str_addf(&text,
                     "Host h%d\n  HostName 10.0.0.1\n  Port 2022\n  User u%d\n"
                     "  IdentityFile ~/.ssh/id\n  IdentitiesOnly yes\n",
                     i, i % 7);
    ck_assert_int_eq(text.status, SBX_OK);
    write_file("config", text.data);
    for (i = 0; i < 10000; i++) {
        char user[16];

        (void)snprintf(host, sizeof(host), "h%d", i);
        (void)snprintf(user, sizeof(user), "u%d", i % 7);
        user_is(host, user);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_change_holds_from_the_next_question_on);
    tcase_add_test(tests, what_a_pattern_finds_later_is_read_and_what_is_gone_is_not);
    tcase_add_test(tests, a_file_that_others_may_write_from_now_on_is_refused);
    tcase_add_test(tests, every_question_is_its_own);
    tcase_add_test(tests, a_command_is_asked_each_time_that_a_host_comes_to_it);
    tcase_add_test(tests, a_mistake_is_told_to_all_who_ask_with_its_line);
    tcase_add_test(tests, ten_thousand_hosts_are_asked_of_one_reading);
}
