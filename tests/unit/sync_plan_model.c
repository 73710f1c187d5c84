/*
 * sync_plan_model.c - carries plans out on a model of a file system, for random trees.
 *
 * The model knows what a file system insists on: a folder must be empty to go, a parent
 * must be there, hard links share mode and time, and each change in a folder moves the
 * folder's time. What comes out must be the source, and a second plan must be empty.
 */
#include "support/unit.h"

#include "sync/plan.h"

#include <stdio.h>
#include <string.h>

#define MOST 128
#define NAMES 3
#define DEPTH 3
#define ROUNDS 400
#define MOVED 1000 /* the mtime of a folder in which something was done */

/* What a file system has at one path; files of one inode share the rest. */
struct node {
    char path[16];
    int kind;
    int inode;
};

struct inode {
    unsigned mode;
    uint64_t size;
    int64_t mtime;
    char target;
    int links;
};

struct model {
    struct node nodes[MOST];
    int count;
    struct inode inodes[2 * MOST];
    int inode_count;
};

static uint32_t state;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

static int find(const struct model *model, const char *path)
{
    int i;

    for (i = 0; i < model->count; i++)
        if (strcmp(model->nodes[i].path, path) == 0)
            return i;
    return -1;
}

static int new_inode(struct model *model)
{
    int made = model->inode_count++;

    ck_assert_int_lt(made, 2 * MOST);
    model->inodes[made] = (struct inode){
        .mode = below(2) ? 0644 : 0755,
        .size = 1 + below(2),
        .mtime = 1 + below(2),
        .target = (char)('x' + below(2)),
    };
    return made;
}

static void add_node(struct model *model, const char *path, int kind, int inode)
{
    struct node *node = &model->nodes[model->count++];

    ck_assert_int_lt(model->count, MOST);
    (void)snprintf(node->path, sizeof(node->path), "%s", path);
    node->kind = kind;
    node->inode = inode;
    model->inodes[inode].links++;
}

/* A file that was made before, for another name of it; -1: none. */
static int some_file(const struct model *model)
{
    int at = model->count == 0 ? 0 : (int)below((uint32_t)model->count);

    return model->count > 0 && model->nodes[at].kind == SBI_TREE_FILE
               ? model->nodes[at].inode
               : -1;
}

static void grow(struct model *model, const char *folder, int depth, bool has_odd)
{
    static const int kinds[] = {SBI_TREE_FILE, SBI_TREE_FILE,   SBI_TREE_FILE,
                                SBI_TREE_LINK, SBI_TREE_FOLDER, SBI_TREE_FOLDER,
                                SBI_TREE_OTHER};
    int i;

    for (i = 0; i < NAMES; i++) {
        char path[16];
        int kind = kinds[below(7)];
        int inode = -1;

        if (below(10) < 4 || (kind == SBI_TREE_FOLDER && depth == 0))
            continue;
        if (has_odd && below(25) == 0)
            kind = below(2) ? SBI_TREE_HIDDEN : SBI_TREE_UNREAD;
        (void)snprintf(path, sizeof(path), "%s%s%c", folder, folder[0] ? "/" : "",
                       'a' + i);
        if (kind == SBI_TREE_FILE && below(4) == 0)
            inode = some_file(model);
        add_node(model, path, kind, inode < 0 ? new_inode(model) : inode);
        if (kind == SBI_TREE_FOLDER)
            grow(model, path, depth - 1, has_odd);
    }
}

static void make_model(struct model *model, bool has_odd)
{
    *model = (struct model){0};
    add_node(model, "", SBI_TREE_FOLDER, new_inode(model));
    grow(model, "", DEPTH - 1, has_odd);
}

static void as_tree(const struct model *model, bool knows_inodes, struct sbi_tree *tree)
{
    int i;

    for (i = 0; i < model->count; i++) {
        const struct node *node = &model->nodes[i];
        const struct inode *inode = &model->inodes[node->inode];
        char target[2] = {inode->target, '\0'};
        struct sbi_tree_item item = {
            .path = node->path,
            .path_length = strlen(node->path),
            .kind = node->kind,
            .target = node->kind == SBI_TREE_LINK ? target : NULL,
            .mode = inode->mode,
            .size = inode->size,
            .mtime = inode->mtime,
            .digits = 9,
            .device = 1,
            .inode = knows_inodes ? (uint64_t)node->inode + 1 : 0,
            .links = knows_inodes ? (uint64_t)inode->links : 0,
        };

        ck_assert_int_eq(sbi_tree_add(tree, &item, NULL), SBX_OK);
    }
    ck_assert_int_eq(sbi_tree_sort(tree, NULL), SBX_OK);
}

