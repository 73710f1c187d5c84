/* sync_plan.c - tests of what a plan does about each pair of entries, and of its rails.
 */
#include "support/unit.h"

#include "sync/plan.h"

#include <stdio.h>
#include <string.h>

#define FILE_AT(name, bytes, time, ns)                                                   \
    {                                                                                    \
        .path = name, .kind = SBI_TREE_FILE, .mode = 0644, .size = bytes, .mtime = time, \
        .mtime_ns = ns, .digits = 9                                                      \
    }
#define FOLDER(name)                                                                     \
    {                                                                                    \
        .path = name, .kind = SBI_TREE_FOLDER, .mode = 0755, .mtime = 1, .digits = 9     \
    }
#define LINK(name, to)                                                                   \
    {                                                                                    \
        .path = name, .kind = SBI_TREE_LINK, .mode = 0777, .mtime = 1, .target = to      \
    }
#define ROOT FOLDER("")

/* A tree of items; the last is all zero. */
static void fill(struct sbi_tree *tree, const struct sbi_tree_item *items)
{
    for (; items->path != NULL; items++) {
        struct sbi_tree_item item = *items;

        item.path_length = strlen(item.path);
        ck_assert_int_eq(sbi_tree_add(tree, &item, NULL), SBX_OK);
    }
    ck_assert_int_eq(sbi_tree_sort(tree, NULL), SBX_OK);
}

static const char *path_of(const struct sbi_tree *source, const struct sbi_tree *target,
                           const struct sbi_plan_action *action)
{
    return action->source != SBI_TREE_NONE ? sbi_tree_path(source, action->source)
                                           : sbi_tree_path(target, action->target);
}

static size_t print(char *room, size_t size, const struct sbi_plan_list *list,
                    const struct sbi_tree *source, const struct sbi_tree *target)
{
    size_t i, at = 0;

    for (i = 0; i < list->count; i++) {
        const struct sbi_plan_action *action = &list->items[i];

        at += (size_t)snprintf(
            room + at, size - at, "%s %s%s%s: %s\n", sbi_plan_what_name(action->what),
            path_of(source, target, action),
            action->what == SBI_PLAN_HARD_LINK ? "=" : "",
            action->what == SBI_PLAN_HARD_LINK ? sbi_tree_path(source, action->leader)
                                               : "",
            sbi_plan_why_text(action->why));
    }
    return at;
}

static const char *printed(const struct sbi_plan *plan, const struct sbi_tree *source,
                           const struct sbi_tree *target)
{
    static char room[8192];
    const struct sbi_plan_list *lists[] = {&plan->clear, &plan->make, &plan->remove,
                                           &plan->finish, &plan->skipped};
    size_t i, at = 0;

    room[0] = '\0';
    for (i = 0; i < 5; i++)
        at += print(room + at, sizeof(room) - at, lists[i], source, target);
    return room;
}

static void expect(const struct sbi_tree_item *of_source,
                   const struct sbi_tree_item *of_target,
                   const struct sbi_plan_opts *opts, const char *says)
{
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_PLAN plan = {0};

    fill(&source, of_source);
    fill(&target, of_target);
    ck_assert_int_eq(sbi_plan_make(&source, &target, opts, &plan, NULL), SBX_OK);
    ck_assert_str_eq(printed(&plan, &source, &target), says);
}

static const struct sbi_plan_opts plain = {0};
static const struct sbi_plan_opts mirror = {.flags = SBI_PLAN_DELETE};
static const struct sbi_tree_item nothing[] = {{0}};
static const struct sbi_tree_item empty[] = {ROOT, {0}};

START_TEST(a_new_tree_is_made_from_the_root_down)
{
    static const struct sbi_tree_item source[] = {
        ROOT, FOLDER("d"), FILE_AT("d/f", 1, 1, 0), LINK("l", "d"), {0}};

    expect(source, nothing, &plain,
           "make folder : new\nmake folder d: new\nsend d/f: new\nlink l: new\n"
           "set mode and time d: new\nset mode and time : new\n");
    expect(source, source, &mirror, "");
}
END_TEST

