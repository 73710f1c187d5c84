/*
 * memory_file.c - a memory as a file: written whole, believed only if it is whole.
 *
 *     "sbx memory 1\n"  the three names, each with its NUL
 *     number of rows, then path, here, there of each; number of mounts; each with its
 *     NUL; the note with its NUL; SHA-256 of all before it
 *
 * Numbers are eight bytes, the lowest first.
 */
#include "sync/memory.h"

#include "base/digest.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "base/strv.h"

#include <string.h>

#define MAGIC "sbx memory 1\n"
#define FILE_LIMIT ((size_t)512 * 1024 * 1024)
#define NOTE_LIMIT 4096
#define HASH 32
#define NUMBER 8
#define ROW (3 * NUMBER)

/* What is left to read of a file. */
struct rest {
    const char *at;
    size_t left;
};

static void add_number(struct sbi_str *text, uint64_t number)
{
    char bytes[NUMBER];
    int i;

    for (i = 0; i < NUMBER; i++)
        bytes[i] = (char)(number >> (8 * i) & 0xff);
    sbi_str_add_bytes(text, bytes, sizeof(bytes));
}

static void add_text(struct sbi_str *text, const char *word)
{
    sbi_str_add_bytes(text, word, strlen(word) + 1);
}

/* What a memory begins with; its hash is its name. */
static int head_of(const char *local_root, const char *place, const char *far_root,
                   struct sbi_str *out, sbx_error *err)
{
    sbi_str_add(out, MAGIC);
    add_text(out, local_root);
    add_text(out, place);
    add_text(out, far_root);
    if (out->status != SBX_OK)
        return sbi_fail(err, out->status, "name the memory of a sync: out of memory");
    return SBX_OK;
}

static int file_of(const struct sbi_str *head, char **out, sbx_error *err)
{
    SBI_AUTO_STR tail = {0};
    SBI_AUTOFREE char *name = NULL;
    unsigned char hash[HASH];
    size_t i;
    int rc = sbi_sha256(head->data, head->length, hash, err);

    if (rc < 0)
        return rc;
    sbi_str_add(&tail, "sync/");
    for (i = 0; i < HASH / 2; i++)
        sbi_str_addf(&tail, "%02x", hash[i]);
    rc = sbi_str_take(&tail, &name, err);
    return rc < 0 ? rc : sbi_path_user(SBI_PATH_STATE, name, out, err);
}

static bool read_number(struct rest *rest, uint64_t *out)
{
    uint64_t number = 0;
    int i;

    if (rest->left < NUMBER)
        return false;
    for (i = NUMBER - 1; i >= 0; i--)
        number = number << 8 | (unsigned char)rest->at[i];
    rest->at += NUMBER;
    rest->left -= NUMBER;
    *out = number;
    return true;
}

static const char *read_text(struct rest *rest)
{
    const char *text = rest->at;
    const char *nul = memchr(text, '\0', rest->left);

    if (nul == NULL)
        return NULL;
    rest->left -= (size_t)(nul - text) + 1;
    rest->at = nul + 1;
    return text;
}

static bool read_rows(struct rest *rest, struct sbi_memory *memory)
{
    uint64_t count, last = 0;
    size_t i;

    if (!read_number(rest, &count) || count > rest->left / ROW)
        return false;
    memory->rows = calloc((size_t)count + 1, sizeof(*memory->rows));
    if (memory->rows == NULL)
        return false;
    for (i = 0; i < count; i++) {
        struct sbi_memory_row *row = &memory->rows[i];

        (void)read_number(rest, &row->path);
        (void)read_number(rest, &row->here);
        (void)read_number(rest, &row->there);
        if (row->path < last)
            return false;
        last = row->path;
    }
    memory->count = (size_t)count;
    return true;
}

static bool read_mounts(struct rest *rest, struct sbi_memory *memory)
{
    const char *mount;
    uint64_t count, i;

    if (!read_number(rest, &count))
        return false;
    for (i = 0; i < count; i++) {
        mount = read_text(rest);
        if (mount == NULL || sbi_strv_add(&memory->mounts, mount, NULL) != SBX_OK)
            return false;
    }
    return true;
}