/* The folder that a path is in; it must be there, and its time moves. */
static void touch_parent(struct model *model, const char *path)
{
    char folder[16];
    char *slash;
    int at;

    if (path[0] == '\0')
        return;
    (void)snprintf(folder, sizeof(folder), "%s", path);
    slash = strrchr(folder, '/');
    *(slash == NULL ? folder : slash) = '\0';
    at = find(model, folder);
    ck_assert_msg(at >= 0 && model->nodes[at].kind == SBI_TREE_FOLDER, "no folder '%s'",
                  folder);
    model->inodes[model->nodes[at].inode].mtime = MOVED;
}

static bool has_content(const struct model *model, const char *path)
{
    size_t length = strlen(path);
    int i;

    for (i = 0; i < model->count; i++)
        if (strncmp(model->nodes[i].path, path, length) == 0 &&
            model->nodes[i].path[length] == '/')
            return true;
    return false;
}

static void unlink_node(struct model *model, const char *path)
{
    int at = find(model, path);

    ck_assert_msg(at >= 0, "'%s' is not there to be removed", path);
    ck_assert_msg(!has_content(model, path), "'%s' is not empty", path);
    model->inodes[model->nodes[at].inode].links--;
    model->nodes[at] = model->nodes[--model->count];
    touch_parent(model, path);
}

/* As rename does: takes the place of anything but a folder. */
static void place(struct model *model, const char *path, int kind, int inode)
{
    int at = find(model, path);

    if (at >= 0) {
        ck_assert_msg(kind != SBI_TREE_FOLDER && model->nodes[at].kind != SBI_TREE_FOLDER,
                      "'%s' is in the way", path);
        model->inodes[model->nodes[at].inode].links--;
        model->nodes[at] = model->nodes[--model->count];
    }
    add_node(model, path, kind, inode);
    touch_parent(model, path);
}

static int copied_inode(struct model *model, const struct sbi_tree *source, size_t index)
{
    const struct sbi_tree_entry *entry = &source->entries[index];
    int made = new_inode(model);

    model->inodes[made] = (struct inode){.mode = entry->mode,
                                         .size = entry->size,
                                         .mtime = entry->mtime,
                                         .target = sbi_tree_target(source, index)[0]};
    return made;
}

static void carry_out(struct model *model, const struct sbi_tree *source,
                      const struct sbi_tree *target, const struct sbi_plan_action *action)
{
    const char *path = action->source != SBI_TREE_NONE
                           ? sbi_tree_path(source, action->source)
                           : sbi_tree_path(target, action->target);
    int at = find(model, path);
    int leader;

    switch (action->what) {
    case SBI_PLAN_REMOVE:
        unlink_node(model, path);
        return;
    case SBI_PLAN_HARD_LINK:
        leader = find(model, sbi_tree_path(source, action->leader));
        ck_assert_int_ge(leader, 0);
        place(model, path, SBI_TREE_FILE, model->nodes[leader].inode);
        return;
    case SBI_PLAN_META:
        ck_assert_int_ge(at, 0);
        ck_assert_uint_eq((unsigned)model->nodes[at].kind,
                          source->entries[action->source].kind);
        model->inodes[model->nodes[at].inode].mode = source->entries[action->source].mode;
        model->inodes[model->nodes[at].inode].mtime =
            source->entries[action->source].mtime;
        return;
    default:
        place(model, path, (int)source->entries[action->source].kind,
              copied_inode(model, source, action->source));
    }
}

static void carry_out_all(struct model *model, const struct sbi_tree *source,
                          const struct sbi_tree *target, const struct sbi_plan *plan)
{
    const struct sbi_plan_list *lists[] = {&plan->clear, &plan->make, &plan->remove,
                                           &plan->finish};
    size_t i, at;

    for (i = 0; i < 4; i++)
        for (at = 0; at < lists[i]->count; at++)
            carry_out(model, source, target, &lists[i]->items[at]);
}

/* Whether a path, or a folder above it, is of one of two kinds in a tree. */
static bool lies_in(const struct sbi_tree *tree, const char *path, unsigned kind,
                    unsigned other)
{
    size_t length = strlen(path);
    size_t end, at;

    for (end = 0; end <= length; end++) {
        if (end < length && end > 0 && path[end] != '/')
            continue;
        at = sbi_tree_find(tree, path, end);
        if (at != SBI_TREE_NONE &&
            (tree->entries[at].kind == kind || tree->entries[at].kind == other))
            return true;
    }
    return false;
}

