/* push_holes.c - where the holes of a file are: so it takes no more room than here. */
#include "sync/push_state.h"

#include "base/array.h"

#include <errno.h>
#include <unistd.h>

#define FROM (1024 * 1024) /* smaller ones gain little */
#define MOST 4096

static bool has_holes(const struct sbi_pushing *pushing, const struct stat *info)
{
    int tar = pushing->sync->there.tar;

    return info->st_size >= FROM && info->st_blocks * 512 < info->st_size &&
           (tar == SBI_TAR_GNU || tar == SBI_TAR_BSD);
}

int sbi_push_spans(struct sbi_pushing *pushing, int fd, const struct stat *info,
                   struct sbi_archive_span **spans, size_t *count, sbx_error *err)
{
    SBI_AUTOFREE struct sbi_archive_span *found = NULL;
    size_t capacity = 0, number = 0;
    off_t at = 0, data;
    int rc = SBX_OK;

    if (!has_holes(pushing, info))
        return SBX_OK;
    rc = sbi_array_reserve(&found, sizeof(*found), 1, &capacity, err);
    while (rc == SBX_OK && (data = lseek(fd, at, SEEK_DATA)) >= 0) {
        at = lseek(fd, data, SEEK_HOLE);
        if (at < 0 || number == MOST)
            return lseek(fd, 0, SEEK_SET) < 0 ? sbi_fail_errno(err, SBX_ERR_IO, "read")
                                              : SBX_OK;
        rc = sbi_array_reserve(&found, sizeof(*found), number + 1, &capacity, err);
        if (rc == SBX_OK)
            found[number++] = (struct sbi_archive_span){data, at - data};
    }
    if (rc == SBX_OK && (errno != ENXIO || lseek(fd, 0, SEEK_SET) < 0))
        return sbi_fail_errno(err, SBX_ERR_IO, "find the holes of a file");
    if (rc < 0)
        return rc;
    *spans = SBI_STEAL(found);
    *count = number;
    return SBX_OK;
}
