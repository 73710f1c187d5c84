/*
 * recall.c - one file for each pair of roots: a line, five texts that each end in NUL,
 * the listing. It is not synced to the disk: what a power cut leaves of it is not whole,
 * and so nothing.
 */
#include "sync/recall.h"

#include "base/digest.h"
#include "base/path.h"
#include "base/write.h"
#include "sync/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define SIGN "sbx recall 2\n"
#define LIMIT ((size_t)1 << 30)

static int file_of(const char *local, const char *place, const char *remote, char **out,
                   sbx_error *err)
{
    SBI_AUTO_STR key = {0};
    unsigned char digest[32];
    char name[96];
    int rc;

    sbi_str_add_bytes(&key, local, strlen(local) + 1);
    sbi_str_add_bytes(&key, place, strlen(place) + 1);
    sbi_str_add_bytes(&key, remote, strlen(remote) + 1);
    if (key.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_sha256(key.data, key.length, digest, err);
    if (rc < 0)
        return rc;
    memcpy(name, "sync/", 5);
    sbi_hex(digest, 16, name + 5);
    memcpy(name + 37, ".far", 5);
    return sbi_path_user(SBI_PATH_STATE, name, out, err);
}

static const char *take_text(const char **at, const char *end)
{
    const char *text = *at;
    const char *nul = memchr(text, '\0', (size_t)(end - text));

    *at = nul == NULL ? end : nul + 1;
    return nul == NULL ? NULL : text;
}

void sbi_recall_load(const char *local, const char *place, const char *remote,
                     struct sbi_recall *out)
{
    SBI_AUTOFREE char *path = NULL;
    SBI_AUTO_RECALL recall = {0};
    const char **texts[] = {&recall.hash, &recall.facts, &recall.folder, &recall.name,
                            &recall.home};
    const char *at, *end;
    size_t i;

    if (file_of(local, place, remote, &path, NULL) < 0 ||
        sbi_path_read(path, LIMIT, &recall.text, &recall.length, NULL) < 0 ||
        strncmp(recall.text, SIGN, strlen(SIGN)) != 0)
        return;
    at = recall.text + strlen(SIGN);
    end = recall.text + recall.length;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if ((*texts[i] = take_text(&at, end)) == NULL)
            return;
    if (strlen(recall.hash) != 64)
        return;
    recall.listing = at;
    recall.length = (size_t)(end - at);
    *out = recall;
    recall = (struct sbi_recall){0};
}

int sbi_recall_tree(const struct sbi_recall *recall, struct sbi_tree *out, sbx_error *err)
{
    SBI_AUTO_TREE tree = {0};
    SBI_AUTO_MANIFEST_READER reader = {.tree = &tree};
    int rc = sbi_manifest_feed(&reader, recall->listing, recall->length, err);

    if (rc == SBX_OK)
        rc = sbi_manifest_finish(&reader, err);
    if (rc < 0)
        return rc;
    *out = tree;
    tree = (struct sbi_tree){0};
    return SBX_OK;
}

static int write_text(int fd, const struct sbi_str *text, sbx_error *err)
{
    errno = sbi_write_all(fd, text->data, text->length);
    return errno == 0 ? SBX_OK : sbi_fail_errno(err, SBX_ERR_IO, "write");
}

static int write_tree(int fd, const struct sbi_recall *recall,
                      const struct sbi_tree *tree, sbx_error *err)
{
    const char *const texts[] = {recall->hash, recall->facts, recall->folder,
                                 recall->name, recall->home};
    SBI_AUTO_STR text = {0};
    size_t i;
    int rc = SBX_OK;

    sbi_str_add(&text, SIGN);
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        sbi_str_add_bytes(&text, texts[i], strlen(texts[i]) + 1);
    for (i = 0; i < tree->count && rc == SBX_OK; i++) {
        sbi_manifest_add(&text, tree, i);
        if (text.length < 256 * 1024)
            continue;
        rc = write_text(fd, &text, err);
        text.length = 0;
    }
    sbi_manifest_add_end(&text, 0);
    if (text.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return rc == SBX_OK ? write_text(fd, &text, err) : rc;
}

static int make_folder(const char *path, sbx_error *err)
{
    SBI_AUTOFREE char *folder = strdup(path);

    if (folder == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *strrchr(folder, '/') = '\0';
    return sbi_path_make_folders(folder, err);
}

int sbi_recall_save(const char *local, const char *place, const char *remote,
                    const struct sbi_recall *recall, const struct sbi_tree *tree,
                    sbx_error *err)
{
    SBI_AUTOFREE char *path = NULL;
    SBI_AUTO_STR aside = {0};
    SBI_AUTOCLOSE int fd = -1;
    char run[17];
    int rc = file_of(local, place, remote, &path, err);

    if (rc == SBX_OK)
        rc = make_folder(path, err);
    if (rc == SBX_OK)
        rc = sbi_random_hex(run, 4, err);
    if (rc < 0)
        return rc;
    sbi_str_addf(&aside, "%s.%s", path, run);
    if (aside.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    fd = open(aside.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "write '%s'", aside.data);
    rc = write_tree(fd, recall, tree, err);
    if (rc == SBX_OK && rename(aside.data, path) < 0)
        rc = sbi_fail_errno(err, SBX_ERR_IO, "write '%s'", path);
    if (rc < 0)
        (void)unlink(aside.data);
    return rc;
}

void sbi_recall_forget(const char *local, const char *place, const char *remote)
{
    SBI_AUTOFREE char *path = NULL;

    if (file_of(local, place, remote, &path, NULL) == SBX_OK)
        (void)unlink(path);
}

void sbi_recall_clear(struct sbi_recall *recall)
{
    free(recall->text);
    *recall = (struct sbi_recall){0};
}