START_TEST(files_differ_by_size_time_or_mode)
{
    static const struct sbi_tree_item source[] = {ROOT,
                                                  FILE_AT("mode", 1, 1, 0),
                                                  FILE_AT("same", 1, 1, 7),
                                                  FILE_AT("size", 1, 1, 0),
                                                  FILE_AT("time", 1, 2, 0),
                                                  {0}};
    struct sbi_tree_item target[] = {ROOT,
                                     FILE_AT("mode", 1, 1, 0),
                                     FILE_AT("same", 1, 1, 7),
                                     FILE_AT("size", 2, 1, 0),
                                     FILE_AT("time", 1, 9, 0),
                                     {0}};

    target[1].mode = 0600;
    expect(source, target, &plain,
           "set mode and time mode: another mode\nsend size: another size\n"
           "send time: another time\n");
}
END_TEST

/* Each row: an mtime there of a file whose mtime here is 100.123456789. */
START_TEST(a_time_is_compared_as_far_as_both_sides_keep_it)
{
    static const struct {
        int64_t mtime;
        unsigned ns, digits;
        bool same;
    } rows[] = {
        {100, 123456789, 9, true},  {100, 123456788, 9, false}, {100, 123456700, 9, true},
        {100, 123456800, 9, false}, {100, 0, 0, true},          {100, 0, 9, true},
        {100, 120000000, 2, true},  {100, 130000000, 2, false}, {101, 0, 0, false},
        {99, 0, 0, false},          {100, 123000000, 9, true},  {100, 999999999, 0, true},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static const struct sbi_tree_item here[] = {
            ROOT, FILE_AT("f", 1, 100, 123456789), {0}};
        struct sbi_tree_item there[] = {
            ROOT, FILE_AT("f", 1, rows[i].mtime, rows[i].ns), {0}};
        const char *says = rows[i].same ? "" : "send f: another time\n";

        there[1].digits = rows[i].digits;
        expect(here, there, &plain, says);
        expect(there, here, &plain, says);
    }
}
END_TEST

START_TEST(links_are_compared_by_what_they_point_to)
{
    struct sbi_tree_item source[] = {ROOT, LINK("a", "x"), LINK("b", "x"), {0}};
    static const struct sbi_tree_item target[] = {
        ROOT, LINK("a", "y"), LINK("b", "x"), {0}};

    source[2].mtime = 99;
    source[2].mode = 0755;
    expect(source, target, &plain, "link a: points elsewhere\n");
}
END_TEST

START_TEST(a_folder_gets_its_time_again_when_something_is_done_in_it)
{
    struct sbi_tree_item source[] = {
        ROOT, FOLDER("a"), FILE_AT("a/x", 1, 1, 0), FOLDER("b"), FILE_AT("b/x", 1, 1, 0),
        {0}};
    struct sbi_tree_item target[] = {
        ROOT, FOLDER("a"), FOLDER("b"), FILE_AT("b/x", 1, 1, 0), {0}};

    source[4].mode = 0600;
    target[2].mtime = 5;
    expect(source, target, &plain,
           "send a/x: new\nset mode and time b/x: another mode\n"
           "set mode and time a: time moved by changes in it\n"
           "set mode and time b: another time\n");
}
END_TEST

START_TEST(a_root_that_exists_keeps_its_mode_and_time)
{
    struct sbi_tree_item target[] = {ROOT, {0}};

    target[0].mode = 0700;
    target[0].mtime = 77;
    expect(empty, target, &plain, "");
}
END_TEST

START_TEST(what_is_in_the_target_alone_goes_only_on_request_and_deepest_first)
{
    static const struct sbi_tree_item target[] = {ROOT,
                                                  FOLDER("d"),
                                                  FOLDER("d/e"),
                                                  FILE_AT("d/e/f", 3, 1, 0),
                                                  LINK("l", "x"),
                                                  {.path = "p", .kind = SBI_TREE_OTHER},
                                                  {0}};

    expect(empty, target, &plain, "");
    expect(empty, target, &mirror,
           "remove d/e/f: not in the source\nremove d/e: not in the source\n"
           "remove d: not in the source\nremove l: not in the source\n"
           "remove p: not in the source\n");
}
END_TEST

static struct sbi_exclude *rules(const char *text)
{
    struct sbi_exclude *exclude = NULL;

    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(sbi_exclude_add_text(exclude, SBI_EXCLUDE_GITIGNORE, "", text,
                                          strlen(text), NULL),
                     SBX_OK);
    return exclude;
}

