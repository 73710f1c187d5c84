/* sync_manifest.c - tests of the far listing: what is believed, and what is not. */
#include "support/unit.h"

#include "sync/manifest.h"

#include <stdio.h>
#include <string.h>

#define END "E 0\0\0\0"

/* A listing as a literal, which has a NUL of its own behind it. */
#define LISTING(text) text, sizeof(text) - 1

static int read_in_pieces(const char *text, size_t length, size_t piece,
                          struct sbi_tree *tree, sbx_error *err)
{
    SBI_AUTO_MANIFEST_READER reader = {.tree = tree, .entry_limit = 100};
    size_t at, part;
    int rc = SBX_OK;

    for (at = 0; rc == SBX_OK && at < length; at += part) {
        part = length - at < piece ? length - at : piece;
        rc = sbi_manifest_feed(&reader, text + at, part, err);
    }
    return rc < 0 ? rc : sbi_manifest_finish(&reader, err);
}

static void must_fail(const char *text, size_t length, const char *says)
{
    SBI_AUTO_TREE tree = {0};
    sbx_error err = {0};

    ck_assert_int_eq(read_in_pieces(text, length, 1000, &tree, &err), SBX_ERR_REMOTE);
    ck_assert_msg(strstr(err.text, says) != NULL, "%s", err.text);
}

static const char plain[] = "f 644 5 1700000000.1234567890 2049 12 1\0b/x y\n\0\0"
                            "l 777 3 1 - - -\0ln\0/etc/passwd\0"
                            "d 755 4096 -2.5000000000 2049 7 3\0\0\0"
                            "p 600 0 1.5 1 2 1\0fifo\0\0"
                            "d 2755 4096 9.25 2050 8 2\0b\0\0"
                            "x 0 0 0 - - -\0cache\0\0"
                            "! 0 0 0 - - -\0secret\0\0" END;

static void is_plain(const struct sbi_tree *tree)
{
    ck_assert_uint_eq(tree->count, 7);
    ck_assert_str_eq(sbi_tree_path(tree, 0), "");
    ck_assert_int_eq(tree->entries[0].mtime, -2);
    ck_assert_uint_eq(tree->entries[0].mtime_ns, 500000000);
    ck_assert_uint_eq(tree->entries[1].mode, 02755);
    ck_assert_uint_eq(tree->entries[1].digits, 2);
    ck_assert_uint_eq(tree->entries[1].mtime_ns, 250000000);
    ck_assert_str_eq(sbi_tree_path(tree, 2), "b/x y\n");
    ck_assert_uint_eq(tree->entries[2].size, 5);
    ck_assert_uint_eq(tree->entries[2].digits, 9);
    ck_assert_uint_eq(tree->entries[2].mtime_ns, 123456789);
    ck_assert_uint_eq(sbi_tree_device(tree, 2), 2049);
    ck_assert_uint_eq(tree->entries[3].kind, SBI_TREE_HIDDEN);
    ck_assert_uint_eq(tree->entries[4].kind, SBI_TREE_OTHER);
    ck_assert_str_eq(sbi_tree_target(tree, 5), "/etc/passwd");
    ck_assert_uint_eq(tree->entries[5].inode, 0);
    ck_assert_uint_eq(tree->entries[5].digits, 0);
    ck_assert_uint_eq(tree->entries[6].kind, SBI_TREE_UNREAD);
}

START_TEST(a_listing_is_read_in_pieces_of_any_size)
{
    size_t piece;

    for (piece = 1; piece <= sizeof(plain); piece++) {
        SBI_AUTO_TREE tree = {0};

        ck_assert_int_eq(read_in_pieces(plain, sizeof(plain) - 1, piece, &tree, NULL),
                         SBX_OK);
        is_plain(&tree);
    }
}
END_TEST

START_TEST(a_listing_that_is_cut_anywhere_is_refused)
{
    size_t length;

    for (length = 0; length < sizeof(plain) - 1; length++)
        must_fail(plain, length, "cut off");
}
END_TEST

START_TEST(a_name_cannot_lead_out_of_the_root)
{
    must_fail(LISTING("d 755 0 0 - - -\0\0\0f 644 0 0 - - -\0../x\0\0" END), "'../x'");
    must_fail(LISTING("d 755 0 0 - - -\0\0\0f 644 0 0 - - -\0/x\0\0" END), "'/x'");
    must_fail(LISTING("d 755 0 0 - - -\0\0\0d 644 0 0 - - -\0a\0\0"
                      "f 644 0 0 - - -\0a/../../x\0\0" END),
              "'a/../../x'");
    must_fail(LISTING("d 755 0 0 - - -\0\0\0f 644 0 0 - - -\0a//x\0\0" END), "'a//x'");
}
END_TEST

