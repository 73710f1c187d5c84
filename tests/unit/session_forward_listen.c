/* session_forward_listen.c - tests of the sockets that a forward listens on. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "session/forward_listen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static char folder[64], path[96];
static struct sbi_forward_sockets sockets;

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/sbx-listen-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/s", folder);
}

static void remove_folder(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static int listen_at(char *host, int port, sbx_error *err)
{
    const struct sbi_forward_end end = {.host = host, .port = port};

    return sbi_forward_listen(&end, &sockets, err);
}

static int listen_on_path(sbx_error *err)
{
    const struct sbi_forward_end end = {.path = path};

    return sbi_forward_listen(&end, &sockets, err);
}

START_TEST(any_free_port_is_the_same_on_each_address)
{
    char localhost[] = "localhost", address[] = "127.0.0.1", all[] = "";
    char *const hosts[] = {localhost, address, all, NULL};
    char port[16];
    size_t i;

    for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        sbx_error err = {0};

        ck_assert_msg(listen_at(hosts[i], 0, &err) == SBX_OK, "%s", err.text);
        ck_assert_uint_ge(sockets.count, 1);
        (void)snprintf(port, sizeof(port), ":%d", sockets.port);
        ck_assert_ptr_nonnull(strstr(sockets.name, port));
        sbi_forward_sockets_clear(&sockets);
    }
}
END_TEST

START_TEST(a_port_that_is_taken_is_told_with_what_mends_it)
{
    struct sbi_forward_sockets first = {0};
    char here[] = "127.0.0.1";
    sbx_error err = {0};

    ck_assert_int_eq(listen_at(here, 0, NULL), SBX_OK);
    first = sockets;
    sockets = (struct sbi_forward_sockets){0};
    ck_assert_int_eq(listen_at(here, first.port, &err), SBX_ERR_EXISTS);
    ck_assert_str_eq(err.fix, "take another port, or 0 for any that is free");
    sbi_forward_sockets_clear(&sockets);
    sbi_forward_sockets_clear(&first);
}
END_TEST

START_TEST(an_address_that_is_not_this_machines_is_refused)
{
    char none[] = "192.0.2.1", word[] = "no such.name";
    sbx_error err = {0};

    ck_assert_int_lt(listen_at(none, 0, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "192.0.2.1"));
    sbi_forward_sockets_clear(&sockets);
    ck_assert_int_lt(listen_at(word, 0, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "no such.name"));
    sbi_forward_sockets_clear(&sockets);
}
END_TEST

START_TEST(a_socket_is_its_owners_alone_and_goes_with_its_forward)
{
    struct stat info;

    ck_assert_int_eq(listen_on_path(NULL), SBX_OK);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert(S_ISSOCK(info.st_mode));
    ck_assert_uint_eq(info.st_mode & 0777, 0600);
    sbi_forward_sockets_clear(&sockets);
    ck_assert_int_lt(lstat(path, &info), 0);
}
END_TEST

/* One that has taken the place since is not ours to remove. */
START_TEST(a_socket_that_is_anothers_by_now_stays)
{
    struct stat info;

    ck_assert_int_eq(listen_on_path(NULL), SBX_OK);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    sbi_forward_sockets_clear(&sockets);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(a_socket_that_nobody_listens_on_is_replaced_and_a_live_one_is_not)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    sbx_error err = {0};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert_int_eq(listen_on_path(&err), SBX_ERR_EXISTS);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    sbi_forward_sockets_clear(&sockets);
    (void)close(fd);
    ck_assert_int_eq(listen_on_path(NULL), SBX_OK);
    sbi_forward_sockets_clear(&sockets);
}
END_TEST

START_TEST(a_path_that_cannot_be_a_socket_is_told)
{
    static char long_path[300];
    const struct sbi_forward_end too_long = {.path = long_path};
    FILE *file = fopen(path, "w");
    sbx_error err = {0};
    struct stat info;

    ck_assert_ptr_nonnull(file);
    (void)fclose(file);
    ck_assert_int_lt(listen_on_path(&err), 0);
    sbi_forward_sockets_clear(&sockets);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert_msg(S_ISREG(info.st_mode), "a file was replaced by a socket");

    memset(long_path, 'a', sizeof(long_path) - 1);
    ck_assert_int_lt(sbi_forward_listen(&too_long, &sockets, &err), 0);
    sbi_forward_sockets_clear(&sockets);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, any_free_port_is_the_same_on_each_address);
    tcase_add_test(tests, a_port_that_is_taken_is_told_with_what_mends_it);
    tcase_add_test(tests, an_address_that_is_not_this_machines_is_refused);
    tcase_add_test(tests, a_socket_is_its_owners_alone_and_goes_with_its_forward);
    tcase_add_test(tests, a_socket_that_is_anothers_by_now_stays);
    tcase_add_test(tests,
                   a_socket_that_nobody_listens_on_is_replaced_and_a_live_one_is_not);
    tcase_add_test(tests, a_path_that_cannot_be_a_socket_is_told);
}
