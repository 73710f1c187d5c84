/* session_file_record.c - tests of reading what four kinds of tools tell of files. */
#include "support/unit.h"

#include "session/file_record.h"

#include <stdio.h>
#include <string.h>

static char seen[4096];
static int stop_after;
static int calls;

static int note(const sbx_file_info *info, void *userdata)
{
    size_t used = strlen(seen);

    (void)userdata;
    (void)snprintf(seen + used, sizeof(seen) - used, "%s|%s|%04o|%lld|%lld|%lld|%s\n",
                   info->path, sbx_file_kind_name(info->kind), info->mode,
                   (long long)info->size, (long long)info->mtime_ns,
                   (long long)info->mtime_step_ns,
                   info->target == NULL ? "-" : info->target);
    return ++calls == stop_after;
}

/* In pieces of that many bytes. */
static int read_in(const char *data, size_t length, size_t piece, sbx_error *err)
{
    struct sbi_file_records records = {.on_info = note};
    size_t at;
    int rc = SBX_OK;

    seen[0] = '\0';
    calls = 0;
    for (at = 0; at < length && rc == SBX_OK; at += piece)
        rc = sbi_file_records_add(&records, data + at,
                                  length - at < piece ? length - at : piece, err);
    if (rc == SBX_OK)
        rc = sbi_file_records_end(&records, err);
    sbi_file_records_clear(&records);
    return rc;
}

#define RECORD(facts, name, target) facts "\0" name "\0" target "\0"

START_TEST(each_tool_tells_the_same)
{
    static const struct {
        const char *facts;
        const char *told;
    } rows[] = {
        {"f f 644 12 1700000000.1234567890 0 0 1",
         "n|file|0644|12|1700000000123456789|1|-\n"},
        {"f d 1777 4096 1.5000000000 0 0 2", "n|folder|1777|4096|1500000000|1|-\n"},
        {"f l 777 1 0.0000000000 0 0 1", "n|link|0777|1|0|1|t\n"},
        {"f U 0 0 0.0000000000 0 0 1", "n|other|0000|0|0|1|-\n"},
        {"f f 644 12 -1.5000000000 0 0 1", "n|file|0644|12|-1500000000|1|-\n"},
        {"c 81a4 12 1700000000 0 0 1 2023-11-14 22:13:20.123456789 +0000",
         "n|file|0644|12|1700000000123456789|1|-\n"},
        {"c 41ed 4096 1700000000 0 0 1 2023-11-14 22:13:20 +0000",
         "n|folder|0755|4096|1700000000000000000|1000000000|-\n"},
        {"c a1ff 1 5 0 0 1", "n|link|0777|1|5000000000|1000000000|t\n"},
        {"c 11a4 0 -2 0 0 1 1969-12-31 23:59:58.500000000 +0000",
         "n|pipe|0644|0|-1500000000|1|-\n"},
        {"b 100644 12 1700000000.123456789 0 0 1",
         "n|file|0644|12|1700000000123456789|1|-\n"},
        {"b 140755 0 7 0 0 1", "n|socket|0755|0|7000000000|1000000000|-\n"},
        {"l -rwsr-sr-x+ 12 1700000000 0 0 1",
         "n|file|6755|12|1700000000000000000|1000000000|-\n"},
        {"l drwxrwxrwt 4096 - 0 0 1",
         "n|folder|1777|4096|-9223372036854775808|1000000000|-\n"},
        {"l crw--w---T 0 - 0 0 1",
         "n|character device|1620|0|-9223372036854775808|1000000000|-\n"},
    };
    char data[256];
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t length = strlen(rows[i].facts) + 1;
        sbx_error err = {0};

        memcpy(data, rows[i].facts, length);
        memcpy(data + length, "n\0t", 4);
        ck_assert_msg(read_in(data, length + 4, 1000, &err) == SBX_OK, "%s: %s",
                      rows[i].facts, err.text);
        ck_assert_str_eq(seen, rows[i].told);
    }
}
END_TEST

