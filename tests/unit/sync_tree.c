/* sync_tree.c - tests of the packed tree: its paths, its order, two side by side. */
#include "support/unit.h"

#include "sync/tree.h"

#include <stdio.h>
#include <string.h>

static int add(struct sbi_tree *tree, const char *path, int kind)
{
    struct sbi_tree_item item = {
        .path = path, .path_length = strlen(path), .kind = kind, .target = NULL};

    return sbi_tree_add(tree, &item, NULL);
}

static void add_all(struct sbi_tree *tree, const char *const *paths)
{
    for (; *paths != NULL; paths++) {
        size_t length = strlen(*paths);
        bool is_folder = length == 0 || (*paths)[length - 1] == '/';
        struct sbi_tree_item item = {.path = *paths,
                                     .path_length = length - (length > 0 && is_folder),
                                     .kind = is_folder ? SBI_TREE_FOLDER : SBI_TREE_FILE};

        ck_assert_int_eq(sbi_tree_add(tree, &item, NULL), SBX_OK);
    }
}

static const char *joined(const struct sbi_tree *tree, char room[512])
{
    size_t i;
    int at = 0;

    for (i = 0; i < tree->count; i++)
        at += snprintf(room + at, 512 - (size_t)at, "%s|", sbi_tree_path(tree, i));
    return room;
}

START_TEST(a_path_is_safe_only_when_it_can_lead_nowhere_else)
{
    static const char *const safe[] = {"",    "a",    "a/b", "...",  "a/..b",
                                       "-rf", "a\nb", " a ", "\xff", ".a",
                                       "a.",  "a\\b", "~",   "a/~b", "*"};
    static const char *const unsafe[] = {"/",     "/a",  "a/",     "a//b",        ".",
                                         "..",    "./a", "../a",   "a/.",         "a/..",
                                         "a/./b", "//",  "a/../b", "a/b/../../.."};
    size_t i;

    for (i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
        ck_assert_msg(sbi_tree_path_is_safe(safe[i], strlen(safe[i])), "'%s'", safe[i]);
    for (i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++)
        ck_assert_msg(!sbi_tree_path_is_safe(unsafe[i], strlen(unsafe[i])), "'%s'",
                      unsafe[i]);
    ck_assert(!sbi_tree_path_is_safe("a\0b", 3));
}
END_TEST

START_TEST(a_name_has_at_most_255_bytes_and_a_path_4095)
{
    char path[SBI_TREE_PATH_LIMIT + 2];
    size_t i;

    memset(path, 'n', sizeof(path));
    ck_assert(sbi_tree_path_is_safe(path, 255));
    ck_assert(!sbi_tree_path_is_safe(path, 256));
    for (i = 255; i < sizeof(path); i += 256)
        path[i] = '/';
    ck_assert(sbi_tree_path_is_safe(path, SBI_TREE_PATH_LIMIT));
    path[SBI_TREE_PATH_LIMIT] = 'n';
    ck_assert(!sbi_tree_path_is_safe(path, SBI_TREE_PATH_LIMIT + 1));
}
END_TEST

START_TEST(an_unsafe_path_is_not_added)
{
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(add(&tree, "../x", SBI_TREE_FILE), SBX_ERR_INVALID);
    ck_assert_uint_eq(tree.count, 0);
}
END_TEST

START_TEST(what_is_added_is_read_back)
{
    SBI_AUTO_TREE tree = {0};
    struct sbi_tree_item item = {.path = "link",
                                 .path_length = 4,
                                 .target = "../to",
                                 .kind = SBI_TREE_LINK,
                                 .mode = 07777,
                                 .size = 7,
                                 .mtime = -5,
                                 .mtime_ns = 999999999,
                                 .digits = 9,
                                 .device = 77,
                                 .inode = 1u << 30,
                                 .links = 100000,
                                 .ctime_sec = 3,
                                 .ctime_ns = 4};
    unsigned char digest[SBI_TREE_DIGEST] = {1, 2, 3};

    ck_assert_int_eq(add(&tree, "a", SBI_TREE_FILE), SBX_OK);
    ck_assert_int_eq(sbi_tree_add(&tree, &item, NULL), SBX_OK);
    ck_assert_str_eq(sbi_tree_path(&tree, 1), "link");
    ck_assert_str_eq(sbi_tree_target(&tree, 1), "../to");
    ck_assert_str_eq(sbi_tree_target(&tree, 0), "");
    ck_assert_uint_eq(sbi_tree_device(&tree, 1), 77);
    ck_assert_uint_eq(sbi_tree_device(&tree, 0), 0);
    ck_assert_uint_eq(tree.entries[1].size, 0);
    ck_assert_int_eq(tree.entries[1].mtime, -5);
    ck_assert_int_eq(tree.entries[1].ctime, 3000000004);
    ck_assert_uint_eq(tree.entries[1].links, UINT16_MAX);
    ck_assert_uint_eq(tree.entries[1].mode, 07777);
    ck_assert_ptr_null(sbi_tree_digest(&tree, 1));
    ck_assert_int_eq(sbi_tree_set_digest(&tree, 1, digest, NULL), SBX_OK);
    digest[0] = 9;
    ck_assert_int_eq(sbi_tree_set_digest(&tree, 1, digest, NULL), SBX_OK);
    ck_assert_mem_eq(sbi_tree_digest(&tree, 1), digest, sizeof(digest));
    ck_assert_uint_eq(tree.digest_count, 1);
}
END_TEST

START_TEST(a_folder_stands_right_before_all_that_is_in_it)
{
    static const char *const paths[] = {"b",   "a-b/", "a/x", "a.c",   "a/", "",
                                        "a/b", "a/b-", "a0",  "a-b/x", NULL};
    SBI_AUTO_TREE tree = {0};
    char room[512];

    add_all(&tree, paths);
    ck_assert(tree.unsorted);
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
    ck_assert_str_eq(joined(&tree, room), "|a|a/b|a/b-|a/x|a-b|a-b/x|a.c|a0|b|");
    ck_assert_uint_eq(sbi_tree_end_of(&tree, 0), tree.count);
    ck_assert_uint_eq(sbi_tree_end_of(&tree, 1), 5);
    ck_assert_uint_eq(sbi_tree_end_of(&tree, 2), 3);
    ck_assert_uint_eq(sbi_tree_end_of(&tree, tree.count - 1), tree.count);
    ck_assert_uint_eq(sbi_tree_find(&tree, "a-b/x", 5), 6);
    ck_assert_uint_eq(sbi_tree_find(&tree, "", 0), 0);
    ck_assert_uint_eq(sbi_tree_find(&tree, "a-b/y", 5), SBI_TREE_NONE);
}
END_TEST

START_TEST(bytes_over_127_come_last)
{
    static const char *const paths[] = {"", "\xff", "z", "\x01", NULL};
    SBI_AUTO_TREE tree = {0};
    char room[512];

    add_all(&tree, paths);
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
    ck_assert_str_eq(joined(&tree, room), "|\x01|z|\xff|");
}
END_TEST

START_TEST(a_tree_that_contradicts_itself_is_refused)
{
    static const struct {
        const char *paths[6];
        const char *says;
    } trees[] = {
        {{"", "a", "b", "a"}, "'a' is there twice"},
        {{"", "", "a"}, "'' is there twice"},
        {{"", "a", "a/b"}, "'a/b' is in no folder"},
        {{"", "a/b"}, "'a/b' is in no folder"},
        {{"", "a/", "a/b/c"}, "'a/b/c' is in no folder"},
        {{"", "a/", "a-/x"}, "'a-/x' is in no folder"},
    };
    size_t i;
    sbx_error err;

    for (i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
        SBI_AUTO_TREE tree = {0};

        add_all(&tree, trees[i].paths);
        ck_assert_int_eq(sbi_tree_sort(&tree, &err), SBX_ERR_INVALID);
        ck_assert_msg(strstr(err.text, trees[i].says) != NULL, "%s", err.text);
    }
}
END_TEST

START_TEST(nothing_lies_below_a_root_that_is_a_file)
{
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(add(&tree, "", SBI_TREE_FILE), SBX_OK);
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
    ck_assert_int_eq(add(&tree, "a", SBI_TREE_FILE), SBX_OK);
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_ERR_INVALID);
}
END_TEST

