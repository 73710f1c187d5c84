/* plan_rails.c - what a mirror must not delete, whatever the plan says. */
#include "sync/plan.h"

#include <string.h>

struct rail {
    const struct sbi_plan *plan;
    const struct sbi_tree *source;
    const struct sbi_plan_opts *opts;
    const struct sbi_plan_rails *given;
};

static int refuse(const struct rail *rail, sbx_error *err, const char *name,
                  const char *why)
{
    return sbi_fail(err, SBX_ERR_INVALID, "nothing is deleted in '%s': '%s' %s",
                    rail->given->target_name, name, why);
}

static int check_source(const struct rail *rail, sbx_error *err)
{
    const struct sbi_tree *source = rail->source;
    const char *why = NULL;

    if (source->count == 0)
        why = "is missing";
    else if (source->entries[0].path_length > 0)
        return SBX_OK;
    else if (source->entries[0].kind == SBI_TREE_UNREAD)
        why = "could not be read";
    else if (source->entries[0].kind != SBI_TREE_FOLDER)
        why = "is not a folder";
    return why == NULL ? SBX_OK : refuse(rail, err, rail->given->source_name, why);
}

/* The next name of a path, *length bytes; NULL behind the last. */
static const char *next_name(const char *path, size_t *length)
{
    path += strspn(path, "/");
    while (path[0] == '.' && (path[1] == '/' || path[1] == '\0')) {
        path++;
        path += strspn(path, "/");
    }
    *length = strcspn(path, "/");
    return *length == 0 ? NULL : path;
}

/* 1: path is the folder itself, 2: the folder is in it, 0: neither. */
static int is_above(const char *path, const char *folder)
{
    size_t mine, theirs;
    const char *name, *other;

    for (;;) {
        name = next_name(path, &mine);
        other = next_name(folder, &theirs);
        if (name == NULL)
            return other == NULL ? 1 : 2;
        if (other == NULL || mine != theirs || memcmp(name, other, mine) != 0)
            return 0;
        path = name + mine;
        folder = other + theirs;
    }
}

static int check_above(const struct rail *rail, sbx_error *err)
{
    const char *home = rail->given->home;

    if (is_above(rail->given->target_root, "/") == 1)
        return refuse(rail, err, rail->given->target_root, "is the root of all files");
    if (home != NULL && is_above(rail->given->target_root, home) == 2)
        return refuse(rail, err, rail->given->target_root, "holds the home folder");
    return SBX_OK;
}

static int check_home(const struct rail *rail, sbx_error *err)
{
    const char *home = rail->given->home;

    if (home != NULL && is_above(rail->given->target_root, home) == 1)
        return refuse(rail, err, rail->given->target_root, "is the home folder");
    return SBX_OK;
}

/* What is not known to be gone is not deleted, whoever insists: it can be left out. */
static int check_part(const struct rail *rail, sbx_error *err)
{
    int rc;

    if (rail->plan->removed_count == 0 || !rail->source->partial)
        return SBX_OK;
    rc = refuse(rail, err, rail->given->source_name, "could not be read whole");
    return sbi_fix(err, rc, NULL,
                   "make it readable, or leave that part out by --exclude");
}

static int check_mount(const struct rail *rail, sbx_error *err)
{
    const char *lost = NULL;

    if (rail->plan->removed_count > 0 && (rail->opts->flags & SBI_PLAN_PULL) == 0)
        lost = sbi_memory_lost_mount(rail->opts->memory, rail->source);
    if (lost == NULL)
        return SBX_OK;
    return refuse(rail, err, lost[0] == '\0' ? rail->given->source_name : lost,
                  "was a mount at the last sync, and is none now");
}

static int check_empty(const struct rail *rail, sbx_error *err)
{
    if (rail->plan->removed_count > 0 && rail->source->count == 1)
        return refuse(rail, err, rail->given->source_name, "is empty");
    return SBX_OK;
}

static int check_half(const struct rail *rail, sbx_error *err)
{
    unsigned long long gone = rail->plan->removed_count, all = rail->plan->target_count;

    if (gone * 2 <= all)
        return SBX_OK;
    return sbi_fail(err, SBX_ERR_INVALID,
                    "nothing is deleted in '%s': over half of it would go, %llu of %llu "
                    "entries",
                    rail->given->target_name, gone, all);
}

int sbi_plan_check(const struct sbi_plan *plan, const struct sbi_tree *source,
                   const struct sbi_plan_opts *opts, const struct sbi_plan_rails *rails,
                   sbx_error *err)
{
    static const struct {
        int (*check)(const struct rail *rail, sbx_error *err);
        bool is_firm; /* not even force lifts it */
    } checks[] = {{check_source, true}, {check_above, true},  {check_home, false},
                  {check_part, true},   {check_mount, false}, {check_empty, false},
                  {check_half, false}};
    struct rail rail = {plan, source, opts, rails};
    size_t i;
    int rc = SBX_OK;

    if ((opts->flags & SBI_PLAN_DELETE) == 0)
        return SBX_OK;
    for (i = 0; rc == SBX_OK && i < sizeof(checks) / sizeof(checks[0]); i++) {
        if (rails->force && !checks[i].is_firm)
            continue;
        rc = checks[i].check(&rail, err);
        if (rc < 0 && !checks[i].is_firm)
            rc = sbi_fix(err, rc, NULL, "look at it with --dry-run; --force deletes");
    }
    return rc;
}