START_TEST(a_name_is_any_bytes_and_a_record_comes_in_any_pieces)
{
    static const char data[] = RECORD("f f 644 1 5.0000000000 0 0 1", "a\nb", "")
        RECORD("f l 777 1 5.0000000000 0 0 1", " \377'\"", "x\ny\n")
            RECORD("f f 644 1 5.0000000000 0 0 1", "-last ", "");
    static const char told[] = "a\nb|file|0644|1|5000000000|1|-\n"
                               " \377'\"|link|0777|1|5000000000|1|x\ny\n\n"
                               "-last |file|0644|1|5000000000|1|-\n";
    size_t piece;

    for (piece = 1; piece <= sizeof(data); piece++) {
        ck_assert_int_eq(read_in(data, sizeof(data) - 1, piece, NULL), SBX_OK);
        ck_assert_str_eq(seen, told);
    }
}
END_TEST

START_TEST(what_is_no_record_is_refused_and_shown)
{
    static const char *const facts[] = {
        "",
        "find: unrecognized: -printf",
        "f f 644 1 5.0 0 0",
        "f f 644 1 5.0 0 0 1 2",
        "f f 648 1 5.0 0 0 1",
        "f f 644 x 5.0 0 0 1",
        "f f 644 1 5.0x 0 0 1",
        "f f 644 99999999999999999999 5.0 0 0 1",
        "f f 644 1 5.0 -1 0 1",
        "c 81A4 1 5 0 0 1",
        "c fffff 1 5 0 0 1",
        "l -rw 1 5 0 0 1",
        "x 1 2 3 4 5 6",
    };
    char data[256];
    size_t i;

    for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        size_t length = strlen(facts[i]) + 1;
        sbx_error err = {0};

        memcpy(data, facts[i], length);
        memcpy(data + length, "n\0t", 4);
        ck_assert_msg(read_in(data, length + 4, 1000, &err) == SBX_ERR_REMOTE, "%s",
                      facts[i]);
        ck_assert_str_eq(seen, "");
        ck_assert_msg(strstr(err.text, "no form that is known") != NULL, "%s", err.text);
    }
}
END_TEST

START_TEST(a_listing_that_ends_within_a_record_is_refused)
{
    static const char data[] = RECORD("f f 644 1 5.0000000000 0 0 1", "a", "");
    size_t cut;

    for (cut = 1; cut < sizeof(data) - 1; cut++)
        ck_assert_int_eq(read_in(data, cut, 7, NULL), SBX_ERR_REMOTE);
    ck_assert_int_eq(read_in(data, 0, 7, NULL), SBX_OK);
}
END_TEST

START_TEST(who_has_enough_gets_no_more)
{
    static const char data[] = RECORD("f f 644 1 5.0000000000 0 0 1", "a", "")
        RECORD("f f 644 1 5.0000000000 0 0 1", "b", "") RECORD("no record", "c", "");

    stop_after = 1;
    ck_assert_int_eq(read_in(data, sizeof(data) - 1, 3, NULL), SBX_OK);
    ck_assert_str_eq(seen, "a|file|0644|1|5000000000|1|-\n");
    stop_after = 0;
}
END_TEST

START_TEST(a_record_without_an_end_is_not_kept_for_ever)
{
    char *data = malloc(600000);

    ck_assert_ptr_nonnull(data);
    memset(data, 'x', 600000);
    ck_assert_int_eq(read_in(data, 600000, 65536, NULL), SBX_ERR_LIMIT);
    free(data);
}
END_TEST

START_TEST(times_out_of_range_are_not_known)
{
    static const char data[] =
        RECORD("f f 644 1 9999999999999.0000000000 0 0 1", "a", "");

    ck_assert_int_eq(read_in(data, sizeof(data) - 1, 100, NULL), SBX_OK);
    ck_assert_str_eq(seen, "a|file|0644|1|-9223372036854775808|1|-\n");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, each_tool_tells_the_same);
    tcase_add_test(tests, a_name_is_any_bytes_and_a_record_comes_in_any_pieces);
    tcase_add_test(tests, what_is_no_record_is_refused_and_shown);
    tcase_add_test(tests, a_listing_that_ends_within_a_record_is_refused);
    tcase_add_test(tests, who_has_enough_gets_no_more);
    tcase_add_test(tests, a_record_without_an_end_is_not_kept_for_ever);
    tcase_add_test(tests, times_out_of_range_are_not_known);
}
