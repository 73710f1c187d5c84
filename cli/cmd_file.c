/* cmd_file.c - `file`: the group, and what changes names: mkdir, cp, mv, rm. */
#include "cmd.h"
#include "file_run.h"

struct values {
    int64_t recursive;
    int64_t force;
    int64_t parents;
    const char *mode;
    int64_t timeout_ms;
};

#define TIMEOUT                                                                          \
    {                                                                                    \
        't', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),     \
            "Give up after this time, instead of five minutes", NULL, 0, 0, NULL         \
    }

static const struct opt mkdir_options[] = {
    {'p', "parents", NULL, OPT_FLAG, offsetof(struct values, parents),
     "Make the folders above too; one that is there already is fine", NULL, 0, 0, NULL},
    {0, "mode", "OCTAL", OPT_TEXT, offsetof(struct values, mode),
     "Mode of the new folder, like 755", file_check_mode, 0, 0, NULL},
    TIMEOUT,
    OPT_END,
};

static const struct opt cp_options[] = {
    {'r', "recursive", NULL, OPT_FLAG, offsetof(struct values, recursive),
     "Copy a folder with all that is in it", NULL, 0, 0, NULL},
    {'f', "force", NULL, OPT_FLAG, offsetof(struct values, force),
     "Replace a file that is there", NULL, 0, 0, NULL},
    {'p', "parents", NULL, OPT_FLAG, offsetof(struct values, parents),
     "Make the folders above the target", NULL, 0, 0, NULL},
    TIMEOUT,
    OPT_END,
};

static const struct opt mv_options[] = {
    {'f', "force", NULL, OPT_FLAG, offsetof(struct values, force),
     "Replace a file that is there", NULL, 0, 0, NULL},
    {'p', "parents", NULL, OPT_FLAG, offsetof(struct values, parents),
     "Make the folders above the target", NULL, 0, 0, NULL},
    TIMEOUT,
    OPT_END,
};

static const struct opt rm_options[] = {
    {'r', "recursive", NULL, OPT_FLAG, offsetof(struct values, recursive),
     "Remove a folder with all that is in it", NULL, 0, 0, NULL},
    {'f', "force", NULL, OPT_FLAG, offsetof(struct values, force),
     "What is not there is fine", NULL, 0, 0, NULL},
    TIMEOUT,
    OPT_END,
};

static sbx_file_opts opts_of(const struct file_job *job, uint64_t force)
{
    const struct values *values = job->values;
    sbx_file_opts opts = {
        .size = sizeof(opts),
        .mode = file_mode(values->mode),
        .timeout_ms = values->timeout_ms,
        .cancel = job->app->cancel,
    };

    opts.flags = (values->recursive ? SBX_FILE_RECURSIVE : 0) |
                 (values->parents ? SBX_FILE_PARENTS : 0) | (values->force ? force : 0);
    return opts;
}

static int done(const struct file_job *job, int rc)
{
    if (rc == SBX_OK)
        file_say_done(job);
    return rc;
}

static int make(const struct file_job *job, sbx_error *err)
{
    sbx_file_opts opts = opts_of(job, 0);

    return done(job, sbx_file_make_folder(job->session, job->path, &opts, err));
}

static int copy(const struct file_job *job, sbx_error *err)
{
    sbx_file_opts opts = opts_of(job, SBX_FILE_OVERWRITE);

    return done(job, sbx_file_copy(job->session, job->path, job->other, &opts, err));
}

static int move(const struct file_job *job, sbx_error *err)
{
    sbx_file_opts opts = opts_of(job, SBX_FILE_OVERWRITE);

    return done(job, sbx_file_move(job->session, job->path, job->other, &opts, err));
}

static int remove_one(const struct file_job *job, sbx_error *err)
{
    sbx_file_opts opts = opts_of(job, SBX_FILE_MISSING_OK);

    return done(job, sbx_file_remove(job->session, job->path, &opts, err));
}

static int run_mkdir(struct app *app, const void *values, const struct words *operands)
{
    return file_each(app, values, operands, make);
}

static int run_cp(struct app *app, const void *values, const struct words *operands)
{
    return file_both(app, values, operands, copy);
}

static int run_mv(struct app *app, const void *values, const struct words *operands)
{
    return file_both(app, values, operands, move);
}

static int run_rm(struct app *app, const void *values, const struct words *operands)
{
    return file_each(app, values, operands, remove_one);
}

const struct cmd cmd_file_mkdir = {
    .name = "file mkdir",
    .usage = "[OPTION]... PLACE:PATH...",
    .help = "Make folders",
    .examples = "file mkdir gpu1:runs\nfile mkdir -p gpu1:~/a/b/c",
    .options = mkdir_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_mkdir,
};

const struct cmd cmd_file_cp = {
    .name = "file cp",
    .usage = "[OPTION]... PLACE:FROM PLACE:TO",
    .help = "Copy a file or a folder within one place",
    .about = "TO is the new name; with a slash at its end it is the folder to put it in. "
             "Modes and times are kept; the copy appears whole.",
    .examples = "file cp gpu1:a.txt gpu1:b.txt\nfile cp -r gpu1:run1 gpu1:old/",
    .options = cp_options,
    .values_size = sizeof(struct values),
    .least = 2,
    .most = 2,
    .operand = "PLACE:FROM",
    .second = "PLACE:TO",
    .completes = "address",
    .run = run_cp,
};

const struct cmd cmd_file_mv = {
    .name = "file mv",
    .usage = "[OPTION]... PLACE:FROM PLACE:TO",
    .help = "Rename or move a file or a folder within one place",
    .about = "TO is the new name; with a slash at its end it is the folder to put it in. "
             "A folder is never replaced.",
    .examples = "file mv gpu1:a.txt gpu1:b.txt\nfile mv gpu1:run1 gpu1:old/",
    .options = mv_options,
    .values_size = sizeof(struct values),
    .least = 2,
    .most = 2,
    .operand = "PLACE:FROM",
    .second = "PLACE:TO",
    .completes = "address",
    .run = run_mv,
};

const struct cmd cmd_file_rm = {
    .name = "file rm",
    .usage = "[OPTION]... PLACE:PATH...",
    .help = "Remove files and links, and with -r folders",
    .about = "Never the root folder, a home folder, or a folder that one lies in.",
    .examples = "file rm gpu1:core\nfile rm -r gpu1:runs/old",
    .options = rm_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_rm,
};

static const struct cmd *const commands[] = {
    &cmd_file_stat, &cmd_file_ls,     &cmd_file_cat,   &cmd_file_write,
    &cmd_file_edit, &cmd_file_append, &cmd_file_mkdir, &cmd_file_cp,
    &cmd_file_mv,   &cmd_file_rm,     &cmd_file_sum,   NULL,
};

const struct cmd cmd_file = {
    .name = "file",
    .usage = "COMMAND ...",
    .help = "Look at, read, write and edit files of a place",
    .about =
        "A file is PLACE:PATH. PATH is absolute, ~ or ~/..., or relative to where "
        "commands of the place start.\n"
        "The status is 1 where the place says no: not there, no permission, no space.",
    .examples = "file ls gpu1:proj\nfile cat --lines -20: gpu1:train.log\n"
                "file write gpu1:run.sh < run.sh",
    .options = cmd_no_options,
    .commands = commands,
};