/* One round's two trees, and what may be done to them. */
struct round {
    struct sbi_tree source;
    struct sbi_tree target;
    struct sbi_plan_opts opts;
    struct sbi_plan plan;
};

static bool is_excluded(const struct round *round, const struct sbi_tree *tree,
                        const char *path)
{
    size_t at = sbi_tree_find(tree, path, strlen(path));

    return round->opts.exclude != NULL && at != SBI_TREE_NONE &&
           sbi_exclude_path(round->opts.exclude, path, strlen(path),
                            tree->entries[at].kind == SBI_TREE_FOLDER);
}

/* What the rules of plan.h keep a plan from touching, said in another way than there. */
static bool is_off_limits(const struct round *round, const char *path)
{
    return lies_in(&round->source, path, SBI_TREE_HIDDEN, SBI_TREE_UNREAD) ||
           lies_in(&round->target, path, SBI_TREE_HIDDEN, SBI_TREE_UNREAD) ||
           lies_in(&round->source, path, SBI_TREE_OTHER, SBI_TREE_OTHER) ||
           is_excluded(round, &round->source, path);
}

static bool holds_off_limits(const struct round *round, const char *path)
{
    size_t length = strlen(path);
    size_t i;

    for (i = 0; i < round->target.count; i++) {
        const char *other = sbi_tree_path(&round->target, i);

        if (strncmp(other, path, length) == 0 &&
            (other[length] == '/' || other[length] == '\0') &&
            (is_off_limits(round, other) || is_excluded(round, &round->target, other)))
            return true;
    }
    return false;
}

static bool was_skipped(const struct round *round, const char *path)
{
    const struct sbi_plan_list *skipped = &round->plan.skipped;
    size_t i;

    for (i = 0; i < skipped->count; i++) {
        const struct sbi_plan_action *skip = &skipped->items[i];
        const char *at = skip->source != SBI_TREE_NONE
                             ? sbi_tree_path(&round->source, skip->source)
                             : sbi_tree_path(&round->target, skip->target);
        size_t length = strlen(at);

        if (skip->source != SBI_TREE_NONE && strncmp(path, at, length) == 0 &&
            (path[length] == '/' || path[length] == '\0'))
            return true;
    }
    return false;
}

/* The target's entry of a path is what the source says. */
static void check_made(const struct round *round, const struct model *model, size_t index)
{
    const struct sbi_tree_entry *entry = &round->source.entries[index];
    const char *path = sbi_tree_path(&round->source, index);
    int at = find(model, path);
    const struct inode *inode;

    ck_assert_msg(at >= 0, "'%s' was not made", path);
    inode = &model->inodes[model->nodes[at].inode];
    ck_assert_msg((unsigned)model->nodes[at].kind == entry->kind, "'%s': kind", path);
    if (entry->kind == SBI_TREE_LINK)
        ck_assert_int_eq(inode->target, sbi_tree_target(&round->source, index)[0]);
    if (entry->kind == SBI_TREE_FILE)
        ck_assert_msg(inode->size == entry->size, "'%s': content", path);
    if (entry->kind != SBI_TREE_LINK && entry->path_length > 0)
        ck_assert_msg(inode->mode == entry->mode && inode->mtime == entry->mtime,
                      "'%s': mode %o for %o, time %d for %d", path, inode->mode,
                      (unsigned)entry->mode, (int)inode->mtime, (int)entry->mtime);
}

/* Names of one file in the source are names of one file in the target. */
static void check_tied(const struct round *round, const struct model *model)
{
    size_t i, j;

    for (i = 0; i < round->source.count; i++) {
        for (j = i + 1; j < round->source.count; j++) {
            const struct sbi_tree_entry *a = &round->source.entries[i];
            const struct sbi_tree_entry *b = &round->source.entries[j];
            int of_a = find(model, sbi_tree_path(&round->source, i));
            int of_b = find(model, sbi_tree_path(&round->source, j));

            if (a->kind == SBI_TREE_FILE && b->kind == SBI_TREE_FILE && a->inode != 0 &&
                a->inode == b->inode &&
                !was_skipped(round, sbi_tree_path(&round->source, i)) &&
                !was_skipped(round, sbi_tree_path(&round->source, j)))
                ck_assert_int_eq(model->nodes[of_a].inode, model->nodes[of_b].inode);
        }
    }
}

