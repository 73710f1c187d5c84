/* cmd_file_write.c - `file write`, `file append`, `file edit`: new content. */
#include "cmd.h"
#include "file_run.h"
#include "read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    const char *from;
    const char *if_hash;
    const char *mode;
    const char *old_file;
    const char *new_file;
    int64_t only_new;
    int64_t parents;
    int64_t all;
    int64_t timeout_ms;
};

enum { MOST_TEXT = 64 << 20 };

#define FROM                                                                             \
    {                                                                                    \
        0, "from", "FILE", OPT_TEXT, offsetof(struct values, from),                      \
            "Read the bytes from this file here, instead of standard input",             \
            opt_check_filled, 0, 0, "file"                                               \
    }
#define PARENTS                                                                          \
    {                                                                                    \
        'p', "parents", NULL, OPT_FLAG, offsetof(struct values, parents),                \
            "Make the folders above", NULL, 0, 0, NULL                                   \
    }
#define MODE                                                                             \
    {                                                                                    \
        0, "mode", "OCTAL", OPT_TEXT, offsetof(struct values, mode),                     \
            "Mode of the file, like 755; else the old one's is kept", file_check_mode,   \
            0, 0, NULL                                                                   \
    }
#define IF_HASH                                                                          \
    {                                                                                    \
        0, "if-hash", "SHA256", OPT_TEXT, offsetof(struct values, if_hash),              \
            "Only if that is what the file holds now", file_check_hash, 0, 0, NULL       \
    }
#define TIMEOUT                                                                          \
    {                                                                                    \
        't', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),     \
            "Give up after this time", NULL, 0, 0, NULL                                  \
    }

static const struct opt write_options[] = {
    FROM,
    IF_HASH,
    {0, "new", NULL, OPT_FLAG, offsetof(struct values, only_new),
     "Only if there is no such file yet", NULL, 0, 0, NULL},
    MODE,
    PARENTS,
    TIMEOUT,
    OPT_END,
};

static const struct opt append_options[] = {
    FROM,
    {0, "mode", "OCTAL", OPT_TEXT, offsetof(struct values, mode),
     "Mode of a file that is made by it, like 644", file_check_mode, 0, 0, NULL},
    PARENTS,
    TIMEOUT,
    OPT_END,
};

static const struct opt edit_options[] = {
    {'a', "all", NULL, OPT_FLAG, offsetof(struct values, all),
     "Replace every match, one or more; else there must be exactly one", NULL, 0, 0,
     NULL},
    {0, "old-file", "FILE", OPT_TEXT, offsetof(struct values, old_file),
     "Read OLD from this file here", opt_check_filled, 0, 0, "file"},
    {0, "new-file", "FILE", OPT_TEXT, offsetof(struct values, new_file),
     "Read NEW from this file here", opt_check_filled, 0, 0, "file"},
    IF_HASH,
    TIMEOUT,
    OPT_END,
};