static bool read_note(struct rest *rest, struct sbi_memory *memory)
{
    const char *note = read_text(rest);

    if (note == NULL)
        return false;
    memory->note = note[0] == '\0' ? NULL : strdup(note);
    return note[0] == '\0' || memory->note != NULL;
}

static bool is_whole(const char *text, size_t length)
{
    unsigned char hash[HASH];

    return length >= HASH && sbi_sha256(text, length - HASH, hash, NULL) == SBX_OK &&
           memcmp(text + length - HASH, hash, HASH) == 0;
}

static bool parse(const char *text, size_t length, const struct sbi_str *head,
                  struct sbi_memory *memory)
{
    struct rest rest;

    if (length < head->length + HASH || memcmp(text, head->data, head->length) != 0 ||
        !is_whole(text, length))
        return false;
    rest = (struct rest){text + head->length, length - head->length - HASH};
    return read_rows(&rest, memory) && read_mounts(&rest, memory) &&
           read_note(&rest, memory) && rest.left == 0;
}

int sbi_memory_load(const char *local_root, const char *place, const char *far_root,
                    struct sbi_memory *out, sbx_error *err)
{
    SBI_AUTO_STR head = {0};
    SBI_AUTO_MEMORY memory = {0};
    SBI_AUTOFREE char *path = NULL;
    SBI_AUTOFREE char *text = NULL;
    sbx_error why;
    size_t length;
    int rc = head_of(local_root, place, far_root, &head, err);

    if (rc == SBX_OK)
        rc = file_of(&head, &path, err);
    if (rc < 0)
        return rc;
    rc = sbi_path_read(path, FILE_LIMIT, &text, &length, &why);
    if (rc < 0 && rc != SBX_ERR_NOT_FOUND)
        sbi_log(SBX_LOG_WARN, "the memory of the last sync is left out: %s", why.text);
    if (rc < 0)
        return SBX_OK;
    if (!parse(text, length, &head, &memory)) {
        sbi_log(SBX_LOG_WARN, "the memory of the last sync is garbled: '%s'", path);
        return SBX_OK;
    }
    sbi_memory_clear(out);
    *out = memory;
    memory = (struct sbi_memory){0};
    return SBX_OK;
}

static void add_all(struct sbi_str *text, const struct sbi_memory *memory)
{
    char *const *mounts = memory->mounts;
    size_t count = sbi_strv_count((const char *const *)mounts);
    size_t i;

    add_number(text, memory->count);
    for (i = 0; i < memory->count; i++) {
        add_number(text, memory->rows[i].path);
        add_number(text, memory->rows[i].here);
        add_number(text, memory->rows[i].there);
    }
    add_number(text, count);
    for (i = 0; i < count; i++)
        add_text(text, mounts[i]);
    add_text(text, memory->note == NULL ? "" : memory->note);
}

int sbi_memory_save(const struct sbi_memory *memory, const char *local_root,
                    const char *place, const char *far_root, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = FILE_LIMIT};
    SBI_AUTOFREE char *path = NULL;
    unsigned char hash[HASH];
    int rc = head_of(local_root, place, far_root, &text, err);

    if (memory->note != NULL && strlen(memory->note) > NOTE_LIMIT)
        return sbi_fail(err, SBX_ERR_INVALID, "a note over %d bytes", NOTE_LIMIT);
    if (rc == SBX_OK)
        rc = file_of(&text, &path, err);
    if (rc < 0)
        return rc;
    rc = sbi_path_make_parents(path, err);
    if (rc < 0)
        return rc;
    add_all(&text, memory);
    if (text.status != SBX_OK)
        return sbi_fail(err, text.status, "remember a sync: too much of it");
    rc = sbi_sha256(text.data, text.length, hash, err);
    sbi_str_add_bytes(&text, hash, sizeof(hash));
    if (rc == SBX_OK && text.status != SBX_OK)
        rc = sbi_fail(err, text.status, "remember a sync: too much of it");
    return rc < 0 ? rc : sbi_path_write(path, text.data, text.length, 0600, err);
}

void sbi_memory_forget(const char *local_root, const char *place, const char *far_root)
{
    SBI_AUTO_STR head = {0};
    SBI_AUTOFREE char *path = NULL;

    if (head_of(local_root, place, far_root, &head, NULL) == SBX_OK &&
        file_of(&head, &path, NULL) == SBX_OK)
        (void)unlink(path);
}
