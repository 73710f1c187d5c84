/* beneath.c - component by component; the folder found last is kept, as paths come
 * sorted. */
#include "sync/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define NAME_ROOM 256

static int open_component(const struct sbi_beneath *beneath, int at, const char *name,
                          size_t length)
{
    int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (beneath->follow ? 0 : O_NOFOLLOW);
    char word[NAME_ROOM];

    if (length >= sizeof(word)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(word, name, length);
    word[length] = '\0';
    return openat(at, word, flags);
}

/* From the root down to the folder; *out is a new descriptor. */
static int walk(const struct sbi_beneath *beneath, const char *path, size_t length,
                int *out)
{
    const char *end = path + length;
    int at = beneath->root;

    while (path < end) {
        const char *slash = memchr(path, '/', (size_t)(end - path));
        size_t part = slash == NULL ? (size_t)(end - path) : (size_t)(slash - path);
        int next = open_component(beneath, at, path, part);
        int failed = errno;

        if (at != beneath->root)
            (void)close(at);
        if (next < 0)
            return failed;
        at = next;
        path += part + 1;
    }
    *out = at;
    return 0;
}

static int keep(struct sbi_beneath *beneath, const char *path, size_t length, int fd)
{
    char *copy = malloc(length + 1);

    if (copy == NULL) {
        (void)close(fd);
        return ENOMEM;
    }
    memcpy(copy, path, length);
    copy[length] = '\0';
    sbi_beneath_forget(beneath);
    beneath->path = copy;
    beneath->length = length;
    beneath->fd = fd;
    return 0;
}

int sbi_beneath_find(struct sbi_beneath *beneath, const char *path, int *fd,
                     const char **name)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    int found = -1;
    int failed;

    *name = slash == NULL ? path : slash + 1;
    *fd = beneath->root;
    if (length == 0)
        return 0;
    if (beneath->path == NULL || beneath->length != length ||
        memcmp(beneath->path, path, length) != 0) {
        failed = walk(beneath, path, length, &found);
        if (failed == 0)
            failed = keep(beneath, path, length, found);
        if (failed != 0)
            return failed;
    }
    *fd = beneath->fd;
    return 0;
}

void sbi_beneath_forget(struct sbi_beneath *beneath)
{
    sbi_close_fd(&beneath->fd);
    free(SBI_STEAL(beneath->path));
    beneath->fd = -1;
    beneath->length = 0;
}

void sbi_beneath_clear(struct sbi_beneath *beneath)
{
    sbi_beneath_forget(beneath);
}
