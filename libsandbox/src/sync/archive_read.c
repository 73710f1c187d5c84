/*
 * archive_read.c - reading: tar in all its forms, packed or not, or plain bytes.
 *
 * What comes is the far side's, and may be anything: libarchive finds its way or fails,
 * and whoever asks here checks each name.
 */
#include "sync/archive.h"

#include "base/cleanup.h"
#include "sync/archive_library.h"

#include <errno.h>

struct sbi_archive_reader {
    const struct sbi_libarchive *lib;
    struct archive *archive;
    struct sbi_archive_reader_opts opts;
    sbx_error error; /* of get */
    int code;
};

static la_ssize_t get(struct archive *archive, void *userdata, const void **data)
{
    struct sbi_archive_reader *reader = userdata;
    ssize_t got = reader->opts.get(data, reader->opts.userdata, &reader->error);

    if (got >= 0)
        return got;
    reader->code = (int)got;
    reader->lib->archive_set_error(archive, EIO, "stopped");
    return ARCHIVE_FATAL;
}

static int failed(struct sbi_archive_reader *reader, sbx_error *err)
{
    const char *why = reader->lib->archive_error_string(reader->archive);

    if (reader->code != SBX_OK) {
        if (err != NULL)
            *err = reader->error;
        return reader->code;
    }
    return sbi_fail(err, SBX_ERR_REMOTE, "read an archive: %s",
                    why == NULL ? "it is damaged" : why);
}

static int begin(struct sbi_archive_reader *reader)
{
    struct archive *archive = reader->archive;
    int rc = reader->opts.raw ? reader->lib->archive_read_support_format_raw(archive)
                              : reader->lib->archive_read_support_format_tar(archive);

    if (rc == ARCHIVE_OK)
        rc = reader->lib->archive_read_support_format_empty(archive);
    if (rc == ARCHIVE_OK)
        rc = reader->lib->archive_read_support_filter_gzip(archive);
    if (rc == ARCHIVE_OK)
        rc = reader->lib->archive_read_support_filter_zstd(archive);
    return rc == ARCHIVE_OK
               ? reader->lib->archive_read_open(archive, reader, NULL, get, NULL)
               : rc;
}

static void reader_clear(struct sbi_archive_reader **reader)
{
    sbi_archive_reader_free(*reader);
}

int sbi_archive_reader_new(const struct sbi_archive_reader_opts *opts,
                           struct sbi_archive_reader **out, sbx_error *err)
{
    SBI_CLEANUP(reader_clear)
    struct sbi_archive_reader *reader = calloc(1, sizeof(*reader));
    int rc;

    if (reader == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    reader->opts = *opts;
    rc = sbi_libarchive(&reader->lib, err);
    if (rc != SBX_OK)
        return rc;
    reader->archive = reader->lib->archive_read_new();
    if (reader->archive == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (begin(reader) != ARCHIVE_OK)
        return failed(reader, err);
    *out = SBI_STEAL(reader);
    return SBX_OK;
}

static int kind_of(struct sbi_archive_reader *reader, struct archive_entry *entry)
{
    if (reader->lib->archive_entry_hardlink(entry) != NULL)
        return SBI_ARCHIVE_SAME;
    switch (reader->lib->archive_entry_filetype(entry)) {
    case AE_IFREG:
        return SBI_ARCHIVE_FILE;
    case AE_IFDIR:
        return SBI_ARCHIVE_FOLDER;
    case AE_IFLNK:
        return SBI_ARCHIVE_LINK;
    default:
        return SBI_ARCHIVE_OTHER;
    }
}

int sbi_archive_next(struct sbi_archive_reader *reader, struct sbi_archive_item *item,
                     sbx_error *err)
{
    struct archive_entry *entry = NULL;
    int rc = reader->lib->archive_read_next_header(reader->archive, &entry);

    if (rc == ARCHIVE_EOF)
        return 0;
    if (rc < ARCHIVE_WARN)
        return failed(reader, err);
    *item = (struct sbi_archive_item){
        .path = reader->lib->archive_entry_pathname(entry),
        .kind = kind_of(reader, entry),
        .mode = (unsigned)reader->lib->archive_entry_perm(entry) & 07777,
        .size = reader->lib->archive_entry_size(entry),
        .seconds = (int64_t)reader->lib->archive_entry_mtime(entry),
        .nanoseconds = reader->lib->archive_entry_mtime_nsec(entry),
    };
    if (item->kind == SBI_ARCHIVE_SAME)
        item->target = reader->lib->archive_entry_hardlink(entry);
    else if (item->kind == SBI_ARCHIVE_LINK)
        item->target = reader->lib->archive_entry_symlink(entry);
    if (item->path == NULL || (item->kind == SBI_ARCHIVE_LINK && item->target == NULL))
        return sbi_fail(err, SBX_ERR_REMOTE, "read an archive: an item has no name");
    return 1;
}

ssize_t sbi_archive_read(struct sbi_archive_reader *reader, void *buffer, size_t room,
                         sbx_error *err)
{
    la_ssize_t got = reader->lib->archive_read_data(reader->archive, buffer, room);

    return got >= 0 ? (ssize_t)got : failed(reader, err);
}

void sbi_archive_reader_free(struct sbi_archive_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->archive != NULL)
        (void)reader->lib->archive_read_free(reader->archive);
    free(reader);
}
