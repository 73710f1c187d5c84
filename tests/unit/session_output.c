/* What is kept of an output, how the whole is stored, and how it is read again. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "session/output.h"
#include "session/output_keep.h"
#include "session/output_store.h"

#include <sandbox/log.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define RUN "0123456789abcdef0123456789abcdef"
#define OTHER "ffffffffffffffffffffffffffffffff"
#define IN_FOLDER(...) (&SBX_OPTS(sbx_output_opts, .folder = store, __VA_ARGS__))

static char folder[64];
static char store[96];

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/sbx-output-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(store, sizeof(store), "%s/state/output", folder);
}

static void remove_folder(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *path_of(const char *name)
{
    static char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", store, name);
    return path;
}

static int files_in_store(void)
{
    DIR *dir = opendir(store);
    const struct dirent *entry;
    int count = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        count += entry->d_name[0] != '.' && strcmp(entry->d_name, "expired") != 0;
    if (dir != NULL)
        (void)closedir(dir);
    return count;
}

static struct sbi_capture *start(const char *run_id, int64_t limit, int64_t spool_limit)
{
    struct sbi_capture_opts opts = {.run_id = run_id,
                                    .place = "gpu1",
                                    .limit = limit,
                                    .spool_limit = spool_limit,
                                    .folder = store};
    struct sbi_capture *capture = NULL;
    sbx_error err = {0};

    ck_assert_msg(sbi_capture_new(&opts, &capture, &err) == SBX_OK, "%s", err.text);
    return capture;
}

static void add(struct sbi_capture *capture, const char *text)
{
    sbi_capture_add(capture, SBX_EXEC_STDOUT, text, strlen(text));
}

static struct sbi_captured take(struct sbi_capture *capture, int stream)
{
    struct sbi_captured taken = {0};

    ck_assert_int_eq(sbi_capture_take(capture, stream, &taken, NULL), SBX_OK);
    ck_assert_int_eq(taken.data[taken.length], '\0');
    return taken;
}

/* Stores a whole output, as a finished run does. */
static void save(const char *data, size_t length)
{
    struct sbi_capture *capture = start(RUN, 100, -1);

    sbi_capture_add(capture, SBX_EXEC_STDOUT, data, length);
    sbi_capture_finish(capture);
    ck_assert(sbi_capture_spooled(capture));
    sbi_capture_free(capture);
}

START_TEST(a_short_output_is_returned_as_it_came)
{
    struct sbi_capture *capture = start(NULL, 10, 100);
    struct sbi_captured taken;

    sbi_capture_add(capture, SBX_EXEC_STDERR, "01234\0", 6);
    sbi_capture_add(capture, SBX_EXEC_STDERR, "6789", 4);
    taken = take(capture, SBX_EXEC_STDERR);
    ck_assert_uint_eq(taken.length, 10);
    ck_assert_mem_eq(taken.data,
                     "01234\0"
                     "6789",
                     10);
    ck_assert(!taken.truncated);
    free(taken.data);
    taken = take(capture, SBX_EXEC_STDOUT);
    ck_assert_uint_eq(taken.length, 0);
    free(taken.data);
    sbi_capture_finish(capture);
    ck_assert(!sbi_capture_spooled(capture));
    ck_assert_int_eq(files_in_store(), 0);
    sbi_capture_free(capture);
}
END_TEST

START_TEST(a_long_one_is_its_head_a_line_and_its_tail)
{
    struct sbi_capture *capture = start(NULL, 10, 100);
    struct sbi_captured taken;

    add(capture, "abcdefgh");
    add(capture, "ijk");
    add(capture, "lmnopqrstuvwxyz");
    taken = take(capture, SBX_EXEC_STDOUT);
    ck_assert_str_eq(taken.data, "abcde\n[... 16 bytes left out ...]\nvwxyz");
    ck_assert(taken.truncated);
    ck_assert_uint_eq(taken.total, 26);
    free(taken.data);
    sbi_capture_free(capture);
}
END_TEST

