/* sync_tree_local.c - tests of the walk of a folder, on trees that mean it ill. */
#include "support/unit.h"

#include "base/clock.h"
#include "sync/tree_local.h"
#include "sync/tree_local_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char root[64];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

static void make_root(void)
{
    (void)snprintf(root, sizeof(root), "/tmp/sbx-walk-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(chdir(root), 0);
}

static void remove_root(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    (void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static int walk(const char *path, unsigned flags, struct sbi_exclude *exclude,
                struct sbi_tree *tree, sbx_error *err)
{
    const struct sbi_tree_local_opts opts = {
        .flags = flags, .exclude = exclude, .deadline = SBI_NEVER};

    return sbi_tree_local(path, &opts, tree, NULL, err);
}

static const char *listed(const struct sbi_tree *tree)
{
    static const char kinds[] = "?fdlox!";
    static char room[4096];
    size_t i;
    int at = 0;

    for (i = 0; i < tree->count; i++) {
        at += snprintf(room + at, sizeof(room) - (size_t)at, "%c:%s ",
                       kinds[tree->entries[i].kind], sbi_tree_path(tree, i));
        ck_assert_int_lt(at, (int)sizeof(room));
    }
    return room;
}

START_TEST(a_tree_is_read_in_its_order_with_all_that_is_known)
{
    SBI_AUTO_TREE tree = {0};
    struct timespec times[2] = {{1, 0}, {1234, 567890123}};

    ck_assert_int_eq(mkdir("a", 0755), 0);
    ck_assert_int_eq(mkdir("a-", 0755), 0);
    put("a/x", "12345");
    put("a-/x", "");
    ck_assert_int_eq(link("a/x", "hard"), 0);
    ck_assert_int_eq(symlink("no where", "link"), 0);
    ck_assert_int_eq(mkfifo("fifo", 0600), 0);
    ck_assert_int_eq(chmod("a/x", 02741), 0);
    ck_assert_int_eq(utimensat(AT_FDCWD, "a/x", times, 0), 0);
    ck_assert_int_eq(walk(root, 0, NULL, &tree, NULL), SBX_OK);
    ck_assert_str_eq(listed(&tree), "d: d:a f:a/x d:a- f:a-/x o:fifo f:hard l:link ");
    ck_assert(!tree.unsorted && !tree.partial);
    ck_assert_uint_eq(tree.entries[2].size, 5);
    ck_assert_uint_eq(tree.entries[2].mode, 02741);
    ck_assert_int_eq(tree.entries[2].mtime, 1234);
    ck_assert_uint_eq(tree.entries[2].mtime_ns, 567890123);
    ck_assert_uint_eq(tree.entries[2].links, 2);
    ck_assert_uint_eq(tree.entries[2].inode, tree.entries[6].inode);
    ck_assert_int_ne(tree.entries[2].ctime, 0);
    ck_assert_str_eq(sbi_tree_target(&tree, 7), "no where");
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
}
END_TEST

START_TEST(roots_of_every_kind_are_told_apart)
{
    SBI_AUTO_TREE empty = {0};
    SBI_AUTO_TREE file = {0};
    SBI_AUTO_TREE other = {0};
    sbx_error err;

    ck_assert_int_eq(walk(root, 0, NULL, &empty, NULL), SBX_OK);
    ck_assert_str_eq(listed(&empty), "d: ");
    put("f", "x");
    ck_assert_int_eq(walk("f", 0, NULL, &file, NULL), SBX_OK);
    ck_assert_str_eq(listed(&file), "f: ");
    ck_assert_int_eq(walk("none", 0, NULL, &other, &err), SBX_ERR_NOT_FOUND);
    ck_assert_str_eq(err.text, "read 'none': No such file or directory");
    ck_assert_int_eq(walk("f/x", 0, NULL, &other, &err), SBX_ERR_NOT_FOUND);
    ck_assert_int_eq(mkfifo("p", 0600), 0);
    ck_assert_int_eq(walk("p", 0, NULL, &other, &err), SBX_ERR_INVALID);
    ck_assert_str_eq(err.text, "'p' is neither a folder nor a file");
    ck_assert_uint_eq(other.count, 0);
}
END_TEST

START_TEST(a_root_may_be_named_by_a_link)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_TREE none = {0};

    ck_assert_int_eq(mkdir("d", 0755), 0);
    put("d/x", "");
    ck_assert_int_eq(symlink("d", "l"), 0);
    ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
    ck_assert_int_eq(walk("l", 0, NULL, &tree, NULL), SBX_OK);
    ck_assert_str_eq(listed(&tree), "d: f:x ");
    ck_assert_int_eq(walk("dangling", 0, NULL, &none, NULL), SBX_ERR_NOT_FOUND);
}
END_TEST

/* Root reads everything: permissions mean something only to somebody else. */
static void as_nobody(void)
{
    if (getuid() == 0) {
        ck_assert_int_eq(chown(root, 65534, 65534), 0);
        ck_assert_int_eq(setgid(65534), 0);
        ck_assert_int_eq(setuid(65534), 0);
    }
}

START_TEST(what_cannot_be_read_is_named_and_the_rest_is_read)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_TREE_LOCAL_FAILURES failures = {0};
    const struct sbi_tree_local_opts opts = {.deadline = SBI_NEVER};
    sbx_error err;

    as_nobody();
    ck_assert_int_eq(mkdir("closed", 0), 0);
    ck_assert_int_eq(mkdir("listed", 0755), 0);
    put("listed/x", "");
    ck_assert_int_eq(chmod("listed", 0444), 0);
    put("z", "");
    ck_assert_int_eq(sbi_tree_local(root, &opts, &tree, &failures, NULL), SBX_OK);
    ck_assert_str_eq(listed(&tree), "d: !:closed d:listed !:listed/x f:z ");
    ck_assert(tree.partial);
    ck_assert_uint_eq(failures.count, 2);
    ck_assert_str_eq(failures.items[0].path, "closed");
    ck_assert_int_eq(failures.items[0].sys_errno, EACCES);
    ck_assert_str_eq(failures.items[1].path, "listed/x");
    ck_assert_int_eq(walk("closed", 0, NULL, &tree, &err), SBX_ERR_IO);
    ck_assert_int_eq(err.sys_errno, EACCES);
    ck_assert_int_eq(chmod("listed", 0755), 0);
}
END_TEST

START_TEST(an_ignore_file_that_cannot_be_read_fails_the_walk)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_EXCLUDE exclude = NULL;
    sbx_error err;

    as_nobody();
    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(mkdir("sub", 0755), 0);
    put("sub/.sbxignore", "secret\n");
    ck_assert_int_eq(chmod("sub/.sbxignore", 0), 0);
    ck_assert_int_eq(walk(root, SBI_LOCAL_SBXIGNORE, exclude, &tree, &err), SBX_ERR_IO);
    ck_assert_ptr_nonnull(
        strstr(err.text, "/sub': open '.sbxignore': Permission denied"));
    ck_assert_int_eq(walk(root, SBI_LOCAL_GITIGNORE, exclude, &tree, &err), SBX_OK);
}
END_TEST