START_TEST(nothing_lies_below_a_link_or_a_file)
{
    must_fail(LISTING("d 755 0 0 - - -\0\0\0l 777 0 0 - - -\0a\0/etc\0"
                      "f 644 0 0 - - -\0a/passwd\0\0" END),
              "'a/passwd' is in no folder");
    must_fail(LISTING("f 644 0 0 - - -\0\0\0f 644 0 0 - - -\0a\0\0" END),
              "'a' is in no folder");
}
END_TEST

START_TEST(a_path_comes_once)
{
    must_fail(LISTING("d 755 0 0 - - -\0\0\0f 644 0 0 - - -\0a\0\0"
                      "l 644 0 0 - - -\0a\0x\0" END),
              "'a' is there twice");
}
END_TEST

START_TEST(a_garbled_entry_is_named_and_refused)
{
    static const char *const heads[] = {"",
                                        "f",
                                        "z 644 0 0 - - -",
                                        "f 648 0 0 - - -",
                                        "f -1 0 0 - - -",
                                        "f 644 -1 0 - - -",
                                        "f 644 0 x - - -",
                                        "f 644 0 - - - -",
                                        "f 644 0 0 - - - ",
                                        "f 644 0 0  - - -",
                                        "f  644 0 0 - - -",
                                        "f 644 0 0 - -",
                                        "f 644 18446744073709551616 0 - - -",
                                        "f 644 0 9223372036854775808 - - -",
                                        "f 644 0 0 1x - -",
                                        "ff 644 0 0 - - -"};
    size_t i;

    for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        char text[200] = {0};
        size_t length = strlen(heads[i]);

        memcpy(text, heads[i], length + 1);
        memcpy(text + length + 1, "a\0\0", 3);
        memcpy(text + length + 4, END, 6);
        must_fail(text, length + 10, "garbled entry");
    }
}
END_TEST

START_TEST(the_largest_numbers_are_read)
{
    static const char text[] =
        "f 177777 18446744073709551615 9223372036854775807.999999999"
        "99999 18446744073709551615 18446744073709551615 "
        "18446744073709551615\0\0\0" END;
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(read_in_pieces(text, sizeof(text) - 1, 7, &tree, NULL), SBX_OK);
    ck_assert_uint_eq(tree.entries[0].size, UINT64_MAX);
    ck_assert_int_eq(tree.entries[0].mtime, INT64_MAX);
    ck_assert_uint_eq(tree.entries[0].mtime_ns, 999999999);
    ck_assert_uint_eq(tree.entries[0].mode, 07777);
    ck_assert_uint_eq(tree.entries[0].links, UINT16_MAX);
}
END_TEST

START_TEST(the_end_is_the_end)
{
    must_fail(LISTING(END "f 644 0 0 - - -\0a\0\0"), "behind its end");
    must_fail(LISTING(END END), "behind its end");
    must_fail(LISTING(END "x"), "cut off");
    must_fail(LISTING("E\0\0\0"), "garbled end");
    must_fail(LISTING("E x\0\0\0"), "garbled end");
    must_fail(LISTING("E 99999999999\0\0\0"), "garbled end");
}
END_TEST

START_TEST(a_lister_that_failed_makes_the_tree_partial)
{
    static const char well[] = "d 755 0 0 - - -\0\0\0" END;
    static const char failed[] = "d 755 0 0 - - -\0\0\0E 1\0\0\0";
    static const char unread[] = "! 0 0 0 - - -\0\0\0" END;
    SBI_AUTO_TREE whole = {0};
    SBI_AUTO_TREE part = {0};
    SBI_AUTO_TREE closed = {0};

    ck_assert_int_eq(read_in_pieces(well, sizeof(well) - 1, 99, &whole, NULL), SBX_OK);
    ck_assert(!whole.partial);
    ck_assert_int_eq(read_in_pieces(failed, sizeof(failed) - 1, 99, &part, NULL), SBX_OK);
    ck_assert(part.partial);
    ck_assert_int_eq(read_in_pieces(unread, sizeof(unread) - 1, 99, &closed, NULL),
                     SBX_OK);
    ck_assert(closed.partial);
}
END_TEST

START_TEST(a_link_that_vanished_while_it_was_listed_is_unread)
{
    static const char text[] = "d 755 0 0 - - -\0\0\0l 777 0 0 - - -\0a\0\0" END;
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(read_in_pieces(text, sizeof(text) - 1, 99, &tree, NULL), SBX_OK);
    ck_assert_uint_eq(tree.entries[1].kind, SBI_TREE_UNREAD);
}
END_TEST

