#include "exec_list.h"

#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16, LONGEST_LINE = 1 << 20, CANCELLED = 130 };

/* Standard input; what is read of it before it is a line is kept. */
struct reader {
    struct text text;
    size_t at; /* where the next line begins */
    bool ended;
};

/* Reads one piece more, or finds the end; a Ctrl-C ends the wait. */
static int read_more(struct reader *reader, sbx_error *err)
{
    struct pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
    AUTOFREE char *piece = own_zeroed(1, PIECE);
    ssize_t got = -1;

    while (got < 0 && !interrupt_came()) {
        if (poll(fds, 2, -1) > 0 && fds[0].revents != 0)
            got = read(STDIN_FILENO, piece, PIECE);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return fault_errno(err, SBX_ERR_IO, "read standard input");
    }
    if (got < 0)
        return fault(err, SBX_ERR_CANCELLED, "read standard input: cancelled");
    reader->ended = got == 0;
    text_add_bytes(&reader->text, piece, (size_t)got);
    return SBX_OK;
}

/* What was handed out goes, so that the text is never longer than a line and a piece. */
static void drop_read(struct reader *reader)
{
    struct text rest = {0};

    text_add_bytes(&rest, reader->text.data + reader->at,
                   reader->text.length - reader->at);
    text_clear(&reader->text);
    reader->text = rest;
    reader->at = 0;
}

static char *find_end(const struct reader *reader)
{
    return reader->text.length == reader->at
               ? NULL
               : memchr(reader->text.data + reader->at, '\n',
                        reader->text.length - reader->at);
}

static int check_line(const char *line, size_t length, int64_t number, sbx_error *err)
{
    if (length > LONGEST_LINE)
        return fault(err, SBX_ERR_LIMIT,
                     "line %lld of standard input: over 1 MiB, the most for a command",
                     (long long)number);
    if (strlen(line) < length)
        return fault(err, SBX_ERR_INVALID,
                     "line %lld of standard input: a NUL, which no command can have",
                     (long long)number);
    return SBX_OK;
}

/* *out is the next line without its end, or NULL; alive until the next call. */
static int next_line(struct reader *reader, int64_t number, const char **out,
                     sbx_error *err)
{
    char *end = find_end(reader);
    const char *line;
    int rc = SBX_OK;

    while (rc == SBX_OK && end == NULL && !reader->ended &&
           reader->text.length - reader->at <= LONGEST_LINE) {
        if (reader->at > 0)
            drop_read(reader);
        rc = read_more(reader, err);
        end = find_end(reader);
    }
    *out = NULL;
    if (rc < 0 || reader->text.length == reader->at)
        return rc;
    line = reader->text.data + reader->at;
    if (end == NULL)
        end = reader->text.data + reader->text.length;
    *end = '\0';
    rc = check_line(line, (size_t)(end - line), number, err);
    reader->at = (size_t)(end - reader->text.data);
    reader->at += reader->at < reader->text.length ? 1 : 0;
    if (rc == SBX_OK)
        *out = line;
    return rc;
}

/* What comes behind it may depend on it, or would wait in vain for a host that is gone.
 */
static bool may_go_on(const struct exec_run *run, int status)
{
    if (run->broken || interrupt_came())
        return false;
    return status == 0 || !run->values->stop_at_failure;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

/* One that stops ahead of the end says where. */
static int run_lines(struct exec_run *run, exec_once_fn once, struct reader *reader,
                     sbx_error *err)
{
    const char *words[] = {NULL, NULL};
    int status = 0, worst = 0, rc;

    run->command = words;
    for (run->line = 1;; run->line++) {
        rc = next_line(reader, run->line, &words[0], err);
        if (rc < 0) {
            status = app_failed(run->app, err);
            status = rc == SBX_ERR_CANCELLED ? CANCELLED : status;
            return status > worst ? status : worst;
        }
        if (words[0] == NULL)
            return worst;
        if (is_blank(words[0]))
            continue;
        status = once(run);
        worst = status > worst ? status : worst;
        if (may_go_on(run, status))
            continue;
        out_note("stopped at line %lld of standard input", (long long)run->line);
        return worst;
    }
}

int exec_list_run(struct exec_run *run, exec_once_fn once)
{
    struct reader reader = {0};
    sbx_error err = {0};
    int status = run_lines(run, once, &reader, &err);

    text_clear(&reader.text);
    return status;
}