/* A chain of 2047 folders "a", the deepest that a path allows. */
START_TEST(the_deepest_tree_that_a_path_allows_is_sorted)
{
    SBI_AUTO_TREE tree = {0};
    char path[SBI_TREE_PATH_LIMIT + 1];
    size_t length;

    for (length = 0; length < sizeof(path) - 1; length++)
        path[length] = length % 2 == 0 ? 'a' : '/';
    for (length = SBI_TREE_PATH_LIMIT; length + 2 > 2; length -= 2) {
        path[length] = '\0';
        ck_assert_int_eq(add(&tree, path, SBI_TREE_FOLDER), SBX_OK);
    }
    ck_assert_int_eq(add(&tree, "", SBI_TREE_FOLDER), SBX_OK);
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
    ck_assert_uint_eq(tree.count, 2049);
    ck_assert_uint_eq(tree.entries[2048].path_length, SBI_TREE_PATH_LIMIT);
}
END_TEST

static uint32_t next_number(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

START_TEST(any_order_of_adding_gives_the_same_tree)
{
    uint32_t state = 7;
    int round;

    for (round = 0; round < 50; round++) {
        SBI_AUTO_TREE tree = {0};
        size_t count = next_number(&state) % 400;
        size_t i, first = next_number(&state);

        for (i = 0; i < count; i++) {
            char path[32];

            (void)snprintf(path, sizeof(path), "%zu", (i * 7919 + first) % count);
            (void)add(&tree, path, SBI_TREE_FILE);
        }
        if (count % 7919 != 0)
            ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
        for (i = 1; i < count; i++)
            ck_assert_int_lt(strcmp(sbi_tree_path(&tree, i - 1), sbi_tree_path(&tree, i)),
                             0);
    }
}
END_TEST

START_TEST(two_trees_are_walked_side_by_side)
{
    static const char *const left[] = {"", "a/", "a/x", "b", "d", NULL};
    static const char *const right[] = {"", "a/", "a/y", "c", "d", NULL};
    SBI_AUTO_TREE a = {0};
    SBI_AUTO_TREE b = {0};
    struct sbi_tree_pair pair = {.a = &a, .b = &b};
    char seen[128] = "";
    size_t at = 0;

    add_all(&a, left);
    add_all(&b, right);
    while (sbi_tree_pair_next(&pair)) {
        const char *path = pair.at_a != SBI_TREE_NONE ? sbi_tree_path(&a, pair.at_a)
                                                      : sbi_tree_path(&b, pair.at_b);

        at += (size_t)snprintf(seen + at, sizeof(seen) - at, "%s%s%s|", path,
                               pair.at_a == SBI_TREE_NONE ? "" : "<",
                               pair.at_b == SBI_TREE_NONE ? "" : ">");
    }
    ck_assert_str_eq(seen, "<>|a<>|a/x<|a/y>|b<|c>|d<>|");
}
END_TEST

START_TEST(another_file_system_shows_where_it_begins)
{
    SBI_AUTO_TREE tree = {0};
    static const struct sbi_tree_item items[] = {
        {.path = "", .kind = SBI_TREE_FOLDER, .device = 1},
        {.path = "a", .path_length = 1, .kind = SBI_TREE_FOLDER, .device = 2},
        {.path = "a/b", .path_length = 3, .kind = SBI_TREE_FOLDER, .device = 2},
        {.path = "c", .path_length = 1, .kind = SBI_TREE_FOLDER},
    };
    size_t i;

    for (i = 0; i < 4; i++)
        ck_assert_int_eq(sbi_tree_add(&tree, &items[i], NULL), SBX_OK);
    ck_assert(!sbi_tree_is_mount(&tree, 0));
    ck_assert(sbi_tree_is_mount(&tree, 1));
    ck_assert(!sbi_tree_is_mount(&tree, 2));
    ck_assert(!sbi_tree_is_mount(&tree, 3));
}
END_TEST

static void hash_of(const struct sbi_tree_item *item, unsigned char out[32])
{
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(sbi_tree_add(&tree, item, NULL), SBX_OK);
    ck_assert_int_eq(sbi_tree_hash(&tree, out, NULL), SBX_OK);
}

START_TEST(the_hash_moves_with_all_that_is_kept_and_with_nothing_else)
{
    const struct sbi_tree_item item = {
        .path = "a", .path_length = 1, .kind = SBI_TREE_FILE, .size = 1, .mtime = 2};
    struct sbi_tree_item others[6] = {item, item, item, item, item, item};
    struct sbi_tree_item same = item;
    unsigned char first[32], other[32];
    size_t i;

    others[0].path = "b";
    others[1].mode = 1;
    others[2].size = 2;
    others[3].mtime = 3;
    others[4].mtime_ns = 1;
    others[5].kind = SBI_TREE_OTHER;
    same.inode = 5;
    same.ctime_sec = 5;
    same.device = 5;
    hash_of(&item, first);
    for (i = 0; i < 6; i++) {
        hash_of(&others[i], other);
        ck_assert_mem_ne(first, other, 32);
    }
    hash_of(&same, other);
    ck_assert_mem_eq(first, other, 32);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_path_is_safe_only_when_it_can_lead_nowhere_else);
    tcase_add_test(tests, a_name_has_at_most_255_bytes_and_a_path_4095);
    tcase_add_test(tests, an_unsafe_path_is_not_added);
    tcase_add_test(tests, what_is_added_is_read_back);
    tcase_add_test(tests, a_folder_stands_right_before_all_that_is_in_it);
    tcase_add_test(tests, bytes_over_127_come_last);
    tcase_add_test(tests, a_tree_that_contradicts_itself_is_refused);
    tcase_add_test(tests, nothing_lies_below_a_root_that_is_a_file);
    tcase_add_test(tests, the_deepest_tree_that_a_path_allows_is_sorted);
    tcase_add_test(tests, any_order_of_adding_gives_the_same_tree);
    tcase_add_test(tests, two_trees_are_walked_side_by_side);
    tcase_add_test(tests, another_file_system_shows_where_it_begins);
    tcase_add_test(tests, the_hash_moves_with_all_that_is_kept_and_with_nothing_else);
}