START_TEST(rules_met_on_the_way_hold_and_excluded_folders_are_not_entered)
{
    SBI_AUTO_TREE absent = {0};
    SBI_AUTO_TREE marked = {0};
    SBI_AUTO_EXCLUDE exclude = NULL;
    unsigned both = SBI_LOCAL_GITIGNORE | SBI_LOCAL_SBXIGNORE;

    as_nobody();
    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(mkdir("build", 0), 0);
    ck_assert_int_eq(mkdir("src", 0755), 0);
    put(".gitignore", "build/\n*.o\n");
    put("src/.sbxignore", "!keep.o\n/x\n");
    put("src/a.o", "");
    put("src/keep.o", "");
    put("src/x", "");
    put("x", "");
    ck_assert_int_eq(walk(root, both, exclude, &absent, NULL), SBX_OK);
    ck_assert_str_eq(listed(&absent),
                     "d: f:.gitignore d:src f:src/.sbxignore f:src/keep.o f:x ");
    ck_assert(!absent.partial);
    ck_assert_int_eq(walk(root, both | SBI_LOCAL_MARK_HIDDEN, exclude, &marked, NULL),
                     SBX_OK);
    ck_assert_str_eq(listed(&marked), "d: f:.gitignore x:build d:src f:src/.sbxignore "
                                      "x:src/a.o f:src/keep.o x:src/x f:x ");
}
END_TEST

START_TEST(an_ignore_file_that_is_a_link_or_a_fifo_is_none)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_EXCLUDE exclude = NULL;

    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    put("rules", "*\n");
    ck_assert_int_eq(symlink("rules", ".gitignore"), 0);
    ck_assert_int_eq(mkfifo(".sbxignore", 0600), 0);
    ck_assert_int_eq(
        walk(root, SBI_LOCAL_GITIGNORE | SBI_LOCAL_SBXIGNORE, exclude, &tree, NULL),
        SBX_OK);
    ck_assert_str_eq(listed(&tree), "d: l:.gitignore o:.sbxignore f:rules ");
}
END_TEST

