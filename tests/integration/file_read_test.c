/* file_read_test.c - tests of the parts of a file that can be asked for. */
#include "support/unit.h"

#include <sandbox/file.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];
static sbx_session *session;

static void make_file(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_hosts *hosts = NULL;
    int fd;

    (void)snprintf(path, sizeof(path), "/tmp/sbx-read-XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_eq((int)write(fd, "one\ntwo\nthree\n", 14), 14);
    (void)close(fd);
    ck_assert_int_eq(sbx_hosts_parse("[]", 2, &opts, &hosts, NULL), SBX_OK);
    ck_assert_int_eq(sbx_session_open(hosts, "local", NULL, &session, NULL), SBX_OK);
    sbx_hosts_free(hosts);
}

static void remove_file(void)
{
    sbx_session_free(session);
    (void)unlink(path);
}

START_TEST(a_part_is_what_was_asked_for)
{
    static const struct {
        sbx_file_read_opts opts;
        const char *data;
    } rows[] = {
        {{0}, "one\ntwo\nthree\n"},
        {{.offset = 4, .length = 3}, "two"},
        {{.offset = -6}, "three\n"},
        {{.offset = -99}, "one\ntwo\nthree\n"},
        {{.offset = 99}, ""},
        {{.first_line = 2, .last_line = 2}, "two\n"},
        {{.first_line = -1}, "three\n"},
        {{.last_line = 1}, "one\n"},
        {{.first_line = 9}, ""},
        {{.max_bytes = 5}, "one\nt"},
        {{.max_bytes = -1}, "one\ntwo\nthree\n"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sbx_file_read_opts opts = rows[i].opts;
        sbx_file_content *content = NULL;
        sbx_error err = {0};

        opts.size = sizeof(opts);
        ck_assert_msg(sbx_file_read(session, path, &opts, &content, &err) == SBX_OK, "%s",
                      err.text);
        ck_assert_str_eq(content->data, rows[i].data);
        ck_assert_int_eq(content->truncated, opts.max_bytes == 5);
        sbx_file_content_free(content);
    }
}
END_TEST

START_TEST(a_part_that_cannot_be_is_refused)
{
    static const sbx_file_read_opts rows[] = {
        {.first_line = 1, .offset = 1},
        {.last_line = 1, .length = 1},
        {.length = -1},
        {.last_line = -1},
        {.first_line = -2, .last_line = 3},
        {.first_line = 3, .last_line = 2},
        {.offset = INT64_MIN},
        {.offset = INT64_MAX},
        {.first_line = INT64_MIN},
        {.max_bytes = INT64_MAX},
    };
    sbx_file_content *content = NULL;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sbx_file_read_opts opts = rows[i];

        opts.size = sizeof(opts);
        ck_assert_int_eq(sbx_file_read(session, path, &opts, &content, &err),
                         SBX_ERR_INVALID);
        ck_assert_str_ne(err.text, "");
    }
    ck_assert_ptr_null(content);
}
END_TEST

static int take_one(const void *data, size_t length, void *userdata)
{
    (void)data;
    *(size_t *)userdata += length;
    return 1;
}

START_TEST(a_caller_that_has_enough_gets_no_more)
{
    size_t taken = 0;
    const sbx_file_read_opts opts = {
        .size = sizeof(opts), .on_bytes = take_one, .userdata = &taken};
    sbx_file_content *content = NULL;

    ck_assert_int_eq(truncate(path, 4 << 20), 0);
    ck_assert_int_eq(sbx_file_read(session, path, &opts, &content, NULL), SBX_OK);
    ck_assert_uint_gt(taken, 0);
    ck_assert_uint_lt(taken, 4 << 20);
    ck_assert_int_eq(content->is_whole, 0);
    sbx_file_content_free(content);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_file, remove_file);
    tcase_add_test(tests, a_part_is_what_was_asked_for);
    tcase_add_test(tests, a_part_that_cannot_be_is_refused);
    tcase_add_test(tests, a_caller_that_has_enough_gets_no_more);
}
