/* sync_memory.c - tests of what is remembered of the last sync, and of its file. */
#include "support/unit.h"

#include "base/log.h"
#include "base/path.h"
#include "sync/memory.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char state[64];

static void make_state(void)
{
    (void)snprintf(state, sizeof(state), "/tmp/sbx-memory-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(state));
    (void)setenv("XDG_STATE_HOME", state, 1);
}

static void remove_state(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf '%s'", state);
    ck_assert_int_eq(system(command), 0);
}

static const struct sbi_tree_item root_item = {
    .path = "", .kind = SBI_TREE_FOLDER, .device = 1};
static const struct sbi_tree_item file_item = {.path = "f",
                                               .path_length = 1,
                                               .kind = SBI_TREE_FILE,
                                               .size = 5,
                                               .mtime = 100,
                                               .mtime_ns = 5,
                                               .digits = 9,
                                               .inode = 7,
                                               .device = 1,
                                               .ctime_sec = 200};

static void fill(struct sbi_tree *tree, const struct sbi_tree_item *item)
{
    ck_assert_int_eq(sbi_tree_add(tree, &root_item, NULL), SBX_OK);
    ck_assert_int_eq(sbi_tree_add(tree, item, NULL), SBX_OK);
}

static int asked(const struct sbi_memory *memory, const struct sbi_tree_item *here,
                 const struct sbi_tree_item *there)
{
    SBI_AUTO_TREE of_here = {0};
    SBI_AUTO_TREE of_there = {0};

    fill(&of_here, here);
    fill(&of_there, there);
    return sbi_memory_ask(memory, &of_here, 1, &of_there, 1);
}

static void remember(struct sbi_memory *memory, const struct sbi_tree_item *here,
                     const struct sbi_tree_item *there)
{
    SBI_AUTO_TREE of_here = {0};
    SBI_AUTO_TREE of_there = {0};

    fill(&of_here, here);
    fill(&of_there, there);
    ck_assert_int_eq(sbi_memory_set(memory, &of_here, &of_there, NULL), SBX_OK);
}

START_TEST(nothing_is_known_of_what_was_not_there)
{
    SBI_AUTO_MEMORY memory = {0};
    struct sbi_tree_item other = file_item;

    other.path = "g";
    ck_assert_int_eq(asked(NULL, &file_item, &file_item), SBI_MEMORY_UNKNOWN);
    ck_assert_int_eq(asked(&memory, &file_item, &file_item), SBI_MEMORY_UNKNOWN);
    remember(&memory, &other, &other);
    ck_assert_int_eq(asked(&memory, &file_item, &file_item), SBI_MEMORY_UNKNOWN);
    ck_assert_int_eq(asked(&memory, &other, &other), SBI_MEMORY_BOTH);
}
END_TEST

START_TEST(a_file_replaced_under_the_same_size_and_time_has_moved)
{
    SBI_AUTO_MEMORY memory = {0};
    struct sbi_tree_item ctime = file_item, inode = file_item, there = file_item;

    remember(&memory, &file_item, &file_item);
    ctime.ctime_ns = 1;
    inode.inode = 8;
    there.mtime = 101;
    ck_assert_int_eq(asked(&memory, &file_item, &file_item), SBI_MEMORY_BOTH);
    ck_assert_int_eq(asked(&memory, &ctime, &file_item), SBI_MEMORY_MOVED);
    ck_assert_int_eq(asked(&memory, &inode, &file_item), SBI_MEMORY_MOVED);
    ck_assert_int_eq(asked(&memory, &file_item, &there), SBI_MEMORY_HERE);
}
END_TEST

START_TEST(what_one_side_alone_has_is_not_remembered)
{
    SBI_AUTO_MEMORY memory = {0};
    SBI_AUTO_TREE here = {0};
    SBI_AUTO_TREE there = {0};

    fill(&here, &file_item);
    ck_assert_int_eq(sbi_tree_add(&there, &root_item, NULL), SBX_OK);
    ck_assert_int_eq(sbi_memory_set(&memory, &here, &there, NULL), SBX_OK);
    ck_assert_uint_eq(memory.count, 1);
    ck_assert_int_eq(asked(&memory, &file_item, &file_item), SBI_MEMORY_UNKNOWN);
}
END_TEST

START_TEST(a_mount_that_is_gone_is_missed)
{
    SBI_AUTO_MEMORY memory = {0};
    struct sbi_tree_item mount = {
        .path = "data\n1", .path_length = 6, .kind = SBI_TREE_FOLDER, .device = 2};
    SBI_AUTO_TREE with = {0};
    SBI_AUTO_TREE without = {0};
    SBI_AUTO_TREE elsewhere = {0};

    remember(&memory, &mount, &mount);
    fill(&with, &mount);
    mount.device = 1;
    fill(&without, &mount);
    mount.path = "other.";
    fill(&elsewhere, &mount);
    ck_assert_ptr_null(sbi_memory_lost_mount(&memory, &with));
    ck_assert_str_eq(sbi_memory_lost_mount(&memory, &without), "data\n1");
    ck_assert_ptr_null(sbi_memory_lost_mount(&memory, &elsewhere));
    ck_assert_ptr_null(sbi_memory_lost_mount(NULL, &without));
}
END_TEST

START_TEST(a_root_that_was_a_mount_is_missed_too)
{
    SBI_AUTO_MEMORY memory = {0};
    SBI_AUTO_TREE tree = {0};

    fill(&tree, &file_item);
    tree.root_is_mount = true;
    ck_assert_int_eq(sbi_memory_set(&memory, &tree, &tree, NULL), SBX_OK);
    ck_assert_ptr_null(sbi_memory_lost_mount(&memory, &tree));
    tree.root_is_mount = false;
    ck_assert_str_eq(sbi_memory_lost_mount(&memory, &tree), "");
}
END_TEST

static void file_path(char out[256])
{
    char pattern[128];
    glob_t found = {0};

    (void)snprintf(pattern, sizeof(pattern), "%s/sbx/sync/*", state);
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    ck_assert_uint_eq(found.gl_pathc, 1);
    (void)snprintf(out, 256, "%s", found.gl_pathv[0]);
    globfree(&found);
}

static void save_one(void)
{
    SBI_AUTO_MEMORY memory = {0};
    struct sbi_tree_item mount = file_item;

    mount.kind = SBI_TREE_FOLDER;
    mount.device = 2;
    remember(&memory, &mount, &mount);
    memory.note = strdup("hash of the far side");
    ck_assert_int_eq(sbi_memory_save(&memory, "/here", "gpu1", "proj", NULL), SBX_OK);
}

START_TEST(a_memory_is_saved_for_its_user_alone_and_loaded_whole)
{
    SBI_AUTO_MEMORY memory = {0};
    struct stat info;
    char path[256];

    save_one();
    file_path(path);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    ck_assert_int_eq(sbi_memory_load("/here", "gpu1", "proj", &memory, NULL), SBX_OK);
    ck_assert_uint_eq(memory.count, 2);
    ck_assert_str_eq(memory.mounts[0], "f");
    ck_assert_str_eq(memory.note, "hash of the far side");
}
END_TEST

START_TEST(the_note_outlives_a_new_sync)
{
    SBI_AUTO_MEMORY memory = {.note = strdup("n")};

    remember(&memory, &file_item, &file_item);
    ck_assert_str_eq(memory.note, "n");
}
END_TEST

START_TEST(another_pair_of_roots_has_another_memory)
{
    SBI_AUTO_MEMORY memory = {0};

    save_one();
    ck_assert_int_eq(sbi_memory_load("/here", "gpu2", "proj", &memory, NULL), SBX_OK);
    ck_assert_int_eq(sbi_memory_load("/heregpu1", "", "proj", &memory, NULL), SBX_OK);
    ck_assert_int_eq(sbi_memory_load("/here", "gpu1", "", &memory, NULL), SBX_OK);
    ck_assert_uint_eq(memory.count, 0);
    sbi_memory_forget("/here", "gpu2", "proj");
    ck_assert_int_eq(sbi_memory_load("/here", "gpu1", "proj", &memory, NULL), SBX_OK);
    ck_assert_uint_eq(memory.count, 2);
}
END_TEST

START_TEST(a_forgotten_memory_is_gone)
{
    SBI_AUTO_MEMORY memory = {0};

    save_one();
    sbi_memory_forget("/here", "gpu1", "proj");
    ck_assert_int_eq(sbi_memory_load("/here", "gpu1", "proj", &memory, NULL), SBX_OK);
    ck_assert_uint_eq(memory.count, 0);
}
END_TEST

static int warnings;

static void count_warning(int level, const char *line, void *userdata)
{
    (void)userdata;
    if (level == SBX_LOG_WARN && strstr(line, "memory of the last sync") != NULL)
        warnings++;
}

static void put(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

/* Cut at any place, with any byte changed, or longer: each is found out. */
START_TEST(a_memory_that_is_not_whole_is_left_out_and_says_so)
{
    SBI_AUTOFREE char *text = NULL;
    char path[256];
    size_t length, i;
    int tries = 0;

    save_one();
    file_path(path);
    ck_assert_int_eq(sbi_path_read(path, 1 << 20, &text, &length, NULL), SBX_OK);
    sbx_log_to(count_warning, SBX_LOG_WARN, NULL);
    for (i = 0; i <= 2 * length; i++) {
        SBI_AUTO_MEMORY memory = {0};
        size_t at = i / 2;

        if (i % 2 == 0 && at < length) {
            put(path, text, at);
        } else {
            text[at < length ? at : 0] ^= 1;
            put(path, text, length);
            text[at < length ? at : 0] ^= 1;
        }
        ck_assert_int_eq(sbi_memory_load("/here", "gpu1", "proj", &memory, NULL), SBX_OK);
        ck_assert_uint_eq(memory.count, 0);
        ck_assert_ptr_null(memory.note);
        tries++;
    }
    sbx_log_to(NULL, 0, NULL);
    ck_assert_int_eq(warnings, tries);
}
END_TEST

START_TEST(a_note_over_its_limit_is_refused)
{
    SBI_AUTO_MEMORY memory = {.note = calloc(1, 5000)};

    memset(memory.note, 'n', 4999);
    ck_assert_int_eq(sbi_memory_save(&memory, "a", "b", "c", NULL), SBX_ERR_INVALID);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_state, remove_state);
    tcase_add_test(tests, nothing_is_known_of_what_was_not_there);
    tcase_add_test(tests, a_file_replaced_under_the_same_size_and_time_has_moved);
    tcase_add_test(tests, what_one_side_alone_has_is_not_remembered);
    tcase_add_test(tests, a_mount_that_is_gone_is_missed);
    tcase_add_test(tests, a_root_that_was_a_mount_is_missed_too);
    tcase_add_test(tests, a_memory_is_saved_for_its_user_alone_and_loaded_whole);
    tcase_add_test(tests, the_note_outlives_a_new_sync);
    tcase_add_test(tests, another_pair_of_roots_has_another_memory);
    tcase_add_test(tests, a_forgotten_memory_is_gone);
    tcase_add_test(tests, a_memory_that_is_not_whole_is_left_out_and_says_so);
    tcase_add_test(tests, a_note_over_its_limit_is_refused);
}
