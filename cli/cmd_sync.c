/* cmd_sync.c - `sync push`, `sync pull`, and `cp` as the short form of both. */
#include "address.h"
#include "cmd.h"
#include "sync_run.h"

#include <string.h>

/* LOCAL, which the rule of paths would take for an address, is a slip. */
static int read_local(const char *word, sbx_error *err)
{
    AUTO_ADDRESS address = {0};
    int rc = address_read(word, &address, err);

    if (rc < 0 || address.place == NULL)
        return rc;
    return fault_fix(err,
                     fault(err, SBX_ERR_INVALID,
                           "'%s' is on a place, and LOCAL is on this machine", word),
                     "./%s, if a file here is called so", word);
}

static int run_push(struct app *app, const void *values, const struct words *operands)
{
    AUTO_ADDRESS target = {0};
    sbx_error err = {0};

    if (read_local(operands->items[0], &err) < 0 ||
        address_read_placed(operands->items[1], &target, &err) < 0)
        return app_failed(app, &err);
    return sync_run(app, values, SBX_SYNC_PUSH, target.place, operands->items[0],
                    target.path);
}

static int run_pull(struct app *app, const void *values, const struct words *operands)
{
    AUTO_ADDRESS source = {0};
    sbx_error err = {0};

    if (address_read_placed(operands->items[0], &source, &err) < 0 ||
        read_local(operands->items[1], &err) < 0)
        return app_failed(app, &err);
    return sync_run(app, values, SBX_SYNC_PULL, source.place, operands->items[1],
                    source.path);
}

static int run_cp(struct app *app, const void *values, const struct words *operands)
{
    AUTO_ADDRESS source = {0};
    AUTO_ADDRESS target = {0};
    sbx_error err = {0};
    int rc = address_read(operands->items[0], &source, &err);

    if (rc == SBX_OK)
        rc = address_read(operands->items[1], &target, &err);
    if (rc < 0)
        return app_failed(app, &err);
    if ((source.place == NULL) == (target.place == NULL))
        return app_misused(
            app, "'%s' and '%s' are both %s", operands->items[0], operands->items[1],
            source.place == NULL ? "on this machine: one must be PLACE:PATH"
                                 : "on places: one must be a path of this machine");
    if (source.place == NULL)
        return sync_run(app, values, SBX_SYNC_PUSH, target.place, operands->items[0],
                        target.path);
    return sync_run(app, values, SBX_SYNC_PULL, source.place, operands->items[1],
                    source.path);
}

static const char about_both[] =
    "The second tree becomes equal to the first: what differs in size or time is carried, "
    "what is there alone stays unless --delete is given. A trailing slash changes nothing "
    "but for a single file, which goes into a folder that is named with one or is there.\n"
    "A file over there is the old or the new one at every moment. Rules are read from each "
    "folder's .sbxignore too.\n"
    "The status is 0 when all was done, 1 when some files failed, 2 when what is asked for "
    "is wrong or never done, 130 cancelled, 255 not connected or lost.";

const struct cmd cmd_sync_push = {
    .name = "sync push",
    .usage = "[OPTION]... LOCAL PLACE:PATH",
    .help = "Make a tree of a place equal to one here",
    .about = about_both,
    .examples = "sync push . gpu1:proj\n"
                "sync push --git --delete . gpu1:proj\n"
                "sync push -n --exclude '*.pt' data gpu1:/scratch/data",
    .options = sync_options,
    .values_size = sizeof(struct sync_values),
    .least = 2,
    .most = 2,
    .operand = "LOCAL",
    .second = "PLACE:PATH",
    .completes = "file|address",
    .run = run_push,
};

const struct cmd cmd_sync_pull = {
    .name = "sync pull",
    .usage = "[OPTION]... PLACE:PATH LOCAL",
    .help = "Make a tree here equal to one of a place",
    .about = about_both,
    .examples = "sync pull gpu1:proj/results results\n"
                "sync pull --delete --plan TOKEN gpu1:proj/results results",
    .options = sync_options,
    .values_size = sizeof(struct sync_values),
    .least = 2,
    .most = 2,
    .operand = "PLACE:PATH",
    .second = "LOCAL",
    .completes = "address|file",
    .run = run_pull,
};

static const struct cmd *const commands[] = {&cmd_sync_push, &cmd_sync_pull, NULL};

const struct cmd cmd_sync = {
    .name = "sync",
    .usage = "COMMAND ...",
    .help = "Make a tree here and a tree of a place alike",
    .examples = "sync push . gpu1:proj\nsync pull gpu1:proj/results results",
    .options = cmd_no_options,
    .commands = commands,
};

const struct cmd cmd_cp = {
    .name = "cp",
    .usage = "[OPTION]... LOCAL PLACE:PATH | PLACE:PATH LOCAL",
    .help = "Copy a file or a tree to a place or from one",
    .about = about_both,
    .examples = "cp train.py gpu1:proj/\ncp gpu1:proj/model.pt .",
    .options = sync_options,
    .values_size = sizeof(struct sync_values),
    .least = 2,
    .most = 2,
    .operand = "SOURCE",
    .second = "TARGET",
    .completes = "file-or-address",
    .run = run_cp,
};