START_TEST(what_is_excluded_is_neither_sent_nor_deleted)
{
    SBI_AUTO_EXCLUDE exclude = rules("*.o\ncache/\n");
    const struct sbi_plan_opts opts = {.flags = SBI_PLAN_DELETE, .exclude = exclude};
    static const struct sbi_tree_item source[] = {ROOT,
                                                  FILE_AT("a.o", 1, 1, 0),
                                                  FOLDER("cache"),
                                                  FILE_AT("cache/x", 1, 1, 0),
                                                  FILE_AT("k", 1, 1, 0),
                                                  {0}};
    static const struct sbi_tree_item target[] = {ROOT,
                                                  FILE_AT("a.o", 2, 2, 0),
                                                  FOLDER("gone"),
                                                  FOLDER("gone/cache"),
                                                  FILE_AT("gone/cache/y", 1, 1, 0),
                                                  FILE_AT("gone/z", 1, 1, 0),
                                                  {0}};

    expect(source, target, &opts,
           "send k: new\nremove gone/z: not in the source\nskip a.o: excluded\n"
           "skip cache: excluded\nskip gone/cache: excluded\n"
           "skip gone: holds what is kept\n");
}
END_TEST

START_TEST(what_a_walk_left_out_in_the_target_is_kept)
{
    static const struct sbi_tree_item target[] = {
        ROOT, FOLDER("d"), {.path = "d/x", .kind = SBI_TREE_HIDDEN}, FOLDER("e"), {0}};
    static const struct sbi_tree_item source[] = {
        ROOT, FOLDER("d"), FILE_AT("d/x", 1, 1, 0), {0}};

    expect(source, target, &mirror, "remove e: not in the source\nskip d/x: excluded\n");
    expect(empty, target, &mirror,
           "remove e: not in the source\nskip d/x: excluded\n"
           "skip d: holds what is kept\n");
    expect(empty, target, &plain, "");
}
END_TEST

START_TEST(what_could_not_be_read_is_left_alone_on_both_sides)
{
    static const struct sbi_tree_item unread[] = {
        ROOT, {.path = "d", .kind = SBI_TREE_UNREAD}, {0}};
    static const struct sbi_tree_item read[] = {
        ROOT, FOLDER("d"), FILE_AT("d/x", 1, 1, 0), {0}};

    expect(unread, read, &mirror, "skip d: could not be read\n");
    expect(read, unread, &mirror, "skip d: could not be read\n");
    expect(empty, unread, &mirror, "skip d: could not be read\n");
}
END_TEST

START_TEST(fifos_sockets_and_devices_are_skipped_and_named)
{
    static const struct sbi_tree_item source[] = {
        ROOT, {.path = "p", .kind = SBI_TREE_OTHER}, {0}};
    static const struct sbi_tree_item target[] = {
        ROOT, FOLDER("p"), FILE_AT("p/x", 1, 1, 0), {0}};

    expect(source, empty, &plain, "skip p: a fifo, socket or device\n");
    expect(source, target, &mirror, "skip p: a fifo, socket or device\n");
}
END_TEST

START_TEST(file_link_and_folder_swap_places)
{
    static const struct sbi_tree_item source[] = {ROOT,
                                                  FOLDER("a"),
                                                  FILE_AT("a/x", 1, 1, 0),
                                                  LINK("b", "a"),
                                                  FILE_AT("c", 1, 1, 0),
                                                  FILE_AT("d", 1, 1, 0),
                                                  FOLDER("e"),
                                                  {0}};
    static const struct sbi_tree_item target[] = {ROOT,
                                                  FILE_AT("a", 1, 1, 0),
                                                  FOLDER("b"),
                                                  LINK("c", "/etc/passwd"),
                                                  {.path = "d", .kind = SBI_TREE_OTHER},
                                                  LINK("e", "a"),
                                                  {0}};

    expect(source, target, &plain,
           "remove a: in the way\nremove b: in the way\nremove e: in the way\n"
           "make folder a: another kind\nsend a/x: new\nlink b: another kind\n"
           "send c: another kind\nsend d: another kind\nmake folder e: another kind\n"
           "set mode and time a: another kind\nset mode and time e: another kind\n");
}
END_TEST

