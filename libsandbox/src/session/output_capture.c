/*
 * output_capture.c - takes the bytes of a running command: keeps head and tail,
 * stores the whole.
 *
 * While all of a stream is in memory it needs no file. The byte that would be the
 * first over the limit makes one: what is kept goes first, then all that comes.
 */
#include "session/output.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "base/write.h"
#include "session/output_keep.h"
#include "session/output_store.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define PIECE (64 * 1024) /* what one write should carry at least */

struct stream {
    struct sbi_keep keep;
    int fd;        /* -1: no file yet */
    char *pending; /* PIECE bytes of room, or NULL */
    size_t pending_length;
    uint64_t stored; /* pending ones too */
};

struct sbi_capture {
    struct stream streams[2];
    char run_id[SBI_RUN_ID_LENGTH + 1];
    char *place;
    char *command; /* the head of it */
    char *folder;  /* as it was given, or NULL */
    int folder_fd; /* -1: nothing stored yet */
    int64_t threshold;
    int64_t spool_limit;
    int64_t started;
    bool storing; /* until it fails */
    bool noted;   /* its index is there, whatever it prints */
    bool finished;
};

static int copy_text(const char *text, char **out, sbx_error *err)
{
    if (text == NULL)
        return SBX_OK;
    *out = strdup(text);
    if (*out == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "capture output: out of memory");
    return SBX_OK;
}

static void capture_clear(struct sbi_capture **capture)
{
    sbi_capture_free(*capture);
}

int sbi_capture_new(const struct sbi_capture_opts *opts, struct sbi_capture **out,
                    sbx_error *err)
{
    SBI_CLEANUP(capture_clear) struct sbi_capture *capture = NULL;
    int i, rc;

    if (opts->run_id != NULL && !sbi_run_id_is_valid(opts->run_id))
        return sbi_fail(err, SBX_ERR_INVALID, "no run id: '%s'", opts->run_id);
    capture = calloc(1, sizeof(*capture));
    if (capture == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "capture output: out of memory");

    capture->folder_fd = -1;
    for (i = 0; i < 2; i++) {
        capture->streams[i].fd = -1;
        sbi_keep_init(&capture->streams[i].keep, opts->limit);
    }
    capture->storing = opts->run_id != NULL && opts->spool_limit != 0;
    capture->spool_limit = opts->spool_limit < 0 ? -1 : opts->spool_limit;
    capture->threshold = opts->limit < 0 ? PIECE : opts->limit;
    capture->started = (int64_t)time(NULL);
    if (capture->storing)
        memcpy(capture->run_id, opts->run_id, sizeof(capture->run_id));
    rc = copy_text(opts->place, &capture->place, err);
    if (rc == SBX_OK)
        rc = copy_text(opts->command, &capture->command, err);
    if (rc == SBX_OK)
        rc = copy_text(opts->folder, &capture->folder, err);
    if (rc < 0)
        return rc;
    if (capture->storing)
        sbi_store_expire_hourly(capture->folder);
    *out = SBI_STEAL(capture);
    return SBX_OK;
}

static void close_stream(struct stream *stream)
{
    sbi_close_fd(&stream->fd);
    stream->fd = -1;
    free(SBI_STEAL(stream->pending));
    stream->pending_length = 0;
}

/* Part of an output would pass for the whole, and may be what fills the disk. */
static void stop_storing(struct sbi_capture *capture, const sbx_error *why)
{
    sbi_log(SBX_LOG_WARN, "the output of run '%s' is not stored: %s", capture->run_id,
            why->text);
    capture->storing = false;
    close_stream(&capture->streams[0]);
    close_stream(&capture->streams[1]);
    if (capture->folder_fd >= 0)
        sbi_store_remove(capture->folder_fd, capture->run_id);
}

static int write_all(int fd, const char *data, size_t length, sbx_error *err)
{
    errno = sbi_write_all(fd, data, length);
    return errno == 0 ? SBX_OK : sbi_fail_errno(err, SBX_ERR_IO, "write its file");
}

static int flush(struct stream *stream, sbx_error *err)
{
    int rc = write_all(stream->fd, stream->pending, stream->pending_length, err);

    stream->pending_length = 0;
    return rc;
}

static int store(struct sbi_capture *capture, struct stream *stream, const char *data,
                 size_t length, sbx_error *err)
{
    int64_t room = capture->spool_limit < 0
                       ? INT64_MAX
                       : capture->spool_limit - (int64_t)stream->stored;
    int rc = SBX_OK;

    if ((uint64_t)room < length)
        length = (size_t)room;
    if (length == 0)
        return SBX_OK;
    stream->stored += length;
    if (stream->pending_length + length > PIECE)
        rc = flush(stream, err);
    if (rc < 0 || length >= PIECE)
        return rc < 0 ? rc : write_all(stream->fd, data, length, err);

    if (stream->pending == NULL)
        stream->pending = malloc(PIECE);
    if (stream->pending == NULL)
        return write_all(stream->fd, data, length, err);
    memcpy(stream->pending + stream->pending_length, data, length);
    stream->pending_length += length;
    return SBX_OK;
}

static int write_index(const struct sbi_capture *capture, sbx_error *err)
{
    struct sbi_store_index index = {
        .place = capture->place,
        .command = capture->command,
        .started = capture->started,
        .spool_limit = capture->spool_limit,
        .complete = capture->finished,
    };
    int i;

    for (i = 0; i < 2 && capture->finished; i++) {
        index.stored[i] = capture->streams[i].stored;
        index.total[i] = capture->streams[i].keep.total;
    }
    return sbi_store_write_index(capture->folder_fd, capture->run_id, &index, err);
}