START_TEST(any_limit_and_any_pieces_keep_the_same_head_and_tail)
{
    char text[97];
    size_t limit = (size_t)_i, total, piece, i;

    for (i = 0; i < sizeof(text); i++)
        text[i] = (char)('!' + i % 90);
    for (total = 0; total <= sizeof(text); total += 3)
        for (piece = 1; piece < 12; piece++) {
            SBI_CLEANUP(sbi_keep_clear) struct sbi_keep keep;
            SBI_AUTOFREE char *shown = NULL;
            size_t length = 0, tail = limit / 2, head = limit - tail;

            sbi_keep_init(&keep, (int64_t)limit);
            for (i = 0; i < total; i += piece)
                sbi_keep_add(&keep, text + i, total - i < piece ? total - i : piece);
            ck_assert_int_eq(sbi_keep_text(&keep, "|", &shown, &length, NULL), SBX_OK);
            ck_assert_uint_le(keep.head_capacity, limit + 3);
            ck_assert_uint_le(keep.ring_capacity, limit + 3);
            if (total <= limit) {
                ck_assert_uint_eq(length, total);
                ck_assert_int_eq(memcmp(shown, text, total), 0);
                continue;
            }
            ck_assert_uint_eq(length, limit + 1);
            ck_assert_uint_eq(sbi_keep_left_out(&keep), total - limit);
            ck_assert_int_eq(memcmp(shown, text, head), 0);
            ck_assert_int_eq(memcmp(shown + head + 1, text + total - tail, tail), 0);
        }
}
END_TEST

START_TEST(no_limit_cuts_a_character_in_two)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    SBI_AUTO_STR whole = {0};
    int i;

    for (i = 0; i < 9; i++)
        sbi_str_add(&whole, text + i % 2);
    for (i = 0; i < (int)whole.length; i++) {
        SBI_CLEANUP(sbi_keep_clear) struct sbi_keep keep;
        SBI_AUTOFREE char *shown = NULL;
        size_t length = 0;

        sbi_keep_init(&keep, i);
        sbi_keep_add(&keep, whole.data, whole.length);
        ck_assert_int_eq(sbi_keep_text(&keep, "|", &shown, &length, NULL), SBX_OK);
        ck_assert_msg(sbi_json_is_text(shown, length), "limit %d: %s", i, shown);
        ck_assert_uint_eq(length - 1 + sbi_keep_left_out(&keep), whole.length);
        ck_assert_uint_ge(length - 1 + 6, (size_t)i);
    }
}
END_TEST

START_TEST(bytes_that_are_no_characters_are_cut_anywhere)
{
    static const char text[] = "\xe2\xe2\xe2\xe2\xe2\xe2\x80\x80\x80\x80\x80\x80";
    struct sbi_capture *capture = start(NULL, 8, 0);
    struct sbi_captured taken;

    add(capture, text);
    taken = take(capture, SBX_EXEC_STDOUT);
    ck_assert_str_eq(taken.data, "\xe2\xe2\xe2\xe2\n[... 4 bytes left out ...]\n"
                                 "\x80\x80\x80\x80");
    free(taken.data);
    sbi_capture_free(capture);
}
END_TEST

START_TEST(without_a_limit_all_is_returned_and_stored)
{
    size_t length = 3 * 1024 * 1024 + 17, at;
    SBI_AUTOFREE char *data = malloc(length);
    SBI_AUTOFREE char *stored = NULL;
    struct sbi_capture *capture;
    struct sbi_captured taken;
    size_t stored_length = 0;

    make_folder();
    capture = start(RUN, -1, -1);
    for (at = 0; at < length; at++)
        data[at] = (char)(at * 7919 >> 5);
    for (at = 0; at < length; at += 12345)
        sbi_capture_add(capture, SBX_EXEC_STDOUT, data + at,
                        length - at < 12345 ? length - at : 12345);
    sbi_capture_finish(capture);
    taken = take(capture, SBX_EXEC_STDOUT);
    ck_assert_uint_eq(taken.length, length);
    ck_assert_int_eq(memcmp(taken.data, data, length), 0);
    free(taken.data);
    sbi_capture_free(capture);
    ck_assert_int_eq(
        sbi_path_read(path_of(RUN ".out"), length + 1, &stored, &stored_length, NULL),
        SBX_OK);
    ck_assert_uint_eq(stored_length, length);
    ck_assert_int_eq(memcmp(stored, data, length), 0);
    remove_folder();
}
END_TEST