START_TEST(an_entry_without_end_and_too_many_entries_are_refused)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_TREE many = {0};
    SBI_AUTO_MANIFEST_READER reader = {.tree = &tree};
    SBI_AUTO_MANIFEST_READER counter = {.tree = &many, .entry_limit = 3};
    static const char entry[] = "f 644 0 0 - - -\0a\0\0";
    char block[1024];
    int rc = SBX_OK;
    int i;

    memset(block, 'f', sizeof(block));
    for (i = 0; rc == SBX_OK && i < 100; i++)
        rc = sbi_manifest_feed(&reader, block, sizeof(block), NULL);
    ck_assert_int_eq(rc, SBX_ERR_REMOTE);
    ck_assert_int_lt(i, 12);
    for (i = 0; i < 3; i++)
        ck_assert_int_eq(sbi_manifest_feed(&counter, entry, sizeof(entry) - 1, NULL),
                         SBX_OK);
    ck_assert_int_eq(sbi_manifest_feed(&counter, entry, sizeof(entry) - 1, NULL),
                     SBX_ERR_LIMIT);
}
END_TEST

START_TEST(what_is_written_is_read_back)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_TREE again = {0};
    SBI_AUTO_STR text = {0};
    unsigned char first[32], second[32];
    size_t i;

    ck_assert_int_eq(read_in_pieces(plain, sizeof(plain) - 1, 99, &tree, NULL), SBX_OK);
    for (i = 0; i < tree.count; i++)
        sbi_manifest_add(&text, &tree, i);
    sbi_manifest_add_end(&text, 0);
    ck_assert_int_eq(read_in_pieces(text.data, text.length, 5, &again, NULL), SBX_OK);
    is_plain(&again);
    ck_assert_int_eq(sbi_tree_hash(&tree, first, NULL), SBX_OK);
    ck_assert_int_eq(sbi_tree_hash(&again, second, NULL), SBX_OK);
    ck_assert_mem_eq(first, second, 32);
}
END_TEST

/* The real thing: names and times of this machine, as find prints them. */
START_TEST(the_output_of_find_is_a_listing)
{
    static const char script[] =
        "d=$(mktemp -d) && cd \"$d\" && mkdir 'a b' && ln -s 'x y' l && mkfifo p &&"
        " printf 12345 >'a b/n\nl' && touch -d @-1.5 'a b/n\nl' && chmod 4711 'a b/n\nl' &&"
        " find . -printf '%y %m %s %T@ %D %i %n\\0%P\\0%l\\0';"
        " printf 'E %d\\0\\0\\0' $?; rm -rf \"$d\"";
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_MANIFEST_READER reader = {.tree = &tree};
    FILE *find = popen(script, "r");
    char piece[100];
    size_t got;

    ck_assert_ptr_nonnull(find);
    while ((got = fread(piece, 1, sizeof(piece), find)) > 0)
        ck_assert_int_eq(sbi_manifest_feed(&reader, piece, got, NULL), SBX_OK);
    ck_assert_int_eq(pclose(find), 0);
    ck_assert_int_eq(sbi_manifest_finish(&reader, NULL), SBX_OK);
    ck_assert_uint_eq(tree.count, 5);
    ck_assert_str_eq(sbi_tree_path(&tree, 2), "a b/n\nl");
    ck_assert_int_eq(tree.entries[2].mtime, -2);
    ck_assert_uint_eq(tree.entries[2].mtime_ns, 500000000);
    ck_assert_uint_eq(tree.entries[2].mode, 04711);
    ck_assert_uint_eq(tree.entries[2].size, 5);
    ck_assert_str_eq(sbi_tree_target(&tree, 3), "x y");
    ck_assert_uint_eq(tree.entries[4].kind, SBI_TREE_OTHER);
    ck_assert(!tree.partial);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_listing_is_read_in_pieces_of_any_size);
    tcase_add_test(tests, a_listing_that_is_cut_anywhere_is_refused);
    tcase_add_test(tests, a_name_cannot_lead_out_of_the_root);
    tcase_add_test(tests, nothing_lies_below_a_link_or_a_file);
    tcase_add_test(tests, a_path_comes_once);
    tcase_add_test(tests, a_garbled_entry_is_named_and_refused);
    tcase_add_test(tests, the_largest_numbers_are_read);
    tcase_add_test(tests, the_end_is_the_end);
    tcase_add_test(tests, a_lister_that_failed_makes_the_tree_partial);
    tcase_add_test(tests, a_link_that_vanished_while_it_was_listed_is_unread);
    tcase_add_test(tests, an_entry_without_end_and_too_many_entries_are_refused);
    tcase_add_test(tests, what_is_written_is_read_back);
    tcase_add_test(tests, the_output_of_find_is_a_listing);
}
