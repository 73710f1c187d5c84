/* cmd_file_look.c - `file stat`, `file ls`, `file sum`: what is told of files. */
#include "cmd.h"
#include "file_run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct values {
    int64_t follow;
    int64_t recursive;
    int64_t is_long;
    int64_t nul;
    int64_t limit;
    const char *glob;
    int64_t timeout_ms;
};

#define TIMEOUT                                                                          \
    {                                                                                    \
        't', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),     \
            "Give up after this time, instead of five minutes", NULL, 0, 0, NULL         \
    }

static const struct opt stat_options[] = {
    {'L', "follow", NULL, OPT_FLAG, offsetof(struct values, follow),
     "Of a link, tell of what it points to", NULL, 0, 0, NULL},
    TIMEOUT,
    OPT_END,
};

static const struct opt ls_options[] = {
    {'l', "long", NULL, OPT_FLAG, offsetof(struct values, is_long),
     "Tell mode, size and time too, and where links point to", NULL, 0, 0, NULL},
    {'r', "recursive", NULL, OPT_FLAG, offsetof(struct values, recursive),
     "With all that is below", NULL, 0, 0, NULL},
    {0, "glob", "PATTERN", OPT_TEXT, offsetof(struct values, glob),
     "Only what goes by it: '*.py'; with a slash it is of the whole path: 'src/**/*.py'",
     opt_check_filled, 0, 0, NULL},
    {0, "limit", "N", OPT_INT, offsetof(struct values, limit),
     "List at most N, instead of 10000", NULL, 1, 100000000, NULL},
    {'0', "null", NULL, OPT_FLAG, offsetof(struct values, nul),
     "End each name with a NUL instead of a newline", NULL, 0, 0, NULL},
    TIMEOUT,
    OPT_END,
};

static const struct opt sum_options[] = {
    TIMEOUT,
    OPT_END,
};

/* In UTC, as the far side's zone is not known here. */
static void add_time(struct text *line, const sbx_file_info *info, bool whole)
{
    int64_t ns = info->mtime_ns % 1000000000;
    time_t second = (time_t)(info->mtime_ns / 1000000000);
    struct tm parts;
    char shown[32];

    if (ns < 0) {
        second--;
        ns += 1000000000;
    }
    if (info->mtime_ns == INT64_MIN || gmtime_r(&second, &parts) == NULL ||
        strftime(shown, sizeof(shown), "%Y-%m-%d %H:%M:%S", &parts) == 0) {
        text_addf(line, "%19s", "-");
        return;
    }
    text_add(line, shown);
    if (whole && info->mtime_step_ns < 1000000000)
        text_addf(line, ".%09lld", (long long)ns);
    if (whole)
        text_add(line, " UTC");
}

static int print_stat(const struct file_job *job, sbx_error *err)
{
    const struct values *values = job->values;
    const sbx_file_opts opts = {.size = sizeof(opts),
                                .flags = values->follow ? SBX_FILE_FOLLOW : 0,
                                .timeout_ms = values->timeout_ms,
                                .cancel = job->app->cancel};
    AUTO_TEXT text = {0};
    sbx_file_info *info = NULL;
    int rc = sbx_file_stat(job->session, job->path, &opts, &info, err);

    if (rc < 0)
        return rc;
    if (job->app->json) {
        out_json(sbx_file_info_json(info));
    } else {
        text_add(&text, "path    ");
        file_add_name(&text, info->path);
        text_addf(&text, "\nkind    %s\nsize    %lld\nmode    %04o\nmtime   ",
                  sbx_file_kind_name(info->kind), (long long)info->size,
                  (unsigned)info->mode);
        add_time(&text, info, true);
        text_addf(&text, "\nowner   %lld:%lld\nlinks   %lld\n", (long long)info->uid,
                  (long long)info->gid, (long long)info->links);
        if (info->target != NULL) {
            text_add(&text, "target  ");
            file_add_name(&text, info->target);
            text_add(&text, "\n");
        }
        (void)fwrite(text.data, 1, text.length, stdout);
    }
    sbx_file_info_free(info);
    return rc;
}

/* "drwxr-xr-x", as ls(1) has it. */
static void add_mode(struct text *line, const sbx_file_info *info)
{
    static const char letters[] = "?-dlpscb?";
    static const char special[] = "sst";
    char shown[11] = {letters[info->kind]};
    unsigned i;

    for (i = 0; i < 9; i++)
        shown[i + 1] = '-';
    for (i = 0; i < 9; i++)
        if ((info->mode & (0400u >> i)) != 0)
            shown[i + 1] = "rwx"[i % 3];
    for (i = 0; i < 3; i++) {
        char *at = &shown[3 * i + 3];

        if ((info->mode & (04000u >> i)) != 0)
            *at = *at == 'x' ? special[i] : (char)(special[i] - 'a' + 'A');
    }
    text_add(line, shown);
}