START_TEST(names_of_all_bytes_and_of_full_length_are_read)
{
    SBI_AUTO_TREE tree = {0};
    char name[256];
    int c, count = 1;

    for (c = 1; c < 256; c++) {
        if (c == '/' || c == '.')
            continue;
        name[0] = (char)c;
        name[1] = '\0';
        put(name, "");
        count++;
    }
    memset(name, '\xff', 255);
    name[255] = '\0';
    put(name, "");
    ck_assert_int_eq(walk(root, 0, NULL, &tree, NULL), SBX_OK);
    ck_assert_uint_eq(tree.count, (size_t)count + 1);
    ck_assert_str_eq(sbi_tree_path(&tree, tree.count - 1), name);
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
}
END_TEST

START_TEST(links_are_not_followed_out_of_the_tree)
{
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(symlink("/etc", "out"), 0);
    ck_assert_int_eq(symlink(".", "loop"), 0);
    ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
    ck_assert_int_eq(walk(root, 0, NULL, &tree, NULL), SBX_OK);
    ck_assert_str_eq(listed(&tree), "d: l:dangling l:loop l:out ");
    ck_assert_str_eq(sbi_tree_target(&tree, 3), "/etc");
}
END_TEST

START_TEST(links_that_are_followed_become_what_they_point_to)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_TREE_LOCAL_FAILURES failures = {0};
    const struct sbi_tree_local_opts opts = {.flags = SBI_LOCAL_FOLLOW,
                                             .deadline = SBI_NEVER};

    ck_assert_int_eq(mkdir("d", 0755), 0);
    put("d/x", "123");
    ck_assert_int_eq(symlink("..", "d/up"), 0);
    ck_assert_int_eq(symlink("d", "e"), 0);
    ck_assert_int_eq(symlink("d/x", "f"), 0);
    ck_assert_int_eq(symlink("nowhere", "g"), 0);
    ck_assert_int_eq(sbi_tree_local(root, &opts, &tree, &failures, NULL), SBX_OK);
    ck_assert_str_eq(listed(&tree), "d: d:d !:d/up f:d/x d:e !:e/up f:e/x f:f !:g ");
    ck_assert_uint_eq(tree.entries[7].size, 3);
    ck_assert_uint_eq(failures.count, 3);
    ck_assert_int_eq(failures.items[0].sys_errno, ELOOP);
    ck_assert_str_eq(failures.items[2].path, "g");
    ck_assert_int_eq(failures.items[2].sys_errno, ENOENT);
}
END_TEST

/* Deeper than descriptors are kept for, and with something to read on the way back. */
START_TEST(a_deep_tree_takes_few_descriptors)
{
    SBI_AUTO_TREE tree = {0};
    int depth = 500;
    int i, fd;

    for (i = 0; i < depth; i++) {
        ck_assert_int_eq(mkdir("d", 0755), 0);
        put("z", "");
        ck_assert_int_eq(chdir("d"), 0);
    }
    ck_assert_int_eq(walk(root, 0, NULL, &tree, NULL), SBX_OK);
    ck_assert_uint_eq(tree.count, 1 + 2 * (size_t)depth);
    ck_assert(!tree.partial);
    ck_assert_int_eq(sbi_tree_sort(&tree, NULL), SBX_OK);
    fd = open("/", O_RDONLY | O_CLOEXEC);
    ck_assert_int_lt(fd, 10);
    (void)close(fd);
}
END_TEST

START_TEST(a_path_over_the_limit_is_a_failure_and_not_the_end)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_TREE_LOCAL_FAILURES failures = {0};
    const struct sbi_tree_local_opts opts = {.deadline = SBI_NEVER};
    char name[201];
    int i;

    memset(name, 'n', 200);
    name[200] = '\0';
    for (i = 0; i < 21; i++) {
        ck_assert_int_eq(mkdir(name, 0755), 0);
        ck_assert_int_eq(chdir(name), 0);
    }
    ck_assert_int_eq(sbi_tree_local(root, &opts, &tree, &failures, NULL), SBX_OK);
    ck_assert_uint_eq(tree.count, 21);
    ck_assert(tree.partial);
    ck_assert_uint_eq(failures.count, 1);
    ck_assert_int_eq(failures.items[0].sys_errno, ENAMETOOLONG);
    for (i = 0; i < 21; i++) {
        ck_assert_int_eq(chdir(".."), 0);
        ck_assert_int_eq(rmdir(name), 0);
    }
}
END_TEST

START_TEST(a_walk_ends_by_cancel_by_time_and_by_its_limit)
{
    SBI_AUTO_TREE tree = {0};
    struct sbi_tree_local_opts opts = {.deadline = SBI_NEVER, .entry_limit = 2};
    sbx_cancel *cancel = NULL;

    put("a", "");
    ck_assert_int_eq(sbi_tree_local(root, &opts, &tree, NULL, NULL), SBX_OK);
    put("b", "");
    ck_assert_int_eq(sbi_tree_local(root, &opts, &tree, NULL, NULL), SBX_ERR_LIMIT);
    opts.deadline = sbi_now_ms() - 1;
    ck_assert_int_eq(sbi_tree_local(root, &opts, &tree, NULL, NULL), SBX_ERR_TIMEOUT);
    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    sbx_cancel_fire(cancel);
    opts.cancel = cancel;
    ck_assert_int_eq(sbi_tree_local(root, &opts, &tree, NULL, NULL), SBX_ERR_CANCELLED);
    sbx_cancel_free(cancel);
}
END_TEST