static void check_target(const struct round *round, const struct model *model,
                         size_t index)
{
    const char *path = sbi_tree_path(&round->target, index);
    bool is_there = find(model, path) >= 0;
    bool mirrors = (round->opts.flags & SBI_PLAN_DELETE) != 0;

    if (sbi_tree_find(&round->source, path, strlen(path)) != SBI_TREE_NONE)
        return;
    if (holds_off_limits(round, path) || was_skipped(round, path))
        ck_assert_msg(is_there, "'%s' had to stay", path);
    else if (mirrors)
        ck_assert_msg(!is_there, "'%s' had to go", path);
    else
        ck_assert_msg(is_there, "'%s' went without being asked", path);
}

static void check_round(const struct round *round, const struct model *model,
                        bool knows_inodes)
{
    SBI_AUTO_TREE result = {0};
    SBI_AUTO_PLAN again = {0};
    size_t i;

    for (i = 0; i < round->source.count; i++) {
        const char *path = sbi_tree_path(&round->source, i);

        if (is_off_limits(round, path))
            ck_assert_msg(was_skipped(round, path), "'%s' was not skipped", path);
        if (!was_skipped(round, path))
            check_made(round, model, i);
    }
    for (i = 0; i < round->target.count; i++)
        check_target(round, model, i);
    if (knows_inodes && (round->opts.flags & SBI_PLAN_NO_HARD_LINKS) == 0)
        check_tied(round, model);
    as_tree(model, knows_inodes, &result);
    ck_assert_int_eq(sbi_plan_make(&round->source, &result, &round->opts, &again, NULL),
                     SBX_OK);
    ck_assert_msg(sbi_plan_is_empty(&again), "a second plan is not empty");
}

static struct sbi_exclude *some_rules(void)
{
    static const char *const texts[] = {"a/\n", "b\n", "*/c\n", "/a/b\n", "c/*\n!c/a\n"};
    const char *text = texts[below(5)];
    struct sbi_exclude *exclude = NULL;

    ck_assert_int_eq(sbi_exclude_new(&exclude, NULL), SBX_OK);
    ck_assert_int_eq(
        sbi_exclude_add_text(exclude, SBI_EXCLUDE_OPTION, "", text, strlen(text), NULL),
        SBX_OK);
    return exclude;
}

static void play(unsigned flags, bool has_rules, bool has_odd, bool knows_inodes)
{
    SBI_AUTO_EXCLUDE exclude = has_rules ? some_rules() : NULL;
    struct round round = {.opts = {.flags = flags, .exclude = exclude}};
    struct model source, target;

    make_model(&source, has_odd);
    make_model(&target, has_odd);
    as_tree(&source, knows_inodes, &round.source);
    as_tree(&target, knows_inodes, &round.target);
    ck_assert_int_eq(
        sbi_plan_make(&round.source, &round.target, &round.opts, &round.plan, NULL),
        SBX_OK);
    carry_out_all(&target, &round.source, &round.target, &round.plan);
    check_round(&round, &target, knows_inodes);
    sbi_tree_clear(&round.source);
    sbi_tree_clear(&round.target);
    sbi_plan_clear(&round.plan);
}

static void play_many(unsigned flags, bool has_rules, bool has_odd)
{
    uint32_t i;

    for (i = 0; i < ROUNDS; i++) {
        state = 2463534242u + i * 7919;
        play(flags, has_rules, has_odd, i % 4 != 0);
    }
}

START_TEST(a_plan_makes_the_target_like_the_source_and_leaves_the_rest)
{
    play_many(0, false, false);
}
END_TEST

START_TEST(a_mirror_makes_the_target_the_source)
{
    play_many(SBI_PLAN_DELETE, false, false);
}
END_TEST

START_TEST(with_rules_what_is_excluded_stays_as_it_is)
{
    play_many(0, true, false);
    play_many(SBI_PLAN_DELETE, true, false);
}
END_TEST

START_TEST(what_is_hidden_or_unread_stays_as_it_is)
{
    play_many(0, false, true);
    play_many(SBI_PLAN_DELETE, true, true);
}
END_TEST

START_TEST(without_hard_links_each_name_is_a_file_of_its_own)
{
    play_many(SBI_PLAN_DELETE | SBI_PLAN_NO_HARD_LINKS, false, false);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_plan_makes_the_target_like_the_source_and_leaves_the_rest);
    tcase_add_test(tests, a_mirror_makes_the_target_the_source);
    tcase_add_test(tests, with_rules_what_is_excluded_stays_as_it_is);
    tcase_add_test(tests, what_is_hidden_or_unread_stays_as_it_is);
    tcase_add_test(tests, without_hard_links_each_name_is_a_file_of_its_own);
}
