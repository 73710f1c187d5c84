/*
 * known_hosts_add.c - writes a host's key down.
 *
 * ssh appends to the same file without a lock and ssh-keygen replaces it by
 * rename. So a line goes out in one write to a descriptor that appends, and the
 * lock counts only while the path still leads to the file that is locked.
 */
#include "transport/known_hosts.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/flock.h"
#include "base/path.h"
#include "base/str.h"
#include "transport/known_hosts_line.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define LOCK_WAIT_MS 30000
#define SALT_SIZE 20
#define WORD_LIMIT 1024

/* Whether a word, written to a line, reads as that word and nothing more. */
static bool is_plain_word(const char *word)
{
    size_t length = strlen(word);
    size_t i;

    if (length == 0 || length > WORD_LIMIT || strchr("#@|", word[0]) != NULL)
        return false;
    for (i = 0; i < length; i++)
        if ((unsigned char)word[i] <= ' ' || word[i] == 0x7f ||
            strchr(",!*?", word[i]) != NULL)
            return false;
    return true;
}

static int make_folder_of(const char *file, sbx_error *err)
{
    const char *slash = strrchr(file, '/');
    SBI_AUTOFREE char *folder = NULL;

    if (slash == NULL || slash == file)
        return SBX_OK;
    folder = strndup(file, (size_t)(slash - file));
    if (folder == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return sbi_path_make_folders(folder, err);
}

static int lock(int fd, int64_t deadline, sbx_error *err)
{
    int rc = sbi_flock_take(fd, deadline, NULL);

    if (rc == SBX_ERR_TIMEOUT)
        return sbi_fail(err, rc, "another process holds its lock");
    return rc < 0 ? sbi_fail_errno(err, rc, "lock it") : rc;
}

static bool is_still_at(const char *file, int fd)
{
    struct stat here, there;

    return fstat(fd, &here) == 0 && stat(file, &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

static int open_locked(const char *file, int *out, sbx_error *err)
{
    int64_t deadline = sbi_deadline(LOCK_WAIT_MS);

    while (true) {
        SBI_AUTOCLOSE int fd =
            open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
        int rc;

        if (fd < 0)
            return sbi_fail_errno(err, SBX_ERR_IO, "open it");
        rc = lock(fd, deadline, err);
        if (rc < 0)
            return rc;
        if (is_still_at(file, fd)) {
            *out = fd;
            fd = -1;
            return SBX_OK;
        }
        if (sbi_left_ms(deadline) == 0)
            return sbi_fail(err, SBX_ERR_TIMEOUT, "it is replaced all the time");
    }
}

/* The salt is a hash of random digits, which is as random as they are. */
static int add_names(struct sbi_str *line, const char *name, bool hashed, sbx_error *err)
{
    SBI_AUTOFREE char *salt_text = NULL;
    SBI_AUTOFREE char *hash_text = NULL;
    char hex[2 * SALT_SIZE + 1];
    unsigned char salt[32], hash[20];
    int rc;

    if (!hashed) {
        sbi_str_add(line, name);
        return SBX_OK;
    }
    rc = sbi_random_hex(hex, SALT_SIZE, err);
    if (rc == SBX_OK)
        rc = sbi_sha256(hex, sizeof(hex), salt, err);
    if (rc == SBX_OK)
        rc = sbi_hmac_sha1(salt, SALT_SIZE, name, strlen(name), hash, err);
    if (rc == SBX_OK)
        rc = sbi_base64_encode(salt, SALT_SIZE, &salt_text, err);
    if (rc == SBX_OK)
        rc = sbi_base64_encode(hash, sizeof(hash), &hash_text, err);
    if (rc == SBX_OK)
        sbi_str_addf(line, "|1|%s|%s", salt_text, hash_text);
    return rc;
}

struct entry {
    const char *host;
    int port;
    const char *type;
    const void *blob;
    size_t length;
    bool hashed;
};

/* "NAMES TYPE KEY\n" */
static int make_line(const struct entry *entry, struct sbi_str *line, sbx_error *err)
{
    SBI_CLEANUP(sbi_known_name_clear) struct sbi_known_name name = {0};
    SBI_AUTOFREE char *key = NULL;
    int rc = sbi_known_name_set(&name, entry->host, entry->port, err);

    if (rc == SBX_OK)
        rc = add_names(line, name.name, entry->hashed, err);
    if (rc == SBX_OK)
        rc = sbi_base64_encode(entry->blob, entry->length, &key, err);
    if (rc == SBX_OK)
        sbi_str_addf(line, " %s %s\n", entry->type, key);
    return rc;
}

static bool ends_in_newline(int fd, off_t size)
{
    char last = '\n';

    return size == 0 || (pread(fd, &last, 1, size - 1) == 1 && last == '\n');
}

static int append(int fd, const struct entry *entry, sbx_error *err)
{
    SBI_AUTO_STR line = {0};
    struct stat before, after;
    ssize_t written;
    int rc;

    if (fstat(fd, &before) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "look at it");
    if (!S_ISREG(before.st_mode))
        return sbi_fail(err, SBX_ERR_IO, "not a regular file");
    if (!ends_in_newline(fd, before.st_size))
        sbi_str_add(&line, "\n");
    rc = make_line(entry, &line, err);
    if (rc < 0)
        return rc;
    if (line.status != SBX_OK)
        return sbi_fail(err, line.status, "out of memory");

    written = write(fd, line.data, line.length);
    if (written == (ssize_t)line.length)
        return SBX_OK;
    rc = sbi_fail_errno(err, SBX_ERR_IO, "append to it");
    if (written > 0 && fstat(fd, &after) == 0 &&
        after.st_size == before.st_size + written)
        (void)!ftruncate(fd, before.st_size);
    return rc;
}

static int look(const char *file, const struct entry *entry,
                struct sbi_known_match *match, sbx_error *err)
{
    const char *files[] = {file, NULL};

    return sbi_known_hosts_check(files, entry->host, entry->port, entry->type,
                                 entry->blob, entry->length, match, err);
}

/* Another process may have been first, with this key or with another. */
static int add_if_new(int fd, const char *file, const struct entry *entry, sbx_error *err)
{
    SBI_CLEANUP(sbi_known_match_clear) struct sbi_known_match match = {0};
    int rc = look(file, entry, &match, err);

    if (rc < 0 || match.known == SBI_KNOWN_OK)
        return rc;
    if (match.known == SBI_KNOWN_REVOKED || match.known == SBI_KNOWN_CHANGED)
        return sbi_fail(err, SBX_ERR_HOST_KEY, "line %lld %s", (long long)match.line,
                        match.known == SBI_KNOWN_REVOKED ? "revokes this key"
                                                         : "has another key");
    return append(fd, entry, err);
}

/* Without the lock only a yes counts: half a line reads as another key. */
static bool is_there(const char *file, const struct entry *entry)
{
    SBI_CLEANUP(sbi_known_match_clear) struct sbi_known_match match = {0};

    return look(file, entry, &match, NULL) == SBX_OK && match.known == SBI_KNOWN_OK;
}

static int check_entry(const struct entry *entry, sbx_error *err)
{
    if (!is_plain_word(entry->host))
        return sbi_fail(err, SBX_ERR_INVALID, "no host name");
    if (!is_plain_word(entry->type) ||
        !sbi_key_is_of_type(entry->blob, entry->length, entry->type, strlen(entry->type)))
        return sbi_fail(err, SBX_ERR_INVALID, "the key is not of type '%s'", entry->type);
    return SBX_OK;
}

int sbi_known_hosts_add(const char *file, const char *host, int port,
                        const char *key_type, const void *blob, size_t length,
                        bool hashed, sbx_error *err)
{
    struct entry entry = {host, port, key_type, blob, length, hashed};
    SBI_AUTOCLOSE int fd = -1;
    int rc = check_entry(&entry, err);

    if (rc == SBX_OK && is_there(file, &entry))
        return SBX_OK;
    if (rc == SBX_OK)
        rc = make_folder_of(file, err);
    if (rc == SBX_OK)
        rc = open_locked(file, &fd, err);
    if (rc == SBX_OK)
        rc = add_if_new(fd, file, &entry, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "add '%s' to '%s'", host, file);
    return SBX_OK;
}
