/*
 * sync_ignored_dump.c - prints what our rules leave behind, for the test against git.
 *
 * Usage: sync_ignored_dump ROOT. Prints, each with a NUL behind it, the paths that the
 * walk of ROOT marks as left behind, as `--git` would. Exits 1 where the walk fails.
 */
#include "base/clock.h"
#include "sync/tree_local.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    SBI_AUTO_EXCLUDE exclude = NULL;
    SBI_AUTO_TREE tree = {0};
    struct sbi_tree_local_opts opts = {
        .flags = SBI_LOCAL_GITIGNORE | SBI_LOCAL_MARK_HIDDEN, .deadline = SBI_NEVER};
    sbx_error err = {0};
    size_t i;
    int rc;

    if (argc != 2)
        return 2;
    rc = sbi_exclude_new(&exclude, &err);
    if (rc == SBX_OK)
        rc = sbi_exclude_add_git(exclude, argv[1], &err);
    opts.exclude = exclude;
    if (rc == SBX_OK)
        rc = sbi_tree_local(argv[1], &opts, &tree, NULL, &err);
    if (rc < 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (i = 0; i < tree.count; i++)
        if (tree.entries[i].kind == SBI_TREE_HIDDEN)
            (void)printf("%s%c", sbi_tree_path(&tree, i), '\0');
    return 0;
}
