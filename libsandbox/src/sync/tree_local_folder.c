/* tree_local_folder.c - reads a folder at once, so that no stream stays open in it. */
#include "sync/tree_local_folder.h"

#include "base/array.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define IGNORE_LIMIT (16 * 1024 * 1024)

static void close_stream(DIR **stream)
{
    if (*stream != NULL)
        (void)closedir(*stream);
}

static int no_memory(void)
{
    errno = ENOMEM;
    return SBX_ERR_NO_MEMORY;
}

int sbi_local_type(const char *name)
{
    return (unsigned char)name[-1];
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* The stream has a descriptor of its own: closing it would close ours. */
static DIR *open_stream(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    int why = errno;

    if (stream == NULL && copy >= 0)
        (void)close(copy);
    errno = why;
    return stream;
}

/* Appends the names end to end; how many, and how many bytes. */
static int read_text(DIR *stream, struct sbi_local_folder *folder, size_t *length)
{
    struct dirent *entry;
    size_t capacity = 0;
    size_t size;

    for (;;) {
        errno = 0;
        entry = readdir(stream);
        if (entry == NULL)
            return errno == 0 ? SBX_OK : SBX_ERR_IO;
        if (is_dots(entry->d_name))
            continue;
        size = strlen(entry->d_name) + 1;
        if (sbi_array_reserve(&folder->text, 1, *length + size + 1, &capacity, NULL) < 0)
            return no_memory();
        folder->text[*length] = (char)entry->d_type;
        memcpy(folder->text + *length + 1, entry->d_name, size);
        *length += size + 1;
        folder->count++;
    }
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int sort_names(struct sbi_local_folder *folder)
{
    char *at = folder->text;
    size_t i;

    folder->names = calloc(folder->count + 1, sizeof(*folder->names));
    if (folder->names == NULL)
        return no_memory();
    for (i = 0; i < folder->count; i++) {
        folder->names[i] = at + 1;
        at += strlen(at + 1) + 2;
    }
    qsort(folder->names, folder->count, sizeof(*folder->names), by_bytes);
    return SBX_OK;
}

int sbi_local_folder_read(struct sbi_local_folder *folder)
{
    SBI_CLEANUP(close_stream) DIR *stream = open_stream(folder->fd);
    size_t length = 0;
    int rc;

    if (stream == NULL)
        return SBX_ERR_IO;
    rc = read_text(stream, folder, &length);
    return rc < 0 ? rc : sort_names(folder);
}

bool sbi_local_folder_has(const struct sbi_local_folder *folder, const char *name)
{
    return folder->count > 0 && bsearch(&name, folder->names, folder->count,
                                        sizeof(*folder->names), by_bytes) != NULL;
}

int sbi_local_folder_text(const struct sbi_local_folder *folder, const char *name,
                          char **out, size_t *length, sbx_error *err)
{
    SBI_AUTOCLOSE int fd = -1;
    struct stat info;

    if (!sbi_local_folder_has(folder, name))
        return SBX_OK;
    fd = openat(folder->fd, name,
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO))
        return SBX_OK;
    if (fd < 0 || fstat(fd, &info) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", name);
    if (!S_ISREG(info.st_mode))
        return SBX_OK;
    return sbi_path_read_fd(fd, name, IGNORE_LIMIT, out, length, err);
}

bool sbi_local_folder_reopen(struct sbi_local_folder *folder, int child)
{
    SBI_AUTOCLOSE int fd = openat(child, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) < 0 || (uint64_t)info.st_dev != folder->device ||
        (uint64_t)info.st_ino != folder->inode)
        return false;
    folder->fd = fd;
    fd = -1;
    return true;
}

void sbi_local_folder_clear(struct sbi_local_folder *folder)
{
    sbi_close_fd(&folder->fd);
    free(folder->text);
    free(folder->names);
    *folder = (struct sbi_local_folder){.fd = -1};
}