START_TEST(pieces_of_any_size_are_stored_in_order)
{
    static const size_t sizes[] = {1, 65535, 65536, 65537, 100, 200000, 0, 7};
    SBI_AUTO_STR whole = {0};
    SBI_AUTOFREE char *stored = NULL;
    struct sbi_capture *capture;
    size_t length = 0, i, k;

    make_folder();
    capture = start(RUN, 1000, -1);
    for (i = 0; i < 24; i++) {
        size_t from = whole.length;

        for (k = 0; k < sizes[i % 8]; k++)
            sbi_str_add_bytes(&whole, &"abcdefghijklm"[(k + i) % 13], 1);
        sbi_capture_add(capture, SBX_EXEC_STDERR, whole.data + from, whole.length - from);
    }
    sbi_capture_finish(capture);
    sbi_capture_free(capture);
    ck_assert_int_eq(
        sbi_path_read(path_of(RUN ".err"), whole.length, &stored, &length, NULL), SBX_OK);
    ck_assert_uint_eq(length, whole.length);
    ck_assert_int_eq(memcmp(stored, whole.data, length), 0);
    remove_folder();
}
END_TEST

START_TEST(a_file_is_made_by_the_first_byte_over_the_limit)
{
    struct sbi_capture *capture;
    sbx_output *output = NULL;

    make_folder();
    capture = start(RUN, 10, 100);
    add(capture, "0123456789");
    ck_assert_int_eq(files_in_store(), 0);
    add(capture, "x");
    ck_assert_int_eq(files_in_store(), 2);
    ck_assert_int_eq(sbx_output_range(RUN, 0, -1, IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_int_eq(output->complete, 0);
    sbx_output_free(output);
    sbi_capture_finish(capture);
    ck_assert_int_eq(sbx_output_range(RUN, 0, -1, IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_int_eq(output->complete, 1);
    ck_assert_str_eq(output->data, "0123456789x");
    sbx_output_free(output);
    sbi_capture_free(capture);
    remove_folder();
}
END_TEST

START_TEST(a_client_that_dies_leaves_an_output_that_is_not_complete)
{
    struct sbi_capture *capture;
    sbx_output *output = NULL;
    SBI_AUTO_STR text = {0};
    size_t i;

    make_folder();
    capture = start(RUN, 10, -1);
    for (i = 0; i < 10000; i++)
        sbi_str_add(&text, "0123456789abcdef");
    add(capture, text.data);
    add(capture, "lost with the client");
    sbi_capture_free(capture);
    ck_assert_int_eq(sbx_output_range(RUN, 0, 16, IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_int_eq(output->complete, 0);
    ck_assert_uint_eq(output->stored, text.length);
    ck_assert_uint_eq(output->total, text.length);
    sbx_output_free(output);
    remove_folder();
}
END_TEST

START_TEST(what_is_stored_is_this_users_alone_and_has_an_index)
{
    static const char *const names[] = {"", RUN ".out", RUN ".json"};
    SBI_AUTOFREE char *text = NULL;
    size_t i, length;

    make_folder();
    save("one\n", 4);
    ck_assert_int_eq(files_in_store(), 2);
    for (i = 0; i < 3; i++) {
        struct stat info;

        ck_assert_int_eq(stat(path_of(names[i]), &info), 0);
        ck_assert_int_eq(info.st_mode & 07777, i == 0 ? 0700 : 0600);
    }
    ck_assert_int_eq(sbi_path_read(path_of(RUN ".json"), 4096, &text, &length, NULL), 0);
    ck_assert_ptr_nonnull(strstr(text, "\"run_id\":\"" RUN "\",\"place\":\"gpu1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"stdout\":{\"stored\":4,\"total\":4}"));
    ck_assert_ptr_nonnull(strstr(text, "\"complete\":true"));
    remove_folder();
}
END_TEST

START_TEST(a_command_that_printed_nothing_stores_nothing)
{
    struct sbi_capture *capture;
    sbx_output *output = NULL;

    make_folder();
    capture = start(RUN, 100, -1);
    sbi_capture_finish(capture);
    ck_assert(!sbi_capture_spooled(capture));
    sbi_capture_free(capture);
    ck_assert_int_eq(sbx_output_lines(RUN, -5, -1, IN_FOLDER(), &output, NULL),
                     SBX_ERR_NOT_FOUND);
    ck_assert_ptr_null(output);
    remove_folder();
}
END_TEST

START_TEST(over_the_cap_bytes_are_counted_and_the_hint_says_what_is_there)
{
    struct sbi_capture *capture;
    struct sbi_captured taken;
    sbx_output *output = NULL;

    make_folder();
    capture = start(RUN, 4, 6);
    add(capture, "abcdefg");
    add(capture, "hij");
    sbi_capture_finish(capture);
    taken = take(capture, SBX_EXEC_STDOUT);
    ck_assert_str_eq(taken.data, "ab\n[... 6 bytes left out; the first 6: sbx output " RUN
                                 " ...]\nij");
    free(taken.data);
    ck_assert(sbi_capture_spooled(capture));
    sbi_capture_free(capture);
    ck_assert_int_eq(sbx_output_range(RUN, 0, -1, IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_str_eq(output->data, "abcdef");
    ck_assert_uint_eq(output->stored, 6);
    ck_assert_uint_eq(output->total, 10);
    ck_assert_int_eq(output->truncated, 0);
    sbx_output_free(output);

    capture = start(RUN, 4, -1);
    add(capture, "abcdefg");
    sbi_capture_finish(capture);
    taken = take(capture, SBX_EXEC_STDOUT);
    ck_assert_str_eq(taken.data,
                     "ab\n[... 3 bytes left out; all of it: sbx output " RUN " ...]\nfg");
    free(taken.data);
    sbi_capture_free(capture);
    remove_folder();
}
END_TEST

static void count_line(int level, const char *line, void *userdata)
{
    ck_assert_int_eq(level, SBX_LOG_WARN);
    ck_assert_ptr_nonnull(strstr(line, RUN));
    ++*(int *)userdata;
}

/* Captures 1 MiB into a store that fails: only the storing may suffer. */
static void capture_unstored(void)
{
    SBI_AUTOFREE char *data = calloc(1, 1024 * 1024);
    struct sbi_capture *capture = start(RUN, 10, -1);
    struct sbi_captured taken;
    int lines = 0, i;

    sbx_log_to(count_line, SBX_LOG_WARN, &lines);
    for (i = 0; i < 3; i++)
        sbi_capture_add(capture, SBX_EXEC_STDOUT, data, 1024 * 1024);
    sbi_capture_add(capture, SBX_EXEC_STDERR, "abcdefghijkl", 12);
    sbi_capture_finish(capture);
    sbx_log_to(NULL, 0, NULL);
    ck_assert(!sbi_capture_spooled(capture));
    ck_assert_int_eq(lines, 1);
    taken = take(capture, SBX_EXEC_STDERR);
    ck_assert_str_eq(taken.data, "abcde\n[... 2 bytes left out ...]\nhijkl");
    free(taken.data);
    taken = take(capture, SBX_EXEC_STDOUT);
    ck_assert_uint_eq(taken.total, 3 * 1024 * 1024);
    free(taken.data);
    sbi_capture_free(capture);
}

START_TEST(a_store_that_runs_full_stops_quietly_and_leaves_nothing)
{
    struct rlimit small = {2 * 1024 * 1024 + 5, RLIM_INFINITY};

    make_folder();
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    capture_unstored();
    ck_assert_int_eq(files_in_store(), 0);
    remove_folder();
}
END_TEST

START_TEST(a_store_that_cannot_be_made_stops_quietly)
{
    make_folder();
    (void)snprintf(store, sizeof(store), "%s/file", folder);
    ck_assert_int_eq(sbi_path_write(store, "", 0, 0600, NULL), SBX_OK);
    (void)snprintf(store, sizeof(store), "%s/file/output", folder);
    capture_unstored();
    remove_folder();
}
END_TEST

START_TEST(only_32_lower_case_hex_digits_are_a_run_id)
{
    static const char *const bad[] = {
        "",
        "0",
        "0123456789ABCDEF0123456789abcdef",
        RUN "0",
        "../456789abcdef0123456789abcdef",
        "/123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcde\n",
    };
    size_t i;

    make_folder();
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sbi_capture_opts opts = {.run_id = bad[i],
                                        .place = "x",
                                        .limit = 1,
                                        .spool_limit = 1,
                                        .folder = store};
        struct sbi_capture *capture = NULL;
        sbx_output *output = NULL;

        ck_assert_int_eq(sbi_capture_new(&opts, &capture, NULL), SBX_ERR_INVALID);
        ck_assert_int_eq(sbx_output_range(bad[i], 0, -1, IN_FOLDER(), &output, NULL),
                         SBX_ERR_INVALID);
        ck_assert_int_eq(sbx_output_grep(bad[i], "x", IN_FOLDER(), &output, NULL),
                         SBX_ERR_INVALID);
    }
    remove_folder();
}
END_TEST

START_TEST(a_run_that_is_not_stored_is_not_found)
{
    sbx_output *output = NULL;
    sbx_error err = {0};

    make_folder();
    ck_assert_int_eq(sbx_output_range(RUN, 0, -1, IN_FOLDER(), &output, &err),
                     SBX_ERR_NOT_FOUND);
    save("x", 1);
    ck_assert_int_eq(sbx_output_range(OTHER, 0, -1, IN_FOLDER(), &output, &err),
                     SBX_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, OTHER));
    ck_assert_ptr_null(output);
    remove_folder();
}
END_TEST

/* Of "one\ntwo\nthree\nfour", or with a last newline too. */
static const struct {
    char kind; /* r: range, l: lines */
    int64_t from, to, max_bytes;
    const char *want;
    uint64_t offset;
    int64_t first_line, line_count;
    int truncated;
} reads[] = {
    {'r', 0, -1, 0, "one\ntwo\nthree\nfour", 0, 0, 4, 0},
    {'r', 4, 3, 0, "two", 4, 0, 1, 0},
    {'r', 4, 0, 0, "", 4, 0, 0, 0},
    {'r', -4, -1, 0, "four", 14, 0, 1, 0},
    {'r', -4, 2, 0, "fo", 14, 0, 1, 0},
    {'r', -99, 3, 0, "one", 0, 0, 1, 0},
    {'r', INT64_MIN, 3, 0, "one", 0, 0, 1, 0},
    {'r', 99, -1, 0, "", 18, 0, 0, 0},
    {'r', 14, INT64_MAX, 0, "four", 14, 0, 1, 0},
    {'r', 0, -1, 5, "one\nt", 0, 0, 2, 1},
    {'r', 0, 5, 5, "one\nt", 0, 0, 2, 0},
    {'r', 0, -1, -1, "one\ntwo\nthree\nfour", 0, 0, 4, 0},
    {'l', 1, 1, 0, "one\n", 0, 1, 1, 0},
    {'l', 2, 3, 0, "two\nthree\n", 4, 2, 2, 0},
    {'l', 2, -1, 0, "two\nthree\nfour", 4, 2, 3, 0},
    {'l', 4, INT64_MAX, 0, "four", 14, 4, 1, 0},
    {'l', 5, -1, 0, "", 18, 0, 0, 0},
    {'l', -1, -1, 0, "four", 14, 4, 1, 0},
    {'l', -2, -1, 0, "three\nfour", 8, 3, 2, 0},
    {'l', -2, 3, 0, "three\n", 8, 3, 1, 0},
    {'l', -2, 2, 0, "", 8, 0, 0, 0},
    {'l', -99, -1, 0, "one\ntwo\nthree\nfour", 0, 1, 4, 0},
    {'l', INT64_MIN, 1, 0, "one\n", 0, 1, 1, 0},
    {'l', 3, 2, 0, "", 8, 0, 0, 0},
    {'l', 1, -1, 6, "one\ntw", 0, 1, 2, 1},
};

START_TEST(ranges_and_lines_are_what_they_say)
{
    const sbx_output_opts opts = {sizeof(opts), 0, reads[_i].max_bytes, store};
    int (*read)(const char *, int64_t, int64_t, const sbx_output_opts *, sbx_output **,
                sbx_error *) =
        reads[_i].kind == 'r' ? sbx_output_range : sbx_output_lines;
    sbx_output *output = NULL;

    make_folder();
    save("one\ntwo\nthree\nfour", 18);
    ck_assert_int_eq(read(RUN, reads[_i].from, reads[_i].to, &opts, &output, NULL), 0);
    ck_assert_str_eq(output->data, reads[_i].want);
    ck_assert_uint_eq(output->length, strlen(reads[_i].want));
    ck_assert_uint_eq(output->offset, reads[_i].offset);
    ck_assert_int_eq(output->first_line, reads[_i].first_line);
    ck_assert_int_eq(output->line_count, reads[_i].line_count);
    ck_assert_int_eq(output->truncated, reads[_i].truncated);
    ck_assert_uint_eq(output->stored, 18);
    sbx_output_free(output);
    remove_folder();
}
END_TEST

START_TEST(impossible_ranges_lines_and_streams_are_refused)
{
    sbx_output *output = NULL;

    make_folder();
    save("one\n", 4);
    ck_assert_int_eq(sbx_output_range(RUN, 0, -2, IN_FOLDER(), &output, NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_output_lines(RUN, 0, 1, IN_FOLDER(), &output, NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_output_lines(RUN, 1, 0, IN_FOLDER(), &output, NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_output_lines(RUN, 1, -2, IN_FOLDER(), &output, NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_output_range(RUN, 0, 1, IN_FOLDER(.stream = 3), &output, NULL),
                     SBX_ERR_INVALID);
    remove_folder();
}
END_TEST

START_TEST(a_last_newline_starts_no_line)
{
    sbx_output *output = NULL;

    make_folder();
    save("one\ntwo\n", 8);
    ck_assert_int_eq(sbx_output_lines(RUN, -1, -1, IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_str_eq(output->data, "two\n");
    ck_assert_int_eq(output->first_line, 2);
    sbx_output_free(output);
    remove_folder();
}
END_TEST

START_TEST(lines_are_found_across_the_pieces_of_a_long_output)
{
    SBI_AUTO_STR text = {0};
    int line;

    make_folder();
    for (line = 1; line <= 50000; line++)
        sbi_str_addf(&text, "line %d\n", line);
    save(text.data, text.length);
    for (line = 1; line < 50000; line += 3571) {
        sbx_output *output = NULL;
        char want[64];

        (void)snprintf(want, sizeof(want), "line %d\nline %d\n", line, line + 1);
        ck_assert_int_eq(
            sbx_output_lines(RUN, line, line + 1, IN_FOLDER(), &output, NULL), SBX_OK);
        ck_assert_str_eq(output->data, want);
        sbx_output_free(output);
        (void)snprintf(want, sizeof(want), "%d:line %d\n", line, line);
        ck_assert_int_eq(
            sbx_output_lines(RUN, line - 50001, line, IN_FOLDER(), &output, NULL),
            SBX_OK);
        ck_assert_int_eq(output->first_line, line);
        ck_assert_str_eq(output->data, strchr(want, ':') + 1);
        sbx_output_free(output);
    }
    remove_folder();
}
END_TEST

static const struct {
    const char *pattern;
    int64_t max_bytes;
    const char *want;
    int64_t first_line, line_count;
    int truncated;
} searches[] = {
    {"^t", 0, "2:two\n3:three\n", 2, 2, 0},
    {"o(ne|ur)$", 0, "1:one\n4:four\n", 1, 2, 0},
    {"zebra", 0, "", 0, 0, 0},
    {"r{1}e{2}", 0, "3:three\n", 3, 1, 0},
    {"^t", 14, "2:two\n3:three\n", 2, 2, 0},
    {"^t", 13, "2:two\n3:three", 2, 2, 1},
    {"^t", 6, "2:two\n", 2, 1, 1},
    {"^$", 0, "", 0, 0, 0},
    {"", 12, "1:one\n2:two\n", 1, 2, 1},
};

START_TEST(a_search_gives_numbered_lines)
{
    const sbx_output_opts opts = {sizeof(opts), 0, searches[_i].max_bytes, store};
    sbx_output *output = NULL;

    make_folder();
    save("one\ntwo\nthree\nfour", 18);
    ck_assert_int_eq(sbx_output_grep(RUN, searches[_i].pattern, &opts, &output, NULL), 0);
    ck_assert_str_eq(output->data, searches[_i].want);
    ck_assert_int_eq(output->first_line, searches[_i].first_line);
    ck_assert_int_eq(output->line_count, searches[_i].line_count);
    ck_assert_int_eq(output->truncated, searches[_i].truncated);
    sbx_output_free(output);
    remove_folder();
}
END_TEST

START_TEST(a_long_line_is_searched_at_its_start_and_given_whole)
{
    SBI_AUTO_STR text = {0};
    sbx_output *output = NULL;
    int i;

    make_folder();
    sbi_str_add(&text, "start ");
    for (i = 0; i < 30000; i++)
        sbi_str_add(&text, "filling ");
    sbi_str_add(&text, "finish\nfinish\n");
    save(text.data, text.length);
    ck_assert_int_eq(sbx_output_grep(RUN, "start", IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_uint_eq(output->length, 2 + text.length - strlen("finish\n"));
    ck_assert_mem_eq(output->data + 2, text.data, output->length - 2);
    sbx_output_free(output);
    ck_assert_int_eq(sbx_output_grep(RUN, "finish", IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_str_eq(output->data, "2:finish\n");
    sbx_output_free(output);
    ck_assert_int_eq(sbx_output_grep(RUN, "l?$", IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_str_eq(output->data, "2:finish\n");
    sbx_output_free(output);
    remove_folder();
}
END_TEST

START_TEST(a_search_sees_behind_a_nul_and_refuses_a_broken_pattern)
{
    sbx_output *output = NULL;
    sbx_error err = {0};

    make_folder();
    save("a\0bc\n\0\n", 7);
    ck_assert_int_eq(sbx_output_grep(RUN, "bc$", IN_FOLDER(), &output, NULL), SBX_OK);
    ck_assert_uint_eq(output->length, 7);
    ck_assert_mem_eq(output->data, "1:a\0bc\n", 7);
    sbx_output_free(output);
    ck_assert_int_eq(sbx_output_grep(RUN, "(", IN_FOLDER(), &output, &err),
                     SBX_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "'('"));
    remove_folder();
}
END_TEST

START_TEST(streams_are_read_apart_from_the_folder_of_this_user)
{
    struct sbi_capture_opts opts = {
        .run_id = RUN, .place = "gpu1", .limit = 100, .spool_limit = 100, .folder = NULL};
    struct sbi_capture *capture = NULL;
    sbx_output *output = NULL;

    make_folder();
    ck_assert_int_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    ck_assert_int_eq(sbi_capture_new(&opts, &capture, NULL), SBX_OK);
    sbi_capture_add(capture, SBX_EXEC_STDERR, "err", 3);
    sbi_capture_add(capture, SBX_EXEC_STDOUT, "out", 3);
    sbi_capture_finish(capture);
    sbi_capture_free(capture);
    ck_assert_int_eq(sbx_output_range(RUN, 0, -1, NULL, &output, NULL), SBX_OK);
    ck_assert_str_eq(output->data, "out");
    sbx_output_free(output);
    ck_assert_int_eq(
        sbx_output_range(RUN, 0, -1,
                         &SBX_OPTS(sbx_output_opts, .stream = SBX_EXEC_STDERR), &output,
                         NULL),
        SBX_OK);
    ck_assert_str_eq(output->data, "err");
    sbx_output_free(output);
    (void)snprintf(store, sizeof(store), "%s/sbx/output", folder);
    ck_assert_int_eq(files_in_store(), 3);
    remove_folder();
}
END_TEST

START_TEST(json_has_text_as_text_and_bytes_as_base64)
{
    sbx_output *output = NULL;
    SBI_AUTOFREE char *text = NULL;
    SBI_AUTOFREE char *bytes = NULL;

    make_folder();
    save("a\"\n\xff", 4);
    ck_assert_int_eq(sbx_output_range(RUN, 0, 3, IN_FOLDER(), &output, NULL), SBX_OK);
    text = sbx_output_json(output);
    ck_assert_str_eq(text, "{\"data\":\"a\\\"\\n\",\"encoding\":\"utf-8\",\"length\":3,"
                           "\"offset\":0,\"stored\":4,\"total\":4,\"first_line\":0,"
                           "\"line_count\":1,\"truncated\":false,\"complete\":true}");
    sbx_output_free(output);
    ck_assert_int_eq(sbx_output_range(RUN, 3, 1, IN_FOLDER(), &output, NULL), SBX_OK);
    bytes = sbx_output_json(output);
    ck_assert_ptr_nonnull(
        strstr(bytes, "{\"data\":\"/w==\",\"encoding\":\"base64\",\"length\":1,"));
    sbx_output_free(output);
    remove_folder();
}
END_TEST

static void make_old(const char *name)
{
    const struct timespec then[2] = {{1000000000, 0}, {1000000000, 0}};

    ck_assert_int_eq(utimensat(AT_FDCWD, path_of(name), then, 0), 0);
}

START_TEST(old_outputs_expire_and_what_is_not_ours_or_in_use_stays)
{
    make_folder();
    ck_assert_int_eq(sbx_output_expire(-1, store, NULL), SBX_OK);
    save("x", 1);
    ck_assert_int_eq(sbi_path_write(path_of("notes.out"), "", 0, 0600, NULL), SBX_OK);
    make_old("notes.out");
    make_old(RUN ".json");
    ck_assert_int_eq(sbx_output_expire(-1, store, NULL), SBX_OK);
    ck_assert_int_eq(files_in_store(), 3);
    make_old(RUN ".out");
    ck_assert_int_eq(sbx_output_expire(INT64_MAX, store, NULL), SBX_OK);
    ck_assert_int_eq(files_in_store(), 3);
    ck_assert_int_eq(sbx_output_expire(-1, store, NULL), SBX_OK);
    ck_assert_int_eq(files_in_store(), 1);
    save("x", 1);
    ck_assert_int_eq(sbx_output_expire(0, store, NULL), SBX_OK);
    ck_assert_int_eq(files_in_store(), 1);
    remove_folder();
}
END_TEST

START_TEST(a_capture_expires_old_outputs_once_an_hour)
{
    make_folder();
    save("x", 1);
    make_old(RUN ".json");
    make_old(RUN ".out");
    sbi_capture_free(start(OTHER, 10, 10));
    ck_assert_int_eq(files_in_store(), 0);
    save("x", 1);
    make_old(RUN ".json");
    make_old(RUN ".out");
    sbi_capture_free(start(OTHER, 10, 10));
    ck_assert_int_eq(files_in_store(), 2);
    make_old("expired");
    sbi_capture_free(start(OTHER, 10, 10));
    ck_assert_int_eq(files_in_store(), 0);
    remove_folder();
}
END_TEST

void unit_add(TCase *tests)
{
    const int read_count = (int)(sizeof(reads) / sizeof(reads[0]));
    const int search_count = (int)(sizeof(searches) / sizeof(searches[0]));

    tcase_add_test(tests, a_short_output_is_returned_as_it_came);
    tcase_add_test(tests, a_long_one_is_its_head_a_line_and_its_tail);
    tcase_add_loop_test(tests, any_limit_and_any_pieces_keep_the_same_head_and_tail, 0,
                        40);
    tcase_add_test(tests, no_limit_cuts_a_character_in_two);
    tcase_add_test(tests, bytes_that_are_no_characters_are_cut_anywhere);
    tcase_add_test(tests, without_a_limit_all_is_returned_and_stored);
    tcase_add_test(tests, pieces_of_any_size_are_stored_in_order);
    tcase_add_test(tests, a_file_is_made_by_the_first_byte_over_the_limit);
    tcase_add_test(tests, a_client_that_dies_leaves_an_output_that_is_not_complete);
    tcase_add_test(tests, what_is_stored_is_this_users_alone_and_has_an_index);
    tcase_add_test(tests, a_command_that_printed_nothing_stores_nothing);
    tcase_add_test(tests, over_the_cap_bytes_are_counted_and_the_hint_says_what_is_there);
    tcase_add_test(tests, a_store_that_runs_full_stops_quietly_and_leaves_nothing);
    tcase_add_test(tests, a_store_that_cannot_be_made_stops_quietly);
    tcase_add_test(tests, only_32_lower_case_hex_digits_are_a_run_id);
    tcase_add_test(tests, a_run_that_is_not_stored_is_not_found);
    tcase_add_loop_test(tests, ranges_and_lines_are_what_they_say, 0, read_count);
    tcase_add_test(tests, impossible_ranges_lines_and_streams_are_refused);
    tcase_add_test(tests, a_last_newline_starts_no_line);
    tcase_add_test(tests, lines_are_found_across_the_pieces_of_a_long_output);
    tcase_add_loop_test(tests, a_search_gives_numbered_lines, 0, search_count);
    tcase_add_test(tests, a_long_line_is_searched_at_its_start_and_given_whole);
    tcase_add_test(tests, a_search_sees_behind_a_nul_and_refuses_a_broken_pattern);
    tcase_add_test(tests, streams_are_read_apart_from_the_folder_of_this_user);
    tcase_add_test(tests, json_has_text_as_text_and_bytes_as_base64);
    tcase_add_test(tests, old_outputs_expire_and_what_is_not_ours_or_in_use_stays);
    tcase_add_test(tests, a_capture_expires_old_outputs_once_an_hour);
}