START_TEST(a_folder_with_content_gives_way_only_in_a_mirror)
{
    static const struct sbi_tree_item source[] = {ROOT, FILE_AT("a", 1, 1, 0), {0}};
    static const struct sbi_tree_item target[] = {ROOT,
                                                  FOLDER("a"),
                                                  FOLDER("a/b"),
                                                  FILE_AT("a/b/c", 1, 1, 0),
                                                  FILE_AT("a/d", 1, 1, 0),
                                                  {0}};
    static const struct sbi_tree_item hidden[] = {
        ROOT, FOLDER("a"), {.path = "a/x", .kind = SBI_TREE_HIDDEN}, {0}};

    expect(source, target, &plain, "skip a: a folder with content is in the way\n");
    expect(source, target, &mirror,
           "remove a/d: in the way\nremove a/b/c: in the way\nremove a/b: in the way\n"
           "remove a: in the way\nsend a: another kind\n");
    expect(source, hidden, &mirror, "skip a: holds what is kept\n");
}
END_TEST

START_TEST(a_root_of_another_kind_is_refused)
{
    static const struct sbi_tree_item file[] = {FILE_AT("", 1, 1, 0), {0}};
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_PLAN plan = {0};
    sbx_error err;

    fill(&source, file);
    fill(&target, empty);
    ck_assert_int_eq(sbi_plan_make(&source, &target, &mirror, &plan, &err),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbi_plan_make(&target, &source, &mirror, &plan, &err),
                     SBX_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "not of one kind"));
    expect(file, nothing, &plain, "send : new\n");
    expect(file, file, &plain, "");
}
END_TEST

static struct sbi_tree_item tied(struct sbi_tree_item item, uint64_t inode)
{
    item.device = 1;
    item.inode = inode;
    item.links = 2;
    return item;
}

START_TEST(hard_links_are_tied_again)
{
    const struct sbi_tree_item file = FILE_AT("a", 1, 1, 0);
    const struct sbi_tree_item other = FILE_AT("b", 1, 1, 0);
    const struct sbi_tree_item root = ROOT;
    const struct sbi_tree_item source[] = {root, tied(file, 5), tied(other, 5), {0}};
    const struct sbi_tree_item apart[] = {root, file, other, {0}};
    const struct sbi_tree_item together[] = {root, tied(file, 9), tied(other, 9), {0}};
    struct sbi_tree_item split[] = {root, tied(file, 9), tied(other, 8), {0}};
    struct sbi_tree_item old[] = {root, tied(file, 9), tied(other, 9), {0}};
    const struct sbi_plan_opts separate = {.flags = SBI_PLAN_NO_HARD_LINKS};

    old[1].size = old[2].size = 7;
    expect(source, empty, &plain, "send a: new\nhard link b=a: new\n");
    expect(source, empty, &separate, "send a: new\nsend b: new\n");
    expect(source, apart, &plain, "");
    expect(source, together, &plain, "");
    expect(source, split, &plain, "hard link b=a: tied to another file\n");
    expect(source, old, &plain,
           "send a: another size\nhard link b=a: tied to another file\n");
}
END_TEST

/* Setting the mode of one name would set it for names that are not meant. */
START_TEST(a_mode_is_not_set_through_a_hard_link_of_the_target)
{
    const struct sbi_tree_item root = ROOT;
    struct sbi_tree_item a = FILE_AT("a", 1, 1, 0), b = FILE_AT("b", 1, 1, 0);
    const struct sbi_tree_item target[] = {root, tied(a, 9), tied(b, 9), {0}};
    struct sbi_tree_item source[] = {root, a, b, {0}};

    source[1].mode = 0600;
    expect(source, target, &plain, "send a: another mode\n");
}
END_TEST

static void set_digests(struct sbi_tree *tree, unsigned char first)
{
    unsigned char digest[SBI_TREE_DIGEST] = {first};
    size_t i;

    for (i = 0; i < tree->count; i++)
        if (tree->entries[i].kind == SBI_TREE_FILE)
            ck_assert_int_eq(sbi_tree_set_digest(tree, i, digest, NULL), SBX_OK);
}

