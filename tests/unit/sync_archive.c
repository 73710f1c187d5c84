/* sync_archive.c - what is written is read again, packed or plain; damage is told. */
#include "support/unit.h"

#include "base/str.h"
#include "sync/archive.h"

#include <stdlib.h>
#include <string.h>

struct source {
    const char *at;
    size_t left;
    size_t piece;
};

static int keep(const void *data, size_t length, void *userdata, sbx_error *err)
{
    (void)err;
    sbi_str_add_bytes(userdata, data, length);
    return SBX_OK;
}

static int refuse(const void *data, size_t length, void *userdata, sbx_error *err)
{
    (void)data;
    (void)length;
    (void)userdata;
    return sbi_fail(err, SBX_ERR_CANCELLED, "enough");
}

static ssize_t give(const void **data, void *userdata, sbx_error *err)
{
    struct source *source = userdata;
    size_t part = source->left < source->piece ? source->left : source->piece;

    (void)err;
    *data = source->at;
    source->at += part;
    source->left -= part;
    return (ssize_t)part;
}

static const struct sbi_archive_item items[] = {
    {.path = "t/plain",
     .kind = SBI_ARCHIVE_FILE,
     .mode = 0644,
     .size = 5,
     .seconds = 1500000000,
     .nanoseconds = 123456789},
    {.path = "t/bad\xff name\nline",
     .kind = SBI_ARCHIVE_FILE,
     .mode = 04711,
     .size = 0,
     .seconds = 1},
    {.path = "t/folder", .kind = SBI_ARCHIVE_FOLDER, .mode = 0700, .seconds = 7},
    {.path = "t/link", .target = "no\xfewhere", .kind = SBI_ARCHIVE_LINK, .mode = 0777},
    {.path = "t/same", .target = "t/plain", .kind = SBI_ARCHIVE_SAME, .mode = 0644},
};

#define ITEMS (sizeof(items) / sizeof(items[0]))

static void write_items(int pack, bool seconds, struct sbi_str *text)
{
    const struct sbi_archive_writer_opts opts = {
        .pack = pack, .seconds = seconds, .put = keep, .userdata = text};
    struct sbi_archive_writer *writer = NULL;
    sbx_error err = {0};
    size_t i;

    ck_assert_int_eq(sbi_archive_writer_new(&opts, &writer, &err), SBX_OK);
    for (i = 0; i < ITEMS; i++) {
        ck_assert_msg(sbi_archive_add(writer, &items[i], &err) == SBX_OK, "%s", err.text);
        if (items[i].size > 0)
            ck_assert_int_eq(sbi_archive_add_data(writer, "hello", 5, &err), SBX_OK);
    }
    ck_assert_int_eq(sbi_archive_finish(writer, &err), SBX_OK);
    sbi_archive_writer_free(writer);
}

static void expect_items(const struct sbi_str *text, size_t piece, bool seconds)
{
    struct source source = {text->data, text->length, piece};
    const struct sbi_archive_reader_opts opts = {.get = give, .userdata = &source};
    struct sbi_archive_reader *reader = NULL;
    struct sbi_archive_item item;
    sbx_error err = {0};
    char data[16];
    size_t i;

    ck_assert_int_eq(sbi_archive_reader_new(&opts, &reader, &err), SBX_OK);
    for (i = 0; i < ITEMS; i++) {
        ck_assert_msg(sbi_archive_next(reader, &item, &err) == 1, "%s", err.text);
        ck_assert_int_eq(item.kind, items[i].kind);
        ck_assert_int_eq(strncmp(item.path, items[i].path, strlen(items[i].path)), 0);
        if (items[i].target != NULL)
            ck_assert_str_eq(item.target, items[i].target);
        if (items[i].kind == SBI_ARCHIVE_FILE) {
            ck_assert_uint_eq(item.mode, items[i].mode);
            ck_assert_int_eq(item.seconds, items[i].seconds);
            ck_assert_int_eq(item.nanoseconds, seconds ? 0 : items[i].nanoseconds);
            ck_assert_int_eq(sbi_archive_read(reader, data, sizeof(data), &err),
                             items[i].size);
        }
    }
    ck_assert_int_eq(sbi_archive_next(reader, &item, &err), 0);
    sbi_archive_reader_free(reader);
}

START_TEST(what_is_written_is_read_again_in_each_packing)
{
    SBI_AUTO_STR text = {0};

    write_items(_i / 2, _i % 2 != 0, &text);
    expect_items(&text, 1, _i % 2 != 0);
    expect_items(&text, 100000, _i % 2 != 0);
}
END_TEST

START_TEST(a_writer_whose_reader_stops_says_so)
{
    const struct sbi_archive_writer_opts opts = {.put = refuse};
    struct sbi_archive_writer *writer = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_archive_writer_new(&opts, &writer, &err), SBX_OK);
    ck_assert_int_eq(sbi_archive_add(writer, &items[2], &err), SBX_OK);
    ck_assert_int_eq(sbi_archive_finish(writer, &err), SBX_ERR_CANCELLED);
    ck_assert_str_eq(err.text, "enough");
    sbi_archive_writer_free(writer);
}
END_TEST

START_TEST(a_writer_that_is_given_up_ends_no_archive)
{
    SBI_AUTO_STR text = {0};
    const struct sbi_archive_writer_opts opts = {.put = keep, .userdata = &text};
    struct sbi_archive_writer *writer = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_archive_writer_new(&opts, &writer, &err), SBX_OK);
    ck_assert_int_eq(sbi_archive_add(writer, &items[0], &err), SBX_OK);
    sbi_archive_writer_free(writer);
    ck_assert_uint_eq(text.length, 0);
}
END_TEST

START_TEST(more_data_than_was_told_is_refused)
{
    SBI_AUTO_STR text = {0};
    const struct sbi_archive_writer_opts opts = {.put = keep, .userdata = &text};
    struct sbi_archive_writer *writer = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbi_archive_writer_new(&opts, &writer, &err), SBX_OK);
    ck_assert_int_eq(sbi_archive_add(writer, &items[0], &err), SBX_OK);
    ck_assert_int_eq(sbi_archive_add_data(writer, "hello you", 9, &err),
                     SBX_ERR_INTERNAL);
    sbi_archive_writer_free(writer);
}
END_TEST

/* Each cut ends as a failure or, between two items, as the end; never as a wrong item. */
START_TEST(an_archive_cut_anywhere_harms_nothing)
{
    SBI_AUTO_STR text = {0};
    size_t cut;

    write_items(SBI_PACK_NONE, false, &text);
    for (cut = 0; cut < text.length; cut += 97) {
        struct source source = {text.data, cut, 512};
        const struct sbi_archive_reader_opts opts = {.get = give, .userdata = &source};
        struct sbi_archive_reader *reader = NULL;
        struct sbi_archive_item item;
        char data[16];
        int next = 1;

        if (sbi_archive_reader_new(&opts, &reader, NULL) < 0)
            continue;
        while (next > 0) {
            next = sbi_archive_next(reader, &item, NULL);
            if (next > 0)
                (void)sbi_archive_read(reader, data, sizeof(data), NULL);
        }
        sbi_archive_reader_free(reader);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, what_is_written_is_read_again_in_each_packing, 0, 6);
    tcase_add_test(tests, a_writer_whose_reader_stops_says_so);
    tcase_add_test(tests, a_writer_that_is_given_up_ends_no_archive);
    tcase_add_test(tests, more_data_than_was_told_is_refused);
    tcase_add_test(tests, an_archive_cut_anywhere_harms_nothing);
}
