/* archive.c - writing: entries in pax form, or in GNU tar's where seconds will do. */
#include "sync/archive.h"

#include "base/cleanup.h"
#include "sync/archive_library.h"

#include <errno.h>

#define BLOCK (128 * 1024) /* what one call of `put` carries */

struct sbi_archive_writer {
    const struct sbi_libarchive *lib;
    struct archive *archive;
    struct archive_entry *entry;
    struct sbi_archive_writer_opts opts;
    sbx_error error; /* of put, which libarchive cannot hand on */
    int code;
};

static const struct {
    int kind;
    unsigned type;
} types[] = {
    {SBI_ARCHIVE_FILE, AE_IFREG},
    {SBI_ARCHIVE_FOLDER, AE_IFDIR},
    {SBI_ARCHIVE_LINK, AE_IFLNK},
    {SBI_ARCHIVE_SAME, AE_IFREG},
};

static unsigned type_of(int kind)
{
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].kind == kind)
            return types[i].type;
    return 0;
}

static la_ssize_t put(struct archive *archive, void *userdata, const void *data,
                      size_t length)
{
    struct sbi_archive_writer *writer = userdata;

    if (writer->code == SBX_OK)
        writer->code =
            writer->opts.put(data, length, writer->opts.userdata, &writer->error);
    if (writer->code == SBX_OK)
        return (la_ssize_t)length;
    writer->lib->archive_set_error(archive, EIO, "stopped");
    return -1;
}

/* A warning (a name that is no UTF-8 in some locale) harms nothing. */
static int check(struct sbi_archive_writer *writer, int rc, sbx_error *err)
{
    if (writer->code != SBX_OK) {
        if (err != NULL)
            *err = writer->error;
        return writer->code;
    }
    if (rc >= ARCHIVE_WARN)
        return SBX_OK;
    return sbi_fail(err, SBX_ERR_INTERNAL, "write an archive: %s",
                    writer->lib->archive_error_string(writer->archive));
}

static int set_pack(struct sbi_archive_writer *writer)
{
    struct archive *archive = writer->archive;

    switch (writer->opts.pack) {
    case SBI_PACK_ZSTD:
        if (writer->lib->archive_write_add_filter_zstd(archive) != ARCHIVE_OK)
            return ARCHIVE_FATAL;
        return writer->lib->archive_write_set_filter_option(archive, "zstd",
                                                            "compression-level", "1");
    case SBI_PACK_GZIP:
        if (writer->lib->archive_write_add_filter_gzip(archive) != ARCHIVE_OK)
            return ARCHIVE_FATAL;
        return writer->lib->archive_write_set_filter_option(archive, "gzip",
                                                            "compression-level", "1");
    default:
        return writer->lib->archive_write_add_filter_none(archive);
    }
}

static int set_form(struct sbi_archive_writer *writer)
{
    struct archive *archive = writer->archive;

    if (writer->opts.seconds)
        return writer->lib->archive_write_set_format_gnutar(archive);
    if (writer->lib->archive_write_set_format_pax(archive) != ARCHIVE_OK)
        return ARCHIVE_FATAL;
    return writer->lib->archive_write_set_format_option(archive, "pax", "hdrcharset",
                                                        "BINARY");
}

static int begin(struct sbi_archive_writer *writer)
{
    struct archive *archive = writer->archive;
    int rc = set_form(writer);

    if (rc == ARCHIVE_OK)
        rc = set_pack(writer);
    if (rc == ARCHIVE_OK)
        rc = writer->lib->archive_write_set_bytes_per_block(archive, BLOCK);
    if (rc == ARCHIVE_OK)
        rc = writer->lib->archive_write_set_bytes_in_last_block(archive, 1);
    return rc == ARCHIVE_OK
               ? writer->lib->archive_write_open(archive, writer, NULL, put, NULL)
               : rc;
}

static void writer_clear(struct sbi_archive_writer **writer)
{
    sbi_archive_writer_free(*writer);
}

int sbi_archive_writer_new(const struct sbi_archive_writer_opts *opts,
                           struct sbi_archive_writer **out, sbx_error *err)
{
    SBI_CLEANUP(writer_clear)
    struct sbi_archive_writer *writer = calloc(1, sizeof(*writer));
    int rc;

    if (writer == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    writer->opts = *opts;
    rc = sbi_libarchive(&writer->lib, err);
    if (rc != SBX_OK)
        return rc;
    writer->archive = writer->lib->archive_write_new();
    writer->entry = writer->lib->archive_entry_new();
    if (writer->archive == NULL || writer->entry == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = check(writer, begin(writer), err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(writer);
    return rc;
}

/* A form of whole seconds is for a tar that knows no holes. */
static void add_spans(struct sbi_archive_writer *writer,
                      const struct sbi_archive_item *item)
{
    size_t i;

    for (i = 0; i < item->span_count; i++)
        writer->lib->archive_entry_sparse_add_entry(writer->entry, item->spans[i].offset,
                                                    item->spans[i].length);
    if (item->span_count == 0)
        writer->lib->archive_entry_sparse_add_entry(writer->entry, item->size, 0);
}

int sbi_archive_add(struct sbi_archive_writer *writer,
                    const struct sbi_archive_item *item, sbx_error *err)
{
    struct archive_entry *entry = writer->lib->archive_entry_clear(writer->entry);

    writer->lib->archive_entry_copy_pathname(entry, item->path);
    writer->lib->archive_entry_set_filetype(entry, type_of(item->kind));
    writer->lib->archive_entry_set_perm(entry, (mode_t)item->mode);
    writer->lib->archive_entry_set_mtime(
        entry, (time_t)item->seconds, writer->opts.seconds ? 0 : (long)item->nanoseconds);
    if (item->kind == SBI_ARCHIVE_LINK)
        writer->lib->archive_entry_copy_symlink(entry, item->target);
    if (item->kind == SBI_ARCHIVE_SAME)
        writer->lib->archive_entry_copy_hardlink(entry, item->target);
    writer->lib->archive_entry_set_size(entry,
                                        item->kind == SBI_ARCHIVE_FILE ? item->size : 0);
    if (item->spans != NULL && !writer->opts.seconds)
        add_spans(writer, item);
    return check(writer, writer->lib->archive_write_header(writer->archive, entry), err);
}

int sbi_archive_add_data(struct sbi_archive_writer *writer, const void *data,
                         size_t length, sbx_error *err)
{
    la_ssize_t written;

    if (length == 0)
        return SBX_OK;
    written = writer->lib->archive_write_data(writer->archive, data, length);
    if (written == (la_ssize_t)length || writer->code != SBX_OK)
        return check(writer, ARCHIVE_OK, err);
    return sbi_fail(err, SBX_ERR_INTERNAL, "write an archive: more data than was told");
}

int sbi_archive_finish(struct sbi_archive_writer *writer, sbx_error *err)
{
    return check(writer, writer->lib->archive_write_close(writer->archive), err);
}

/* What is freed before its end must not write one. */
void sbi_archive_writer_free(struct sbi_archive_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->code == SBX_OK)
        writer->code = SBX_ERR_CANCELLED;
    if (writer->entry != NULL)
        writer->lib->archive_entry_free(writer->entry);
    if (writer->archive != NULL)
        (void)writer->lib->archive_write_free(writer->archive);
    free(writer);
}