START_TEST(contents_decide_where_they_were_compared)
{
    static const struct sbi_tree_item here[] = {ROOT,
                                                FILE_AT("same", 1, 1, 0),
                                                FILE_AT("size", 1, 1, 0),
                                                FILE_AT("time", 1, 1, 0),
                                                {0}};
    static const struct sbi_tree_item there[] = {ROOT,
                                                 FILE_AT("same", 1, 1, 0),
                                                 FILE_AT("size", 2, 1, 0),
                                                 FILE_AT("time", 1, 2, 0),
                                                 {0}};
    const struct sbi_plan_opts opts = {.flags = SBI_PLAN_CHECKSUM};
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_PLAN plan = {0};
    SBI_AUTO_PLAN_DOUBTS doubts = {0};

    fill(&source, here);
    fill(&target, there);
    ck_assert_int_eq(sbi_plan_doubts(&source, &target, &opts, &doubts, NULL), SBX_OK);
    ck_assert_uint_eq(doubts.count, 2);
    ck_assert_str_eq(sbi_tree_path(&source, doubts.items[0].source), "same");
    ck_assert_str_eq(sbi_tree_path(&target, doubts.items[1].target), "time");
    ck_assert_int_eq(sbi_plan_make(&source, &target, &opts, &plan, NULL), SBX_OK);
    ck_assert_str_eq(printed(&plan, &source, &target),
                     "send same: content not compared\nsend size: another size\n"
                     "send time: content not compared\n");
    set_digests(&source, 1);
    set_digests(&target, 1);
    sbi_plan_clear(&plan);
    ck_assert_int_eq(sbi_plan_make(&source, &target, &opts, &plan, NULL), SBX_OK);
    ck_assert_str_eq(printed(&plan, &source, &target),
                     "send size: another size\nset mode and time time: another time\n");
    set_digests(&target, 2);
    sbi_plan_clear(&plan);
    ck_assert_int_eq(sbi_plan_make(&source, &target, &plain, &plan, NULL), SBX_OK);
    ck_assert_str_eq(printed(&plan, &source, &target),
                     "send same: another content\nsend size: another size\n"
                     "send time: another content\n");
}
END_TEST

START_TEST(a_file_replaced_under_the_same_size_and_time_is_a_doubt)
{
    static const struct sbi_tree_item there[] = {ROOT, FILE_AT("f", 1, 1, 0), {0}};
    struct sbi_tree_item here[] = {ROOT, FILE_AT("f", 1, 1, 0), {0}};
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_TREE moved = {0};
    SBI_AUTO_MEMORY memory = {0};
    SBI_AUTO_PLAN_DOUBTS doubts = {0};
    SBI_AUTO_PLAN plan = {0};
    const struct sbi_plan_opts opts = {.memory = &memory};
    const struct sbi_plan_opts pull = {.memory = &memory, .flags = SBI_PLAN_PULL};

    fill(&source, here);
    fill(&target, there);
    here[1].inode = 5;
    fill(&moved, here);
    ck_assert_int_eq(sbi_memory_set(&memory, &source, &target, NULL), SBX_OK);
    ck_assert_int_eq(sbi_plan_doubts(&source, &target, &opts, &doubts, NULL), SBX_OK);
    ck_assert_uint_eq(doubts.count, 0);
    ck_assert_int_eq(sbi_plan_doubts(&moved, &target, &opts, &doubts, NULL), SBX_OK);
    ck_assert_uint_eq(doubts.count, 1);
    sbi_plan_doubts_clear(&doubts);
    ck_assert_int_eq(sbi_plan_doubts(&target, &moved, &pull, &doubts, NULL), SBX_OK);
    ck_assert_uint_eq(doubts.count, 1);
    ck_assert_int_eq(sbi_plan_make(&moved, &target, &opts, &plan, NULL), SBX_OK);
    ck_assert_str_eq(printed(&plan, &moved, &target), "send f: content not compared\n");
}
END_TEST

/* A file system without modes, or one that keeps every second second. */
START_TEST(what_the_far_side_cannot_keep_is_not_sent_for_ever)
{
    static const struct sbi_tree_item here[] = {
        ROOT, FOLDER("d"), FILE_AT("f", 1, 13, 5), {0}};
    struct sbi_tree_item there[] = {ROOT, FOLDER("d"), FILE_AT("f", 1, 12, 0), {0}};
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_TREE changed = {0};
    SBI_AUTO_MEMORY memory = {0};
    SBI_AUTO_PLAN plan = {0};
    const struct sbi_plan_opts opts = {.memory = &memory};

    there[1].mode = there[2].mode = 0777;
    fill(&source, here);
    fill(&target, there);
    there[2].mtime = 14;
    fill(&changed, there);
    ck_assert_int_eq(sbi_memory_set(&memory, &source, &target, NULL), SBX_OK);
    ck_assert_int_eq(sbi_plan_make(&source, &target, &opts, &plan, NULL), SBX_OK);
    ck_assert_str_eq(printed(&plan, &source, &target), "");
    ck_assert_int_eq(sbi_plan_make(&source, &changed, &opts, &plan, NULL), SBX_OK);
    ck_assert_str_eq(printed(&plan, &source, &changed), "send f: another time\n");
}
END_TEST

