/*
 * archive.h - the library's one door to libarchive: a stream of files that tar(1) over
 * there reads or writes, packed or plain, never held in memory.
 *
 * Names and link targets are bytes and travel as they are, whatever the locale.
 */
#ifndef SANDBOX_SYNC_ARCHIVE_H
#define SANDBOX_SYNC_ARCHIVE_H

#include "base/error.h"

#include <sys/types.h>

enum sbi_pack { SBI_PACK_NONE = 0, SBI_PACK_GZIP, SBI_PACK_ZSTD };

enum sbi_archive_kind {
    SBI_ARCHIVE_FILE = 1,
    SBI_ARCHIVE_FOLDER,
    SBI_ARCHIVE_LINK,  /* symbolic; target is what it says */
    SBI_ARCHIVE_SAME,  /* hard link; target is a path of an earlier item */
    SBI_ARCHIVE_OTHER, /* read only: a device, a fifo */
};

/* Bytes of a file that are not a hole. */
struct sbi_archive_span {
    int64_t offset;
    int64_t length;
};

/* Borrowed: the writer's until the call ends, the reader's until the next one. */
struct sbi_archive_item {
    const char *path;
    const char *target; /* NULL but for links */
    int kind;
    unsigned mode; /* 07777 */
    int64_t size;
    int64_t seconds;
    int64_t nanoseconds;
    const struct sbi_archive_span *spans; /* written only; NULL: it has no holes */
    size_t span_count;
};

/* Takes bytes of the stream; non-zero stops, and is what the writer's call returns. */
typedef int (*sbi_archive_put_fn)(const void *data, size_t length, void *userdata,
                                  sbx_error *err);

/* Gives bytes, alive until the next call: their number, 0 at the end, or a failure. */
typedef ssize_t (*sbi_archive_get_fn)(const void **data, void *userdata, sbx_error *err);

struct sbi_archive_writer;
struct sbi_archive_reader;

struct sbi_archive_writer_opts {
    int pack;     /* an sbi_pack */
    bool seconds; /* times in whole seconds: a plain form for an old or small tar */
    sbi_archive_put_fn put;
    void *userdata;
};

int sbi_archive_writer_new(const struct sbi_archive_writer_opts *opts,
                           struct sbi_archive_writer **out, sbx_error *err);

/* Begins an item. Exactly item->size bytes of a file must follow, those of holes too. */
int sbi_archive_add(struct sbi_archive_writer *writer,
                    const struct sbi_archive_item *item, sbx_error *err);
int sbi_archive_add_data(struct sbi_archive_writer *writer, const void *data,
                         size_t length, sbx_error *err);

/* Ends the stream: without it what was written is no whole archive. */
int sbi_archive_finish(struct sbi_archive_writer *writer, sbx_error *err);
void sbi_archive_writer_free(struct sbi_archive_writer *writer);

struct sbi_archive_reader_opts {
    bool raw; /* no archive but bytes, packed or plain: one item without a name */
    sbi_archive_get_fn get;
    void *userdata;
};

/* Finds out by itself how the stream is packed. */
int sbi_archive_reader_new(const struct sbi_archive_reader_opts *opts,
                           struct sbi_archive_reader **out, sbx_error *err);

/*
 * 1 and an item, 0 at the end, or a failure. Nothing is checked of its names. A stream
 * that was cut between two items passes for a whole one: whoever sent it must tell.
 */
int sbi_archive_next(struct sbi_archive_reader *reader, struct sbi_archive_item *item,
                     sbx_error *err);

/* Bytes of the present item: their number, 0 at its end, or a failure. */
ssize_t sbi_archive_read(struct sbi_archive_reader *reader, void *buffer, size_t room,
                         sbx_error *err);
void sbi_archive_reader_free(struct sbi_archive_reader *reader);

#endif