static void print_entry(const struct values *values, const sbx_file_info *info)
{
    AUTO_TEXT line = {0};

    if (values->nul) {
        (void)fwrite(info->path, 1, strlen(info->path) + 1, stdout);
        return;
    }
    if (values->is_long) {
        add_mode(&line, info);
        text_addf(&line, " %12lld ", (long long)info->size);
        add_time(&line, info, false);
        text_add(&line, " ");
    }
    file_add_name(&line, info->path);
    if (info->kind == SBX_FILE_FOLDER)
        text_add(&line, "/");
    if (values->is_long && info->target != NULL) {
        text_add(&line, " -> ");
        file_add_name(&line, info->target);
    }
    (void)fwrite(line.data, 1, line.length, stdout);
    (void)fputc('\n', stdout);
}

/* What of a listing is missing is told, so that nobody takes it for all. */
static void note_missing(const struct file_job *job, const sbx_file_listing *listing)
{
    const char *line = listing->complaints;

    if (listing->truncated) {
        out_note("%s:%s: only %zu of more are listed", sbx_session_place(job->session),
                 job->path, listing->count);
        out_note("try: --limit N, or --glob PATTERN");
    }
    if (!listing->incomplete)
        return;
    out_note("%s:%s: a part could not be read: %.*s", sbx_session_place(job->session),
             job->path, (int)strcspn(line, "\n"), line);
}

static int print_list(const struct file_job *job, sbx_error *err)
{
    const struct values *values = job->values;
    const sbx_file_list_opts opts = {.size = sizeof(opts),
                                     .flags = values->recursive ? SBX_FILE_RECURSIVE : 0,
                                     .glob = values->glob,
                                     .limit = values->limit,
                                     .timeout_ms = values->timeout_ms,
                                     .cancel = job->app->cancel};
    sbx_file_listing *listing = NULL;
    size_t i;
    int rc = sbx_file_list(job->session, job->path, &opts, &listing, err);

    if (rc < 0)
        return rc;
    if (job->app->json)
        out_json(sbx_file_listing_json(listing));
    else
        for (i = 0; i < listing->count; i++)
            print_entry(values, listing->items[i]);
    (void)fflush(stdout);
    note_missing(job, listing);
    sbx_file_listing_free(listing);
    return rc;
}

/* As sha256sum(1) prints it, with the algorithm in front where it is another. */
static int print_sum(const struct file_job *job, sbx_error *err)
{
    const struct values *values = job->values;
    const sbx_file_opts opts = {.size = sizeof(opts),
                                .timeout_ms = values->timeout_ms,
                                .cancel = job->app->cancel};
    AUTO_TEXT line = {0};
    sbx_file_sum *sum = NULL;
    int rc = sbx_file_checksum(job->session, job->path, &opts, &sum, err);

    if (rc < 0)
        return rc;
    if (job->app->json) {
        out_json(sbx_file_sum_json(sum));
    } else {
        if (strcmp(sum->algorithm, "sha256") != 0)
            text_addf(&line, "%s:", sum->algorithm);
        text_addf(&line, "%s  ", sum->digest);
        file_add_name(&line, sum->path);
        (void)printf("%s\n", line.data);
    }
    sbx_file_sum_free(sum);
    return rc;
}

static int run_stat(struct app *app, const void *values, const struct words *operands)
{
    return file_each(app, values, operands, print_stat);
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    return file_first(app, values, operands, print_list);
}

static int run_sum(struct app *app, const void *values, const struct words *operands)
{
    return file_each(app, values, operands, print_sum);
}

const struct cmd cmd_file_stat = {
    .name = "file stat",
    .usage = "[OPTION]... PLACE:PATH...",
    .help = "Tell kind, size, mode, times and owner of files",
    .examples = "file stat gpu1:train.py\nfile stat -L local:/etc/localtime --json",
    .options = stat_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_stat,
};

const struct cmd cmd_file_ls = {
    .name = "file ls",
    .usage = "[OPTION]... PLACE:PATH",
    .help = "List a folder",
    .about = "Names are sorted by their bytes; a folder's ends in a slash.",
    .examples = "file ls gpu1:\nfile ls -lr --glob '*.py' gpu1:proj\n"
                "file ls -r0 gpu1:runs | xargs -0 -n1 echo",
    .options = ls_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = 1,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_ls,
};

const struct cmd cmd_file_sum = {
    .name = "file sum",
    .usage = "[OPTION]... PLACE:PATH...",
    .help = "Print the SHA-256 of files, computed over there",
    .about = "Where no tool for it is over there it is the CRC of cksum(1), and says so.",
    .examples = "file sum gpu1:model.bin",
    .options = sum_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_sum,
};
