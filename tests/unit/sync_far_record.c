/* sync_far_record.c - records of each form, whole and in pieces, become the same tree. */
#include "support/unit.h"

#include "sync/far_list.h"

#include <string.h>

static int read_records(int form, const char *name, const char *data, size_t length,
                        size_t piece, struct sbi_tree *tree)
{
    SBI_AUTO_MANIFEST_READER manifest = {.tree = tree};
    struct sbi_far_records records = {
        .form = form, .mark = "@m@", .name = name, .manifest = &manifest};
    int rc = SBX_OK;
    size_t at;

    for (at = 0; at < length && rc == SBX_OK; at += piece)
        rc = sbi_far_records_feed(&records, data + at,
                                  length - at < piece ? length - at : piece, NULL);
    if (rc == SBX_OK)
        rc = sbi_far_records_end(&records, NULL);
    if (rc == SBX_OK)
        rc = sbi_manifest_finish(&manifest, NULL);
    sbi_str_clear(&records.partial);
    return rc;
}

static const char gnu[] = "//d 755 0 0 - - - \0"
                          "a//d 750 0 5.1234567890 - - - \0"
                          "a/x y\n@m@z//f 644 12 7.0000000010 - - - \0"
                          "l//l 777 0 8.0000000000 - - - to//here\0"
                          "fifo//p 600 0 9.0000000000 - - - \0"
                          "E 0";
static const char by_stat[] = "@m@.//41ed 0 0 1 2 3 .\n"
                              "@m@./a//41e8 0 5 1 2 3 ./a\n"
                              "@m@./a/x y\n@m z//81a4 12 7 1 2 1 ./a/x y\n@m z\n"
                              "@m@./l//a1ff 0 8 1 2 1 './l' -> 'to//here'\n"
                              "@m@./fifo//1180 0 9 1 2 1 ./fifo\n"
                              "@m@E 0\n";

static void expect(const struct sbi_tree *tree, const char *path, int kind, unsigned mode,
                   uint64_t size, int64_t mtime)
{
    size_t at = sbi_tree_find(tree, path, strlen(path));

    ck_assert_msg(at != SBI_TREE_NONE, "no '%s'", path);
    ck_assert_int_eq((int)tree->entries[at].kind, kind);
    ck_assert_uint_eq(tree->entries[at].mode, mode);
    ck_assert_uint_eq(tree->entries[at].size, size);
    ck_assert_int_eq(tree->entries[at].mtime, mtime);
}

START_TEST(records_of_find_become_a_tree)
{
    static const size_t pieces[] = {1, 2, 7, 64, 4096};
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(read_records(SBI_FORM_GNU, "", gnu, sizeof(gnu), pieces[_i], &tree),
                     SBX_OK);
    ck_assert_uint_eq(tree.count, 5);
    expect(&tree, "a", SBI_TREE_FOLDER, 0750, 0, 5);
    expect(&tree, "a/x y\n@m@z", SBI_TREE_FILE, 0644, 12, 7);
    expect(&tree, "l", SBI_TREE_LINK, 0777, 0, 8);
    ck_assert_str_eq(sbi_tree_target(&tree, sbi_tree_find(&tree, "l", 1)), "to//here");
    expect(&tree, "fifo", SBI_TREE_OTHER, 0600, 0, 9);
}
END_TEST

START_TEST(records_of_stat_become_a_tree)
{
    static const size_t pieces[] = {1, 2, 7, 64, 4096};
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(
        read_records(SBI_FORM_STAT, "", by_stat, sizeof(by_stat) - 1, pieces[_i], &tree),
        SBX_OK);
    ck_assert_uint_eq(tree.count, 5);
    expect(&tree, "a", SBI_TREE_FOLDER, 0750, 0, 5);
    expect(&tree, "a/x y\n@m z", SBI_TREE_FILE, 0644, 12, 7);
    ck_assert_str_eq(sbi_tree_target(&tree, sbi_tree_find(&tree, "l", 1)), "to//here");
    expect(&tree, "fifo", SBI_TREE_OTHER, 0600, 0, 9);
}
END_TEST

START_TEST(a_root_that_is_a_file_has_no_path)
{
    const char text[] = "@m@./one//81a4 12 7 1 2 1 ./one\n@m@E 0\n";
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(
        read_records(SBI_FORM_STAT, "one", text, sizeof(text) - 1, 4096, &tree), SBX_OK);
    ck_assert_uint_eq(tree.count, 1);
    ck_assert_uint_eq(tree.entries[0].path_length, 0);
}
END_TEST

START_TEST(what_is_no_record_fails)
{
    static const struct {
        int form;
        const char *text;
        size_t length;
    } bad[] = {
#define BAD(form, text) {form, text, sizeof(text) - 1}
        BAD(SBI_FORM_GNU, "x\0E 0\0"),
        BAD(SBI_FORM_GNU, "a//f 644\0E 0\0"),
        BAD(SBI_FORM_GNU, "//d 755 0 0 - - - \0../a//f 644 1 1 - - - \0E 0\0"),
        BAD(SBI_FORM_GNU, "//d 755 0 0 - - - \0/etc//f 644 1 1 - - - \0E 0\0"),
        BAD(SBI_FORM_GNU, "//d 755 0 0 - - - \0"),
        BAD(SBI_FORM_GNU, "//d 755 0 0 - - - \0E 0"),
        BAD(SBI_FORM_STAT, "noise\n@m@E 0\n"),
        BAD(SBI_FORM_STAT, "@m@.//zz 0 0 1 2 3 .\n@m@E 0\n"),
        BAD(SBI_FORM_STAT, "@m@.//41ed 0 0\n@m@E 0\n"),
        BAD(SBI_FORM_STAT,
            "@m@.//41ed 0 0 1 2 3 .\n@m@./../x//81a4 1 1 1 1 1 x\n@m@E 0\n"),
        BAD(SBI_FORM_STAT, "@m@.//41ed 0 0 1 2 3 .\n"),
        BAD(SBI_FORM_STAT, ""),
#undef BAD
    };
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_lt(
        read_records(bad[_i].form, "", bad[_i].text, bad[_i].length, 4096, &tree), 0);
}
END_TEST

/* As `find | sort -z | sha256sum` of these two has it. */
START_TEST(the_hash_of_a_listing_can_be_told_ahead)
{
    SBI_AUTO_TREE tree = {0};
    char hash[65];

    ck_assert_int_eq(read_records(SBI_FORM_GNU, "", gnu, sizeof(gnu), 4096, &tree),
                     SBX_OK);
    ck_assert_int_eq(sbi_far_list_hash(&tree, hash, NULL), SBX_OK);
    ck_assert_str_eq(hash,
                     "338de4092bd92f36950bfbc4aee8de75e901782732242ba31fc1151751a44497");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, records_of_find_become_a_tree, 0, 5);
    tcase_add_loop_test(tests, records_of_stat_become_a_tree, 0, 5);
    tcase_add_test(tests, a_root_that_is_a_file_has_no_path);
    tcase_add_loop_test(tests, what_is_no_record_fails, 0, 12);
    tcase_add_test(tests, the_hash_of_a_listing_can_be_told_ahead);
}