START_TEST(totals_are_what_the_lists_say)
{
    static const struct sbi_tree_item here[] = {ROOT,
                                                FILE_AT("a", 10, 1, 0),
                                                FILE_AT("b", 20, 1, 0),
                                                FILE_AT("c", 40, 1, 0),
                                                {0}};
    static const struct sbi_tree_item there[] = {ROOT,
                                                 FILE_AT("a", 10, 1, 0),
                                                 FILE_AT("b", 21, 1, 0),
                                                 FILE_AT("x", 80, 1, 0),
                                                 FILE_AT("y", 160, 1, 0),
                                                 {0}};
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_PLAN plan = {0};
    SBI_AUTO_PLAN mirrored = {0};

    fill(&source, here);
    fill(&target, there);
    ck_assert_int_eq(sbi_plan_make(&source, &target, &plain, &plan, NULL), SBX_OK);
    ck_assert_uint_eq(plan.send_count, 2);
    ck_assert_uint_eq(plan.send_bytes, 60);
    ck_assert_uint_eq(plan.same_bytes, 10);
    ck_assert_uint_eq(plan.extra_count, 2);
    ck_assert_uint_eq(plan.removed_count, 0);
    ck_assert_uint_eq(plan.target_count, 4);
    ck_assert_int_eq(sbi_plan_make(&source, &target, &mirror, &mirrored, NULL), SBX_OK);
    ck_assert_uint_eq(mirrored.removed_count, 2);
    ck_assert_uint_eq(mirrored.removed_bytes, 240);
}
END_TEST

/* One check of the rails: what source and target hold, where the target is. */
struct rails_row {
    const char *target_root;
    int source; /* a kind; 0: there is no source */
    int kept, gone;
    bool partial;
    const char *refusal; /* or NULL: it may go on */
    const char *forced;  /* the same with force */
};

static void fill_row(struct sbi_tree *source, struct sbi_tree *target,
                     const struct rails_row *row)
{
    struct sbi_tree_item root = {.path = "", .kind = row->source};
    int i;

    if (row->source != 0)
        ck_assert_int_eq(sbi_tree_add(source, &root, NULL), SBX_OK);
    root.kind = SBI_TREE_FOLDER;
    ck_assert_int_eq(sbi_tree_add(target, &root, NULL), SBX_OK);
    for (i = 0; i < row->kept + row->gone; i++) {
        char path[16];
        struct sbi_tree_item item = FILE_AT(path, 1, 1, 0);

        item.path_length = (size_t)snprintf(path, sizeof(path), "%04d", i);
        ck_assert_int_eq(sbi_tree_add(target, &item, NULL), SBX_OK);
        if (i < row->kept)
            ck_assert_int_eq(sbi_tree_add(source, &item, NULL), SBX_OK);
    }
    source->partial = row->partial;
}

static void check_rails(const struct rails_row *row, bool force, const char *refusal)
{
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_PLAN plan = {0};
    const struct sbi_plan_rails rails = {.source_name = "SRC",
                                         .target_name = "DST",
                                         .target_root = row->target_root,
                                         .home = "/home/me",
                                         .force = force};
    sbx_error err = {0};
    int rc;

    fill_row(&source, &target, row);
    if (row->source == SBI_TREE_FILE) /* there is no such plan */
        rc = sbi_plan_check(&plan, &source, &mirror, &rails, &err);
    else {
        ck_assert_int_eq(sbi_plan_make(&source, &target, &mirror, &plan, NULL), SBX_OK);
        rc = sbi_plan_check(&plan, &source, &mirror, &rails, &err);
    }
    ck_assert_int_eq(rc, refusal == NULL ? SBX_OK : SBX_ERR_INVALID);
    ck_assert_msg(refusal == NULL || strstr(err.text, refusal) != NULL, "%s", err.text);
    ck_assert_int_eq(sbi_plan_check(&plan, &source, &plain, &rails, &err), SBX_OK);
}