static int open_folder(struct sbi_capture *capture, sbx_error *err)
{
    if (capture->folder_fd >= 0)
        return SBX_OK;
    return sbi_store_open(capture->folder, true, &capture->folder_fd, err);
}

void sbi_capture_note(struct sbi_capture *capture)
{
    sbx_error why = {0};
    int rc = SBX_OK;

    if (!capture->storing || capture->finished)
        return;
    capture->noted = true;
    if (capture->folder_fd >= 0)
        return;
    rc = open_folder(capture, &why);
    if (rc == SBX_OK)
        rc = write_index(capture, &why);
    if (rc < 0)
        stop_storing(capture, &why);
}

/* Makes the file of a stream, and stores what was kept of it so far. */
static int start_file(struct sbi_capture *capture, struct stream *stream, sbx_error *err)
{
    int number = stream == capture->streams ? SBX_EXEC_STDOUT : SBX_EXEC_STDERR;
    bool first = capture->folder_fd < 0;
    struct sbi_keep_piece pieces[3];
    int i, rc;

    if (stream->keep.status != SBX_OK)
        return sbi_fail(err, stream->keep.status, "out of memory");
    rc = open_folder(capture, err);
    if (rc == SBX_OK && first && !capture->finished)
        rc = write_index(capture, err);
    if (rc == SBX_OK)
        rc = sbi_store_open_stream(capture->folder_fd, capture->run_id, number, true,
                                   &stream->fd, err);
    sbi_keep_pieces(&stream->keep, pieces);
    for (i = 0; rc == SBX_OK && i < 3; i++)
        rc = store(capture, stream, pieces[i].data, pieces[i].length, err);
    return rc;
}

static void spool(struct sbi_capture *capture, struct stream *stream, const void *data,
                  size_t length)
{
    sbx_error why = {0};
    int rc = SBX_OK;

    if (stream->fd < 0 && stream->keep.total + length <= (uint64_t)capture->threshold)
        return;
    if (stream->fd < 0)
        rc = start_file(capture, stream, &why);
    if (rc == SBX_OK)
        rc = store(capture, stream, data, length, &why);
    if (rc < 0)
        stop_storing(capture, &why);
}

void sbi_capture_add(struct sbi_capture *capture, int stream, const void *data,
                     size_t length)
{
    struct stream *to = &capture->streams[stream == SBX_EXEC_STDERR ? 1 : 0];

    if (capture->storing)
        spool(capture, to, data, length);
    sbi_keep_add(&to->keep, data, length);
}

static int finish_stream(struct sbi_capture *capture, struct stream *stream,
                         sbx_error *err)
{
    int rc = SBX_OK;

    if (stream->fd < 0 && stream->keep.total > 0)
        rc = start_file(capture, stream, err);
    if (rc == SBX_OK && stream->fd >= 0)
        rc = flush(stream, err);
    if (rc == SBX_OK)
        close_stream(stream);
    return rc;
}

static bool is_empty(const struct sbi_capture *capture)
{
    return capture->streams[0].keep.total == 0 && capture->streams[1].keep.total == 0;
}

void sbi_capture_finish(struct sbi_capture *capture)
{
    sbx_error why = {0};
    int rc;

    if (capture->finished)
        return;
    capture->finished = true;
    if (is_empty(capture) && !capture->noted)
        capture->storing = false; /* nothing was printed: nothing to read again */
    if (!capture->storing)
        return;

    rc = open_folder(capture, &why);
    if (rc == SBX_OK)
        rc = finish_stream(capture, &capture->streams[0], &why);
    if (rc == SBX_OK)
        rc = finish_stream(capture, &capture->streams[1], &why);
    if (rc == SBX_OK)
        rc = write_index(capture, &why);
    if (rc < 0)
        stop_storing(capture, &why);
}

static void add_hint(const struct sbi_capture *capture, const struct stream *stream,
                     struct sbi_str *line)
{
    if (!capture->storing)
        return;
    if (stream->stored < stream->keep.total)
        sbi_str_addf(line, "; the first %llu: sbx output %s",
                     (unsigned long long)stream->stored, capture->run_id);
    else
        sbi_str_addf(line, "; all of it: sbx output %s", capture->run_id);
}

int sbi_capture_take(struct sbi_capture *capture, int stream, struct sbi_captured *out,
                     sbx_error *err)
{
    const struct stream *from = &capture->streams[stream == SBX_EXEC_STDERR ? 1 : 0];
    struct sbi_captured taken = {0};
    SBI_AUTO_STR line = {0};
    int rc;

    sbi_str_addf(&line, "\n[... %llu bytes left out",
                 (unsigned long long)sbi_keep_left_out(&from->keep));
    add_hint(capture, from, &line);
    sbi_str_add(&line, " ...]\n");
    if (line.status != SBX_OK)
        return sbi_fail(err, line.status, "take output: out of memory");

    rc = sbi_keep_text(&from->keep, line.data, &taken.data, &taken.length, err);
    if (rc < 0)
        return rc;
    taken.total = from->keep.total;
    taken.truncated = !sbi_keep_is_whole(&from->keep);
    *out = taken;
    return SBX_OK;
}

bool sbi_capture_spooled(const struct sbi_capture *capture)
{
    return capture->storing && !is_empty(capture);
}

void sbi_capture_free(struct sbi_capture *capture)
{
    int i;

    if (capture == NULL)
        return;
    for (i = 0; i < 2; i++) {
        close_stream(&capture->streams[i]);
        sbi_keep_clear(&capture->streams[i].keep);
    }
    sbi_close_fd(&capture->folder_fd);
    free(capture->place);
    free(capture->command);
    free(capture->folder);
    free(capture);
}
