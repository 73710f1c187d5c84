/*
 * sync_exclude.c - any bytes as rules and as paths, which come behind a blank line.
 *
 * The rules are asked from the root and from a folder; the answer of a path must follow
 * from those of its folders.
 */
#include "sync/exclude.h"
#include "sync/exclude_git_config.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct sbi_exclude *exclude, const char *path, size_t length)
{
    bool whole = sbi_exclude_path(exclude, path, length, false);
    bool own = length > 0 && sbi_exclude_entry(exclude, path, length, false);
    size_t slash = length;

    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    if (own && !whole)
        abort();
    if (slash > 1 && whole != (own || sbi_exclude_path(exclude, path, slash - 1, true)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *paths = size == 0 ? NULL : memmem(text, size, "\n\n", 2);
    size_t rules = paths == NULL ? size : (size_t)(paths - text);
    size_t left = size - rules;
    SBI_AUTO_EXCLUDE exclude = NULL;
    SBI_AUTOFREE char *value = NULL;

    if (sbi_exclude_new(&exclude, NULL) != SBX_OK ||
        sbi_exclude_add_text(exclude, SBI_EXCLUDE_GITIGNORE, "", text, rules, NULL) !=
            SBX_OK ||
        sbi_exclude_add_text(exclude, SBI_EXCLUDE_INCLUDE, "a", text, rules, NULL) !=
            SBX_OK)
        abort();
    (void)sbi_git_config_excludes(text, size, &value, NULL);
    while (left > 0) {
        const char *end = memchr(paths, '\n', left);
        size_t length = end == NULL ? left : (size_t)(end - paths);

        ask(exclude, paths, length);
        paths += length + (end != NULL ? 1 : 0);
        left -= length + (end != NULL ? 1 : 0);
    }
    return 0;
}
