/*
 * file_places_test.c - files are the same on every place: this machine, GNU tools over
 * OpenSSH, BusyBox alone, and behind login shells that are no POSIX shell.
 */
#include "support/ask.h"
#include "support/places.h"

#include <sandbox/file.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder of each test's own, below where commands start. */
static char folder[64];
static const char *own_home; /* or NULL */
static sbx_session *session;
static sbx_error err;

static const char *in(const char *name)
{
    static char paths[8][4200];
    static unsigned next;
    char *path = paths[next++ % 8];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

/*
 * A home of our own, in memory where there is such a folder: each write is synced, and a
 * disk that others write to takes its time for that.
 */
static void enter_home(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : places_told("WORK");
    static char home[128];

    (void)snprintf(home, sizeof(home), "%s/sbxt.home.XXXXXX", base);
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(setenv("HOME", home, 1), 0);
    ck_assert_int_eq(chdir(home), 0);
    own_home = home;
}

static void begin(int place)
{
    int rc;

    if (place_is_here(place))
        enter_home();
    session = place_open(place);
    (void)snprintf(folder, sizeof(folder), "sbxt.files.%d", (int)getpid());
    rc = sbx_file_make_folder(session, folder, NULL, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
}

static void end(void)
{
    sbx_file_listing *left = NULL;
    size_t i;
    int rc;

    rc = sbx_file_list(session, folder,
                       &SBX_OPTS(sbx_file_list_opts, .flags = SBX_FILE_RECURSIVE), &left,
                       &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    for (i = 0; i < left->count; i++)
        ck_assert_msg(strstr(left->items[i]->path, ".sbx-") == NULL, "left behind: %s",
                      left->items[i]->path);
    sbx_file_listing_free(left);
    rc = sbx_file_remove(session, folder,
                         &SBX_OPTS(sbx_file_opts, .flags = SBX_FILE_RECURSIVE), &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    sbx_session_free(session);
    if (own_home != NULL)
        ck_assert_msg(rmdir(own_home) == 0, "something is left in the home");
}

/* Runs in the folder what prints nothing. */
static void in_folder(const char *command)
{
    expect_says(session, command, &SBX_OPTS(sbx_exec_opts, .cwd = folder), "");
}

static sbx_file_written *put(const char *path, const void *data, size_t length,
                             const sbx_file_write_opts *opts)
{
    sbx_file_written *written = NULL;
    int rc = sbx_file_write(session, path, data, length, opts, &written, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_str_eq(written->path, path);
    return written;
}

static void put_text(const char *path, const char *text)
{
    sbx_file_written_free(put(path, text, strlen(text), NULL));
}

static void holds(const char *path, const void *data, size_t length)
{
    sbx_file_content *content = NULL;
    int rc = sbx_file_read(session, path, NULL, &content, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_uint_eq(content->length, length);
    ck_assert_mem_eq(content->data, data, length);
    ck_assert_int_eq(content->size, (int64_t)length);
    ck_assert_int_eq(content->is_whole, 1);
    sbx_file_content_free(content);
}

static void holds_text(const char *path, const char *text)
{
    holds(path, text, strlen(text));
}

static sbx_file_info *look(const char *path, uint64_t flags)
{
    sbx_file_info *info = NULL;
    int rc = sbx_file_stat(session, path, &SBX_OPTS(sbx_file_opts, .flags = flags), &info,
                           &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_str_eq(info->path, path);
    return info;
}

static bool is_there(const char *path)
{
    sbx_file_info *info = NULL;
    int rc = sbx_file_stat(session, path, NULL, &info, &err);

    ck_assert_msg(rc == SBX_OK || rc == SBX_ERR_NOT_FOUND, "%s", err.text);
    sbx_file_info_free(info);
    return rc == SBX_OK;
}

/* The last call failed so, and changed nothing. */
static void failed(int rc, int code, int sys_errno, const char *told)
{
    ck_assert_msg(rc == code, "%s: %s", sbx_code_name(rc), err.text);
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(err.sys_errno == sys_errno, "%d: %s", err.sys_errno, err.text);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_msg(strstr(err.text, told) != NULL, "%s", err.text);
}

START_TEST(a_file_is_written_whole_and_read_byte_for_byte)
{
    unsigned char bytes[1024];
    sbx_file_written *written;
    sbx_file_content *content = NULL;
    size_t i;

    begin(_i);
    for (i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i % 256);
    written = put(in("f"), bytes, sizeof(bytes), NULL);
    ck_assert_int_eq(written->created, 1);
    ck_assert_int_eq(written->size, 1024);
    ck_assert_uint_eq(written->mode, 0644);
    holds(in("f"), bytes, sizeof(bytes));
    ck_assert_int_eq(sbx_file_read(session, in("f"), NULL, &content, &err), SBX_OK);
    ck_assert_str_eq(content->sha256, written->sha256);
    sbx_file_content_free(content);
    sbx_file_written_free(written);

    written = put(in("f"), "", 0, NULL);
    ck_assert_int_eq(written->created, 0);
    ck_assert_int_eq(written->size, 0);
    sbx_file_written_free(written);
    holds(in("f"), "", 0);
    end();
}
END_TEST

START_TEST(mode_is_kept_and_a_link_stays_a_link)
{
    sbx_file_written *written;
    sbx_file_info *info;

    begin(_i);
    written = put(in("run"), "1", 1, &SBX_OPTS(sbx_file_write_opts, .mode = 0750));
    ck_assert_uint_eq(written->mode, 0750);
    sbx_file_written_free(written);
    in_folder("ln -s run link && ln -s ../nosuch dead && "
              "mkdir sub && ln -s ../run sub/up");
    put_text(in("run"), "2");
    put_text(in("link"), "3");
    put_text(in("sub/up"), "4");
    holds_text(in("run"), "4");
    info = look(in("run"), 0);
    ck_assert_uint_eq(info->mode, 0750);
    ck_assert_int_eq(info->kind, SBX_FILE_REGULAR);
    sbx_file_info_free(info);
    info = look(in("sub/up"), 0);
    ck_assert_int_eq(info->kind, SBX_FILE_LINK);
    ck_assert_str_eq(info->target, "../run");
    sbx_file_info_free(info);
    info = look(in("sub/up"), SBX_FILE_FOLLOW);
    ck_assert_int_eq(info->kind, SBX_FILE_REGULAR);
    ck_assert_ptr_null(info->target);
    sbx_file_info_free(info);
    end();
}
END_TEST

static const char *const names[] = {
    " ",           "a b",
    "-rf",         "--help",
    "new\nline",   "ends\n",
    "\n",          "it's",
    "\"q\"",       "$HOME `id` $(id)",
    "back\\slash", "*",
    "[a]?",        "~",
    "~root",       "#x",
    "!x",          "\377\376",
    "\xC3\xA4",    "tab\tcr\r\033[31m",
    ".hidden",     "...",
    "a:b",         "sbx-file:missing",
    "100%",
};

/* Each name is written, moved and read on one of the places that are asked in full. */
static size_t odd_or_even(int place)
{
    return place == LOCAL ? 0 : 1;
}

/* All of them at once, each with itself in it. */
static void make_all_names(void)
{
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    const char *argv[COUNT + 5] = {
        "sh", "-c", "for n; do printf %s \"$n\" >\"./$n\" || exit; done", "sh"};
    sbx_exec_result *result;

    memcpy(argv + 4, names, sizeof(names));
    result = ask_argv(session, argv, &SBX_OPTS(sbx_exec_opts, .cwd = folder));
    expect_exit(result, 0);
    sbx_exec_result_free(result);
}

START_TEST(a_name_is_any_bytes)
{
    sbx_file_listing *listing = NULL;
    char longest[256];
    size_t i, j;
    int rc;

    begin(_i);
    memset(longest, 'x', 255);
    longest[255] = '\0';
    put_text(in(longest), longest);
    holds_text(in(longest), longest);
    rc = sbx_file_remove(session, in(longest), NULL, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    make_all_names();
    for (i = odd_or_even(_i); i < sizeof(names) / sizeof(names[0]); i += 2)
        put_text(in(names[i]), names[i]);
    rc = sbx_file_list(session, folder, NULL, &listing, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_uint_eq(listing->count, sizeof(names) / sizeof(names[0]));
    ck_assert_int_eq(listing->incomplete, 0);
    for (i = 0; i < listing->count; i++) {
        const sbx_file_info *info = listing->items[i];

        for (j = 0; j < sizeof(names) / sizeof(names[0]); j++)
            if (strcmp(names[j], info->path) == 0)
                break;
        ck_assert_msg(j < sizeof(names) / sizeof(names[0]), "'%s'", info->path);
        ck_assert_int_eq(info->size, (int64_t)strlen(names[j]));
        ck_assert_int_eq(info->mtime_step_ns, 1);
        ck_assert(i == 0 || strcmp(listing->items[i - 1]->path, info->path) < 0);
    }
    sbx_file_listing_free(listing);
    for (i = odd_or_even(_i); i < sizeof(names) / sizeof(names[0]); i += 4)
        holds_text(in(names[i]), names[i]);
    end();
}
END_TEST

START_TEST(an_odd_name_is_copied_moved_and_removed_like_any)
{
    size_t i;
    int rc;

    begin(_i);
    ck_assert_int_eq(sbx_file_make_folder(session, in("d"), NULL, &err), SBX_OK);
    for (i = odd_or_even(_i); i < sizeof(names) / sizeof(names[0]); i += 10) {
        char below[64];

        (void)snprintf(below, sizeof(below), "d/%s", names[i]);
        put_text(in(names[i]), names[i]);
        rc = sbx_file_copy(session, in(names[i]), in("d/"), NULL, &err);
        ck_assert_msg(rc == SBX_OK, "%s", err.text);
        holds_text(in(below), names[i]);
        rc = sbx_file_move(session, in(below), in("moved"), NULL, &err);
        ck_assert_msg(rc == SBX_OK, "%s", err.text);
        holds_text(in("moved"), names[i]);
        ck_assert(!is_there(in(below)));
        ck_assert_int_eq(sbx_file_remove(session, in("moved"), NULL, &err), SBX_OK);
    }
    end();
}
END_TEST

static int count_calls(const sbx_file_info *info, void *userdata)
{
    (void)info;
    return ++*(int *)userdata == 2;
}

static size_t count_of(const char *path, const sbx_file_list_opts *opts, bool truncated)
{
    sbx_file_listing *listing = NULL;
    int rc = sbx_file_list(session, path, opts, &listing, &err);
    size_t count;

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_int_eq(listing->truncated, truncated);
    ck_assert_str_eq(listing->path, path);
    count = listing->count;
    sbx_file_listing_free(listing);
    return count;
}

START_TEST(a_folder_is_listed_as_far_as_is_asked)
{
    sbx_file_listing *listing = NULL;
    int calls = 0;

    begin(_i);
    in_folder("mkdir -p a/b/c && : >a/x.py && : >a/b/y.py "
              "&& : >a/b/c/z.txt && ln -s b a/link && ln -s a/b top");
    ck_assert_uint_eq(count_of(in("a"), NULL, false), 3);
#define LIST(...) &SBX_OPTS(sbx_file_list_opts, .flags = SBX_FILE_RECURSIVE, __VA_ARGS__)
    ck_assert_uint_eq(count_of(in("a"), LIST(.limit = 0), false), 6);
    ck_assert_uint_eq(count_of(in("a"), LIST(.glob = "*.py"), false), 2);
    ck_assert_uint_eq(count_of(in("a"), LIST(.glob = "b/*.py"), false), 1);
    ck_assert_uint_eq(count_of(in("a"), LIST(.glob = "**/*.[pt]*"), false), 3);
    ck_assert_uint_eq(count_of(in("a"), LIST(.limit = 6), false), 6);
    ck_assert_uint_eq(count_of(in("a"), LIST(.limit = 5), true), 5);
    ck_assert_uint_eq(count_of(in("a"), LIST(.limit = 1, .glob = "*.py"), true), 1);
    ck_assert_uint_eq(
        count_of(in("a"), LIST(.on_info = count_calls, .userdata = &calls), false), 2);
    ck_assert_int_eq(calls, 2);
    ck_assert_uint_eq(count_of(in("top"), NULL, false), 2);
    ck_assert_int_eq(sbx_file_list(session, in("a"), NULL, &listing, &err), SBX_OK);
    ck_assert_str_eq(listing->items[0]->path, "b");
    ck_assert_int_eq(listing->items[0]->kind, SBX_FILE_FOLDER);
    ck_assert_str_eq(listing->items[1]->path, "link");
    ck_assert_str_eq(listing->items[1]->target, "b");
    sbx_file_listing_free(listing);
    ck_assert_int_eq(sbx_file_make_folder(session, in("empty"), NULL, &err), SBX_OK);
    ck_assert_uint_eq(count_of(in("empty"), NULL, false), 0);
    end();
}
END_TEST

static void part_is(const char *path, sbx_file_read_opts opts, const char *text,
                    bool truncated)
{
    sbx_file_content *content = NULL;
    int rc;

    opts.size = sizeof(opts);
    rc = sbx_file_read(session, path, &opts, &content, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_str_eq(content->data, text);
    ck_assert_uint_eq(content->length, strlen(text));
    ck_assert_int_eq(content->truncated, truncated);
    ck_assert_int_eq(content->size, 14);
    sbx_file_content_free(content);
}

START_TEST(a_part_is_read_by_bytes_and_by_lines)
{
    begin(_i);
    put_text(in("f"), "one\ntwo\nthree!");
#define PART(...) ((sbx_file_read_opts){__VA_ARGS__})
    part_is(in("f"), PART(.offset = 4), "two\nthree!", false);
    part_is(in("f"), PART(.offset = 4, .length = 3), "two", false);
    part_is(in("f"), PART(.length = 3), "one", false);
    part_is(in("f"), PART(.offset = -6), "three!", false);
    part_is(in("f"), PART(.offset = -6, .length = 2), "th", false);
    part_is(in("f"), PART(.offset = -99), "one\ntwo\nthree!", false);
    part_is(in("f"), PART(.offset = 99), "", false);
    part_is(in("f"), PART(.first_line = 2), "two\nthree!", false);
    part_is(in("f"), PART(.first_line = 2, .last_line = 2), "two\n", false);
    part_is(in("f"), PART(.last_line = 2), "one\ntwo\n", false);
    part_is(in("f"), PART(.first_line = -1), "three!", false);
    part_is(in("f"), PART(.first_line = -2), "two\nthree!", false);
    part_is(in("f"), PART(.first_line = 9), "", false);
    part_is(in("f"), PART(.max_bytes = 5), "one\nt", true);
    part_is(in("f"), PART(.max_bytes = 14), "one\ntwo\nthree!", false);
    part_is(in("f"), PART(.first_line = 2, .max_bytes = 3), "two", true);
    end();
}
END_TEST

START_TEST(a_write_under_a_condition_loses_nothing)
{
    sbx_file_written *first, *second = NULL;
    int rc;

    begin(_i);
    first = put(in("f"), "one", 3, &SBX_OPTS(sbx_file_write_opts, .flags = SBX_FILE_NEW));
    rc = sbx_file_write(session, in("f"), "two", 3,
                        &SBX_OPTS(sbx_file_write_opts, .flags = SBX_FILE_NEW), &second,
                        &err);
    failed(rc, SBX_ERR_EXISTS, EEXIST, "it is there already");
    put_text(in("f"), "another's");
    rc = sbx_file_write(session, in("f"), "two", 3,
                        &SBX_OPTS(sbx_file_write_opts, .if_sha256 = first->sha256),
                        &second, &err);
    failed(rc, SBX_ERR_CONFLICT, ESTALE, "no longer what you read");
    holds_text(in("f"), "another's");
    ck_assert_int_eq(sbx_file_remove(session, in("f"), NULL, &err), SBX_OK);
    rc = sbx_file_write(session, in("f"), "two", 3,
                        &SBX_OPTS(sbx_file_write_opts, .if_sha256 = first->sha256),
                        &second, &err);
    failed(rc, SBX_ERR_CONFLICT, ENOENT, "no longer there");
    ck_assert(!is_there(in("f")));
    put_text(in("f"), "one");
    second = put(in("f"), "two", 3,
                 &SBX_OPTS(sbx_file_write_opts, .if_sha256 = first->sha256));
    holds_text(in("f"), "two");
    sbx_file_written_free(first);
    sbx_file_written_free(second);
    end();
}
END_TEST

static int edit(const char *path, const char *old_text, const char *new_text,
                uint64_t flags, sbx_file_written **out)
{
    return sbx_file_edit(session, path, old_text, strlen(old_text), new_text,
                         strlen(new_text), &SBX_OPTS(sbx_file_edit_opts, .flags = flags),
                         out, &err);
}

START_TEST(an_edit_replaces_exactly_what_is_meant)
{
    sbx_file_written *written = NULL;

    begin(_i);
    put_text(in("f"), "lr=0.1\nx=lr\n.*\n");
    failed(edit(in("f"), "lr", "q", 0, &written), SBX_ERR_CONFLICT, 0, "2 times");
    failed(edit(in("f"), "nosuch", "q", 0, &written), SBX_ERR_CONFLICT, 0, "not there");
    failed(edit(in("f"), "nosuch", "q", SBX_FILE_ALL, &written), SBX_ERR_CONFLICT, 0,
           "not there");
    failed(edit(in("f"), "", "q", 0, &written), SBX_ERR_INVALID, 0, "empty");
    failed(edit(in("g"), "a", "q", 0, &written), SBX_ERR_NOT_FOUND, ENOENT, "no such");
    ck_assert_int_eq(edit(in("f"), "lr=0.1\n", "lr='1'\n", 0, &written), SBX_OK);
    ck_assert_int_eq(written->matches, 1);
    sbx_file_written_free(written);
    ck_assert_int_eq(edit(in("f"), "lr", "", SBX_FILE_ALL, &written), SBX_OK);
    ck_assert_int_eq(written->matches, 2);
    sbx_file_written_free(written);
    ck_assert_int_eq(edit(in("f"), ".*", "&\\1", 0, &written), SBX_OK);
    sbx_file_written_free(written);
    holds_text(in("f"), "='1'\nx=\n&\\1\n");
    end();
}
END_TEST

START_TEST(what_is_appended_stands_behind_what_was_there)
{
    sbx_file_written *written = NULL;
    int rc;

    begin(_i);
    rc = sbx_file_append(session, in("f"), "a", 1, NULL, &written, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_int_eq(written->created, 1);
    ck_assert_uint_eq(written->mode, 0644);
    sbx_file_written_free(written);
    rc = sbx_file_append(session, in("f"), "b\0c", 3, NULL, &written, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_int_eq(written->created, 0);
    ck_assert_int_eq(written->size, 4);
    sbx_file_written_free(written);
    holds(in("f"), "ab\0c", 4);
    end();
}
END_TEST

START_TEST(a_failure_is_named_as_what_it_is)
{
    sbx_file_content *content = NULL;
    sbx_file_listing *listing = NULL;
    sbx_file_written *written = NULL;
    sbx_file_info *info = NULL;

    begin(_i);
    put_text(in("f"), "x");
    in_folder("ln -s loop loop && mkfifo pipe && ln -s "
              "nosuch dead");
    failed(sbx_file_read(session, in("nosuch"), NULL, &content, &err), SBX_ERR_NOT_FOUND,
           ENOENT, "no such file");
    failed(sbx_file_read(session, in("no/such"), NULL, &content, &err), SBX_ERR_NOT_FOUND,
           ENOENT, "no such file");
    failed(sbx_file_read(session, in("dead"), NULL, &content, &err), SBX_ERR_NOT_FOUND,
           ENOENT, "no such file");
    failed(sbx_file_read(session, in("f/x"), NULL, &content, &err), SBX_ERR_IO, ENOTDIR,
           "f' is not a folder");
    failed(sbx_file_read(session, folder, NULL, &content, &err), SBX_ERR_IO, EISDIR,
           "it is a folder");
    failed(sbx_file_read(session, in("pipe"), NULL, &content, &err), SBX_ERR_IO, ENXIO,
           "not a regular file");
    failed(sbx_file_read(session, in("loop"), NULL, &content, &err), SBX_ERR_IO, ELOOP,
           "too many links");
    failed(sbx_file_stat(session, in("f/"), NULL, &info, &err), SBX_ERR_IO, ENOTDIR,
           "f' is not a folder");
    failed(sbx_file_list(session, in("f"), NULL, &listing, &err), SBX_ERR_IO, ENOTDIR,
           "f' is not a folder");
    failed(sbx_file_write(session, in("no/such"), "x", 1, NULL, &written, &err),
           SBX_ERR_NOT_FOUND, ENOENT, "there is no folder");
    failed(sbx_file_write(session, in("f/x"), "x", 1, NULL, &written, &err), SBX_ERR_IO,
           ENOTDIR, "f' is not a folder");
    failed(sbx_file_write(session, in("x/"), "x", 1, NULL, &written, &err),
           SBX_ERR_INVALID, EISDIR, "slash");
    failed(sbx_file_write(session, "/dev/null", "x", 1, NULL, &written, &err), SBX_ERR_IO,
           ENXIO, "not a regular file");
    failed(sbx_file_make_folder(session, folder, NULL, &err), SBX_ERR_EXISTS, EEXIST,
           "there already");
    failed(sbx_file_make_folder(session, in("a/b"), NULL, &err), SBX_ERR_NOT_FOUND,
           ENOENT, "there is no folder");
    failed(sbx_file_copy(session, folder, "x", NULL, &err), SBX_ERR_IO, EISDIR,
           "it is a folder");
    failed(sbx_file_move(session, in("f"), in("pipe"), NULL, &err), SBX_ERR_EXISTS,
           EEXIST, "is there already");
    failed(sbx_file_remove(session, in("nosuch"), NULL, &err), SBX_ERR_NOT_FOUND, ENOENT,
           "no such");
    ck_assert_int_eq(
        sbx_file_remove(session, in("nosuch"),
                        &SBX_OPTS(sbx_file_opts, .flags = SBX_FILE_MISSING_OK), &err),
        SBX_OK);
    end();
}
END_TEST

START_TEST(a_permission_that_is_missing_is_told_with_its_folder)
{
    sbx_file_content *content = NULL;
    sbx_file_listing *listing = NULL;
    sbx_file_written *written = NULL;

    if (place_is_root(_i)) /* to whom nothing is closed */
        return;
    begin(_i);
    put_text(in("f"), "x");
    put_text(in("ro"), "x");
    in_folder("mkdir shut blind && : >shut/x && chmod 500 "
              "shut && chmod 0 f blind && chmod 444 ro");
    failed(sbx_file_read(session, in("f"), NULL, &content, &err), SBX_ERR_IO, EACCES,
           "no permission for");
    failed(sbx_file_read(session, in("blind/x"), NULL, &content, &err), SBX_ERR_IO,
           EACCES, "blind'");
    failed(sbx_file_list(session, in("blind"), NULL, &listing, &err), SBX_ERR_IO, EACCES,
           "blind'");
    failed(sbx_file_write(session, in("shut/y"), "x", 1, NULL, &written, &err),
           SBX_ERR_IO, EACCES, "shut'");
    failed(sbx_file_write(session, in("ro"), "y", 1, NULL, &written, &err), SBX_ERR_IO,
           EACCES, "ro'");
    failed(sbx_file_make_folder(session, in("shut/d"), NULL, &err), SBX_ERR_IO, EACCES,
           "shut'");
    failed(sbx_file_remove(session, in("shut/x"), NULL, &err), SBX_ERR_IO, EACCES,
           "shut'");
    ck_assert_int_eq(
        sbx_file_list(session, folder,
                      &SBX_OPTS(sbx_file_list_opts, .flags = SBX_FILE_RECURSIVE),
                      &listing, &err),
        SBX_OK);
    ck_assert_int_eq(listing->incomplete, 1);
    ck_assert(listing->complaints[0] != '\0');
    ck_assert_uint_eq(listing->count, 5);
    sbx_file_listing_free(listing);
    in_folder("chmod 700 shut blind");
    end();
}
END_TEST

START_TEST(the_target_of_a_copy_is_a_name_or_a_folder_with_a_slash)
{
    const sbx_file_opts all = SBX_OPTS(sbx_file_opts, .flags = SBX_FILE_RECURSIVE);
    const sbx_file_opts over = SBX_OPTS(sbx_file_opts, .flags = SBX_FILE_OVERWRITE);
    sbx_file_info *a, *b;

    begin(_i);
    put_text(in("f"), "x");
    in_folder("mkdir -p d/e && : >d/e/g && ln -s g d/e/l && "
              "chmod 751 d/e && touch -t 202001020304 f d/e && ln -s f link");
    ck_assert_int_eq(sbx_file_copy(session, in("d"), in("d2"), &all, &err), SBX_OK);
    a = look(in("d/e"), 0);
    b = look(in("d2/e"), 0);
    ck_assert_uint_eq(a->mode, b->mode);
    ck_assert_int_eq(a->mtime_ns, b->mtime_ns);
    sbx_file_info_free(a);
    sbx_file_info_free(b);
    a = look(in("d2/e/l"), 0);
    ck_assert_str_eq(a->target, "g");
    sbx_file_info_free(a);
    failed(sbx_file_copy(session, in("f"), in("d2"), NULL, &err), SBX_ERR_EXISTS, EEXIST,
           "a folder that is there");
    failed(sbx_file_copy(session, in("d"), in("d/e/x"), &all, &err), SBX_ERR_INVALID, 0,
           "in the folder itself");
    failed(sbx_file_move(session, in("d"), in("d/e/"), NULL, &err), SBX_ERR_INVALID, 0,
           "in the folder itself");
    failed(sbx_file_copy(session, in("f"), in("./f"), &over, &err), SBX_ERR_INVALID, 0,
           "the same file");
    ck_assert_int_eq(sbx_file_copy(session, in("f"), in("d2/"), NULL, &err), SBX_OK);
    failed(sbx_file_copy(session, in("f"), in("d2/f"), NULL, &err), SBX_ERR_EXISTS,
           EEXIST, "d2/f' is there already");
    ck_assert_int_eq(sbx_file_copy(session, in("link"), in("d2/"), NULL, &err), SBX_OK);
    holds_text(in("d2/link"), "x");
    put_text(in("f"), "y");
    ck_assert_int_eq(sbx_file_copy(session, in("f"), in("d2/f"), &over, &err), SBX_OK);
    holds_text(in("d2/f"), "y");
    ck_assert_int_eq(sbx_file_move(session, in("link"), in("moved"), NULL, &err), SBX_OK);
    a = look(in("moved"), 0);
    ck_assert_int_eq(a->kind, SBX_FILE_LINK);
    sbx_file_info_free(a);
    ck_assert_int_eq(sbx_file_move(session, in("d"), in("d2/"), NULL, &err), SBX_OK);
    ck_assert(is_there(in("d2/d/e/g")));
    end();
}
END_TEST

START_TEST(neither_the_root_nor_a_home_is_removed_or_moved)
{
    static const char *const paths[] = {
        "/",  "//",  "/.",    "/home/..",        "~",
        "~/", "~/.", "~/../", "~/sbxt.rails/..", "/proc/self/root/home/..",
        NULL};
    const sbx_file_opts all =
        SBX_OPTS(sbx_file_opts, .flags = SBX_FILE_RECURSIVE | SBX_FILE_MISSING_OK);
    char link[80];
    size_t i;
    int rc;

    begin(_i);
    expect_holds(session, "cd && mkdir -p sbxt.rails && : >sbxt.rails/kept");
    for (i = 0; paths[i] != NULL; i++) {
        rc = sbx_file_remove(session, paths[i], &all, &err);
        if (strncmp(paths[i], "/proc", 5) != 0 || rc != SBX_ERR_NOT_FOUND)
            failed(rc, SBX_ERR_INVALID, 0, "never done to");
        failed(sbx_file_move(session, paths[i], in("x"), NULL, &err), SBX_ERR_INVALID, 0,
               "never done to");
    }
    in_folder("ln -s ~ home && mkdir d && ln -s ~ d/home");
    (void)snprintf(link, sizeof(link), "%s/home/", folder);
    failed(sbx_file_remove(session, link, &all, &err), SBX_ERR_INVALID, 0,
           "a link to a folder");
    failed(sbx_file_remove(session, in("home/."), &all, &err), SBX_ERR_INVALID, 0,
           "never done to");
    ck_assert_int_eq(sbx_file_remove(session, in("d"), &all, &err), SBX_OK);
    ck_assert_int_eq(sbx_file_remove(session, in("home"), NULL, &err), SBX_OK);
    ck_assert(!is_there(in("home")));
    expect_holds(session, "cd && [ -e sbxt.rails/kept ] && rm -r sbxt.rails");
    end();
}
END_TEST

START_TEST(a_checksum_is_that_of_the_content)
{
    static const char abc[] =
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    sbx_file_sum *sum = NULL;
    int rc;

    begin(_i);
    put_text(in("f"), "abc");
    rc = sbx_file_checksum(session, in("f"), NULL, &sum, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_str_eq(sum->algorithm, "sha256");
    ck_assert_str_eq(sum->digest, abc);
    ck_assert_int_eq(sum->size, 3);
    sbx_file_sum_free(sum);
    end();
}
END_TEST

START_TEST(a_path_means_the_same_as_the_folder_of_a_command)
{
    char path[160];

    begin(_i);
    put_text(in("f"), "x");
    (void)snprintf(path, sizeof(path), "~/%s/f", folder);
    holds_text(path, "x");
    (void)snprintf(path, sizeof(path), "./%s/../%s//f", folder, folder);
    holds_text(path, "x");
    ck_assert(count_of("", NULL, false) == count_of("~", NULL, false));
    end();
}
END_TEST

/* Both kinds of tools in full; of a connection and a login shell what may differ there.
 */
void unit_add(TCase *tests)
{
    static const int everywhere[] = {LOCAL, CHROOT};
    size_t i;

    places_serve(tests, LOCAL, CSH + 1);
    for (i = 0; i < 2; i++) {
        int place = everywhere[i];

#define ADD(test) tcase_add_loop_test(tests, test, place, place + 1)
        ADD(a_file_is_written_whole_and_read_byte_for_byte);
        ADD(mode_is_kept_and_a_link_stays_a_link);
        ADD(a_name_is_any_bytes);
        ADD(an_odd_name_is_copied_moved_and_removed_like_any);
        ADD(a_folder_is_listed_as_far_as_is_asked);
        ADD(a_part_is_read_by_bytes_and_by_lines);
        ADD(a_write_under_a_condition_loses_nothing);
        ADD(an_edit_replaces_exactly_what_is_meant);
        ADD(what_is_appended_stands_behind_what_was_there);
        ADD(a_failure_is_named_as_what_it_is);
        ADD(the_target_of_a_copy_is_a_name_or_a_folder_with_a_slash);
        ADD(a_checksum_is_that_of_the_content);
    }
    tcase_add_loop_test(tests, a_file_is_written_whole_and_read_byte_for_byte, BASH,
                        BASH + 1);
    tcase_add_loop_test(tests, a_permission_that_is_missing_is_told_with_its_folder, BASH,
                        CHROOT + 1);
    /* Not here as root: what if it fails? */
    tcase_add_loop_test(tests, neither_the_root_nor_a_home_is_removed_or_moved, BASH,
                        CHROOT + 1);
    tcase_add_loop_test(tests, a_path_means_the_same_as_the_folder_of_a_command, LOCAL,
                        CHROOT + 1);
    tcase_add_loop_test(tests, a_path_means_the_same_as_the_folder_of_a_command, FISH,
                        CSH + 1);
}