START_TEST(a_mirror_stops_before_it_deletes_what_nobody_meant)
{
    static const char *const empty_source = "'SRC' is empty";
    static const char *const half = "over half of it would go, 6 of 10 entries";
    static const struct rails_row rows[] = {
        {"/data/x", SBI_TREE_FOLDER, 5, 5, false, NULL, NULL},
        {"/data/x", SBI_TREE_FOLDER, 4, 6, false, half, NULL},
        {"/data/x", SBI_TREE_FOLDER, 0, 1, false, empty_source, NULL},
        {"/data/x", SBI_TREE_FOLDER, 0, 0, false, NULL, NULL},
        {"/data/x", SBI_TREE_FOLDER, 9, 1, true, "'SRC' could not be read whole",
         "'SRC' could not be read whole"},
        {"/data/x", SBI_TREE_FOLDER, 9, 0, true, NULL, NULL},
        {"/data/x", 0, 0, 1, false, "'SRC' is missing", "'SRC' is missing"},
        {"/data/x", SBI_TREE_UNREAD, 0, 1, true, "'SRC' could not be read",
         "'SRC' could not be read"},
        {"/data/x", SBI_TREE_FILE, 0, 0, false, "'SRC' is not a folder",
         "'SRC' is not a folder"},
        {"/", SBI_TREE_FOLDER, 9, 1, false, "is the root of all files",
         "is the root of all files"},
        {"//./", SBI_TREE_FOLDER, 9, 1, false, "is the root of all files",
         "is the root of all files"},
        {"/home", SBI_TREE_FOLDER, 9, 1, false, "'/home' holds the home folder",
         "'/home' holds the home folder"},
        {"/home/", SBI_TREE_FOLDER, 9, 1, false, "holds the home folder",
         "holds the home folder"},
        {"/home/me", SBI_TREE_FOLDER, 9, 1, false, "is the home folder", NULL},
        {"/home//me/.", SBI_TREE_FOLDER, 9, 1, false, "is the home folder", NULL},
        {"/home/me/x", SBI_TREE_FOLDER, 9, 1, false, NULL, NULL},
        {"/home/m", SBI_TREE_FOLDER, 9, 1, false, NULL, NULL},
        {"/home/mee", SBI_TREE_FOLDER, 9, 1, false, NULL, NULL},
        {"/hom", SBI_TREE_FOLDER, 9, 1, false, NULL, NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_rails(&rows[i], false, rows[i].refusal);
        check_rails(&rows[i], true, rows[i].forced);
    }
}
END_TEST

START_TEST(a_mirror_stops_when_a_mount_of_the_source_is_gone)
{
    struct sbi_tree_item items[] = {
        ROOT,           FILE_AT("a", 1, 1, 0),      FILE_AT("b", 1, 1, 0),
        FOLDER("data"), FILE_AT("data/x", 1, 1, 0), {0}};
    const struct sbi_plan_rails rails = {
        .source_name = "SRC", .target_name = "DST", .target_root = "/x"};
    SBI_AUTO_TREE mounted = {0};
    SBI_AUTO_TREE bare = {0};
    SBI_AUTO_MEMORY memory = {0};
    SBI_AUTO_PLAN plan = {0};
    const struct sbi_plan_opts opts = {.flags = SBI_PLAN_DELETE, .memory = &memory};
    sbx_error err;

    items[0].device = 1;
    items[3].device = 2;
    fill(&mounted, items);
    items[3].device = 1;
    items[4] = (struct sbi_tree_item){0};
    fill(&bare, items);
    ck_assert_int_eq(sbi_memory_set(&memory, &mounted, &mounted, NULL), SBX_OK);
    ck_assert_int_eq(sbi_plan_make(&bare, &mounted, &opts, &plan, NULL), SBX_OK);
    ck_assert_int_eq(sbi_plan_check(&plan, &bare, &opts, &rails, &err), SBX_ERR_INVALID);
    ck_assert_str_eq(err.text, "nothing is deleted in 'DST': 'data' was a mount at the "
                               "last sync, and is none now");
    ck_assert_str_ne(err.fix, "");
}
END_TEST

static void token_of(const struct sbi_tree_item *of_source,
                     const struct sbi_tree_item *of_target,
                     const struct sbi_plan_opts *opts, char out[65])
{
    SBI_AUTO_TREE source = {0};
    SBI_AUTO_TREE target = {0};
    SBI_AUTO_PLAN plan = {0};

    fill(&source, of_source);
    fill(&target, of_target);
    ck_assert_int_eq(sbi_plan_make(&source, &target, opts, &plan, NULL), SBX_OK);
    ck_assert_int_eq(sbi_plan_token(&plan, &source, &target, opts, out, NULL), SBX_OK);
    ck_assert_uint_eq(strspn(out, "0123456789abcdef"), 64);
}

START_TEST(a_token_stands_for_one_plan_of_two_trees)
{
    static const struct sbi_tree_item here[] = {ROOT, FILE_AT("a", 1, 1, 0), {0}};
    static const struct sbi_tree_item later[] = {ROOT, FILE_AT("a", 1, 2, 0), {0}};
    static const struct sbi_tree_item there[] = {ROOT, FILE_AT("b", 1, 1, 0), {0}};
    SBI_AUTO_EXCLUDE exclude = rules("b");
    const struct sbi_plan_opts keep = {.flags = SBI_PLAN_DELETE, .exclude = exclude};
    char first[65], again[65], other[65];

    token_of(here, there, &mirror, first);
    token_of(here, there, &mirror, again);
    ck_assert_str_eq(first, again);
    token_of(later, there, &mirror, other);
    ck_assert_str_ne(first, other);
    token_of(here, here, &mirror, other);
    ck_assert_str_ne(first, other);
    token_of(here, there, &plain, other);
    ck_assert_str_ne(first, other);
    token_of(here, there, &keep, other);
    ck_assert_str_ne(first, other);
}
END_TEST

START_TEST(every_action_and_reason_has_words)
{
    int i;

    for (i = 0; i <= SBI_PLAN_REMOVE; i++)
        ck_assert_str_ne(sbi_plan_what_name(i), "unknown");
    for (i = 0; i <= SBI_WHY_HOLDS_KEPT; i++)
        ck_assert_str_ne(sbi_plan_why_text(i), "unknown");
    ck_assert_str_eq(sbi_plan_what_name(99), "unknown");
    ck_assert_str_eq(sbi_plan_why_text(-1), "unknown");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_new_tree_is_made_from_the_root_down);
    tcase_add_test(tests, files_differ_by_size_time_or_mode);
    tcase_add_test(tests, a_time_is_compared_as_far_as_both_sides_keep_it);
    tcase_add_test(tests, links_are_compared_by_what_they_point_to);
    tcase_add_test(tests, a_folder_gets_its_time_again_when_something_is_done_in_it);
    tcase_add_test(tests, a_root_that_exists_keeps_its_mode_and_time);
    tcase_add_test(tests,
                   what_is_in_the_target_alone_goes_only_on_request_and_deepest_first);
    tcase_add_test(tests, what_is_excluded_is_neither_sent_nor_deleted);
    tcase_add_test(tests, what_a_walk_left_out_in_the_target_is_kept);
    tcase_add_test(tests, what_could_not_be_read_is_left_alone_on_both_sides);
    tcase_add_test(tests, fifos_sockets_and_devices_are_skipped_and_named);
    tcase_add_test(tests, file_link_and_folder_swap_places);
    tcase_add_test(tests, a_folder_with_content_gives_way_only_in_a_mirror);
    tcase_add_test(tests, a_root_of_another_kind_is_refused);
    tcase_add_test(tests, hard_links_are_tied_again);
    tcase_add_test(tests, a_mode_is_not_set_through_a_hard_link_of_the_target);
    tcase_add_test(tests, contents_decide_where_they_were_compared);
    tcase_add_test(tests, a_file_replaced_under_the_same_size_and_time_is_a_doubt);
    tcase_add_test(tests, what_the_far_side_cannot_keep_is_not_sent_for_ever);
    tcase_add_test(tests, totals_are_what_the_lists_say);
    tcase_add_test(tests, a_mirror_stops_before_it_deletes_what_nobody_meant);
    tcase_add_test(tests, a_mirror_stops_when_a_mount_of_the_source_is_gone);
    tcase_add_test(tests, a_token_stands_for_one_plan_of_two_trees);
    tcase_add_test(tests, every_action_and_reason_has_words);
}