START_TEST(where_a_file_system_begins_is_noted)
{
    SBI_AUTO_TREE mine = {0};
    SBI_AUTO_TREE system = {0};

    ck_assert_int_eq(walk(root, 0, NULL, &mine, NULL), SBX_OK);
    ck_assert(!mine.root_is_mount);
    ck_assert_int_eq(walk("/proc/self/fdinfo", 0, NULL, &system, NULL), SBX_OK);
    ck_assert(!system.root_is_mount);
    sbi_tree_clear(&system);
    ck_assert_int_eq(walk("/dev/shm", 0, NULL, &system, NULL), SBX_OK);
    ck_assert(system.root_is_mount);
}
END_TEST

static bool swaps;

/*
 * Stands in for the library's own look at a name: once "d" was seen to be a folder, it is
 * a link out of the tree, as if another program had put it there at the worst moment.
 */
int fstatat(int folder, const char *name, struct stat *info, int flags)
{
    int rc = (int)syscall(SYS_newfstatat, folder, name, info, flags);

    if (swaps && strcmp(name, "d") == 0) {
        swaps = false;
        ck_assert_int_eq(rename("d", "aside"), 0);
        ck_assert_int_eq(symlink("/etc", "d"), 0);
    }
    return rc;
}

START_TEST(a_link_put_in_place_of_a_folder_during_the_walk_leads_nowhere)
{
    SBI_AUTO_TREE tree = {0};

    ck_assert_int_eq(mkdir("d", 0755), 0);
    put("d/x", "");
    put("e", "");
    swaps = true;
    ck_assert_int_eq(walk(root, 0, NULL, &tree, NULL), SBX_OK);
    ck_assert(!swaps);
    ck_assert_str_eq(listed(&tree), "d: f:e ");
}
END_TEST

START_TEST(a_folder_is_not_found_again_from_one_that_was_moved_out_of_it)
{
    struct sbi_local_folder folder = {.fd = -1};
    struct stat info;
    int child;

    ck_assert_int_eq(mkdir("a", 0755), 0);
    ck_assert_int_eq(mkdir("a/b", 0755), 0);
    ck_assert_int_eq(stat("a", &info), 0);
    folder.device = (uint64_t)info.st_dev;
    folder.inode = (uint64_t)info.st_ino;
    child = open("a/b", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert(sbi_local_folder_reopen(&folder, child));
    sbi_local_folder_clear(&folder);
    folder.device = (uint64_t)info.st_dev;
    folder.inode = (uint64_t)info.st_ino;
    ck_assert_int_eq(rename("a/b", "b"), 0);
    ck_assert(!sbi_local_folder_reopen(&folder, child));
    ck_assert_int_eq(folder.fd, -1);
    (void)close(child);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_root, remove_root);
    tcase_add_test(tests, a_tree_is_read_in_its_order_with_all_that_is_known);
    tcase_add_test(tests, roots_of_every_kind_are_told_apart);
    tcase_add_test(tests, a_root_may_be_named_by_a_link);
    tcase_add_test(tests, what_cannot_be_read_is_named_and_the_rest_is_read);
    tcase_add_test(tests, an_ignore_file_that_cannot_be_read_fails_the_walk);
    tcase_add_test(tests, rules_met_on_the_way_hold_and_excluded_folders_are_not_entered);
    tcase_add_test(tests, an_ignore_file_that_is_a_link_or_a_fifo_is_none);
    tcase_add_test(tests, names_of_all_bytes_and_of_full_length_are_read);
    tcase_add_test(tests, links_are_not_followed_out_of_the_tree);
    tcase_add_test(tests, a_link_put_in_place_of_a_folder_during_the_walk_leads_nowhere);
    tcase_add_test(tests, a_folder_is_not_found_again_from_one_that_was_moved_out_of_it);
    tcase_add_test(tests, links_that_are_followed_become_what_they_point_to);
    tcase_add_test(tests, a_deep_tree_takes_few_descriptors);
    tcase_add_test(tests, a_path_over_the_limit_is_a_failure_and_not_the_end);
    tcase_add_test(tests, a_walk_ends_by_cancel_by_time_and_by_its_limit);
    tcase_add_test(tests, where_a_file_system_begins_is_noted);
}