static int open_input(const struct values *values, int *fd, sbx_error *err)
{
    if (values->from == NULL) {
        *fd = STDIN_FILENO;
        return SBX_OK;
    }
    *fd = open(values->from, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return fault_errno(err, SBX_ERR_INVALID, "open '%s'", values->from);
    return SBX_OK;
}

static int say(const struct file_job *job, int rc, sbx_file_written *written)
{
    if (rc == SBX_OK && job->app->json)
        out_json(sbx_file_written_json(written));
    sbx_file_written_free(rc == SBX_OK ? written : NULL);
    return rc;
}

static int put(const struct file_job *job, bool append, sbx_error *err)
{
    const struct values *values = job->values;
    sbx_file_write_opts opts = {.size = sizeof(opts),
                                .flags = SBX_FILE_INPUT_FD,
                                .mode = file_mode(values->mode),
                                .if_sha256 = values->if_hash,
                                .timeout_ms =
                                    values->timeout_ms > 0 ? values->timeout_ms : -1,
                                .cancel = job->app->cancel};
    sbx_file_written *written = NULL;
    int fd = -1;
    int rc = open_input(values, &fd, err);

    if (rc < 0)
        return rc;
    opts.input_fd = fd;
    opts.flags |=
        (values->parents ? SBX_FILE_PARENTS : 0) | (values->only_new ? SBX_FILE_NEW : 0);
    if (append)
        rc = sbx_file_append(job->session, job->path, NULL, 0, &opts, &written, err);
    else
        opts.flags |= job->app->json ? SBX_FILE_SUM : 0;
    if (!append)
        rc = sbx_file_write(job->session, job->path, NULL, 0, &opts, &written, err);
    if (values->from != NULL)
        (void)close(fd);
    return say(job, rc, written);
}

static int write_it(const struct file_job *job, sbx_error *err)
{
    return put(job, false, err);
}

static int append_it(const struct file_job *job, sbx_error *err)
{
    return put(job, true, err);
}

static int run_put(struct app *app, const struct values *values,
                   const struct words *operands, file_fn fn)
{
    if (values->if_hash != NULL && values->only_new)
        return app_misused(app, "more than one of '--if-hash' and '--new'");
    if (values->from == NULL && isatty(STDIN_FILENO)) {
        out_note("standard input is a terminal");
        out_note("try: --from FILE, or a pipe or a file as standard input");
        return 2;
    }
    return file_first(app, values, operands, fn);
}

static int run_write(struct app *app, const void *values, const struct words *operands)
{
    return run_put(app, values, operands, write_it);
}

static int run_append(struct app *app, const void *values, const struct words *operands)
{
    return run_put(app, values, operands, append_it);
}

/* OLD and NEW: each from its file, else the next word of the command line. */
static int edit_it(const struct file_job *job, sbx_error *err)
{
    const struct values *values = job->values;
    const sbx_file_edit_opts opts = {.size = sizeof(opts),
                                     .flags = values->all ? SBX_FILE_ALL : 0,
                                     .if_sha256 = values->if_hash,
                                     .timeout_ms = values->timeout_ms,
                                     .cancel = job->app->cancel};
    const char *const files[2] = {values->old_file, values->new_file};
    struct text texts[2] = {{0}, {0}};
    sbx_file_written *written = NULL;
    size_t word = 1, i;
    int rc = SBX_OK;

    for (i = 0; i < 2 && rc == SBX_OK; i++) {
        if (files[i] != NULL)
            rc = read_file(files[i], MOST_TEXT, &texts[i], err);
        else
            text_add(&texts[i], job->operands->items[word++]);
    }
    if (rc == SBX_OK)
        rc = sbx_file_edit(job->session, job->path, texts[0].data, texts[0].length,
                           texts[1].data, texts[1].length, &opts, &written, err);
    text_clear(&texts[0]);
    text_clear(&texts[1]);
    return say(job, rc, written);
}

static int run_edit(struct app *app, const void *given, const struct words *operands)
{
    const struct values *values = given;
    size_t wanted = 3u - (values->old_file != NULL) - (values->new_file != NULL);

    if (operands->count < wanted)
        return app_misused(app, "no %s given",
                           operands->count == 1 && values->old_file == NULL ? "OLD"
                                                                            : "NEW");
    if (operands->count > wanted)
        return app_misused(app, "one word too many: '%s'", operands->items[wanted]);
    return file_first(app, values, operands, edit_it);
}

const struct cmd cmd_file_write = {
    .name = "file write",
    .usage = "[OPTION]... PLACE:PATH",
    .help = "Replace a file whole with standard input, or make it",
    .about = "The file is old or new at every moment, never half: what is read is put "
             "beside it and renamed when all of it is there. Mode is kept; through a "
             "link, what it points to is replaced.",
    .examples = "file write gpu1:run.sh < run.sh\n"
                "file write --new -p --mode 755 --from run.sh gpu1:bin/run",
    .options = write_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = 1,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_write,
};

const struct cmd cmd_file_append = {
    .name = "file append",
    .usage = "[OPTION]... PLACE:PATH",
    .help = "Add standard input to the end of a file, or make it",
    .about = "All of it is over there before the first byte is added.",
    .examples = "file append gpu1:notes.txt < more.txt",
    .options = append_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = 1,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_append,
};

const struct cmd cmd_file_edit = {
    .name = "file edit",
    .usage = "[OPTION]... PLACE:PATH [OLD] [NEW]",
    .help = "Replace an exact text in a file",
    .about = "OLD must be in the file exactly once, unless --all. Nothing in it is a "
             "pattern. What another program writes to the file meanwhile is not lost.",
    .examples = "file edit gpu1:run.sh lr=0.1 lr=0.01\n"
                "file edit --all --old-file old.txt --new-file new.txt gpu1:notes.md",
    .options = edit_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = 3,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_edit,
};
