/* lease.c - leases are taken, listed and given up by one script. */
#include <sandbox/lease.h>

#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/json.h"
#include "base/opts.h"
#include "probe/lease_record.h"
#include "probe/lease_script.h"

#include <sandbox/exec.h>

#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 30000
#define HOUR_S 3600
#define LONGEST_S ((int64_t)366 * 24 * HOUR_S)
#define MOST_GPUS 64
#define LONGEST_GPU 128
#define SHORTEST_UUID 10
#define LONGEST_PURPOSE 200
#define MOST_OUTPUT ((int64_t)1024 * 1024)
#define FIXED_WORDS 10

/* What a call asks of the script. */
struct asking {
    const char *verb;
    const char *action; /* for messages: "take a GPU of" */
    const char *const *gpus;
    sbx_lease_opts opts;
};

static const struct sbi_complaint failures[] = {
    {"flock", SBX_ERR_UNSUPPORTED, "flock is not there", ": ",
     "install util-linux there"},
    {"nolock", SBX_ERR_IO, "the lock cannot be opened", ": ", NULL},
    {"busy", SBX_ERR_TIMEOUT, "somebody holds the lock of the leases", ": ", "try again"},
    {"folder", SBX_ERR_IO, "there is no folder for leases that is ours", ": ", NULL},
    {"write", SBX_ERR_IO, "it cannot be written", ": ", NULL},
    {"noholder", SBX_ERR_INVALID, "no process of that number runs there", ": ", NULL},
    {"notmine", SBX_ERR_CONFLICT, "there is no live lease of ours for it", ": ",
     "take it again"},
};

static const struct sbi_complaints known = {"sbx-lease:", failures,
                                            sizeof(failures) / sizeof(failures[0])};

static size_t count_of(const char *const *gpus)
{
    size_t count = 0;

    while (gpus != NULL && gpus[count] != NULL)
        count++;
    return count;
}

/* It becomes a file name over there, and a word of a line. */
static bool is_gpu(const char *gpu)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.:/";

    return gpu[0] != '\0' && gpu[0] != '.' && strlen(gpu) <= LONGEST_GPU &&
           gpu[strspn(gpu, allowed)] == '\0';
}

/* A second lease by another name would be of the same GPU. */
static bool is_number(const char *gpu)
{
    return strlen(gpu) < SHORTEST_UUID && gpu[strspn(gpu, "0123456789.")] == '\0';
}

static bool is_line(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at >= ' ' && *at != 0x7F)
        at++;
    return *at == '\0' && strlen(text) <= LONGEST_PURPOSE;
}

static int check_gpus(const char *const *gpus, sbx_error *err)
{
    size_t count = count_of(gpus), i;

    if (count == 0)
        return sbi_fail(err, SBX_ERR_INVALID, "no GPU is named");
    if (count > MOST_GPUS)
        return sbi_fail(err, SBX_ERR_INVALID, "%zu GPUs are named, %d at most", count,
                        MOST_GPUS);
    for (i = 0; i < count; i++) {
        if (!is_gpu(gpus[i]))
            return sbi_fail(err, SBX_ERR_INVALID, "'%.140s' names no GPU", gpus[i]);
        if (is_number(gpus[i]))
            return sbi_fix(
                err,
                sbi_fail(err, SBX_ERR_INVALID,
                         "'%s' is a number, and a lease is for a GPU by its UUID",
                         gpus[i]),
                NULL, "the UUID that sbx_probe (sbx probe --json) tells");
    }
    return SBX_OK;
}

static int check_opts(struct asking *asking, sbx_error *err)
{
    sbx_lease_opts *opts = &asking->opts;
    int64_t named = (int64_t)count_of(asking->gpus);

    if (opts->count == 0)
        opts->count = named;
    if (opts->for_s == 0 && opts->pid == 0)
        opts->for_s = HOUR_S;
    if (opts->timeout_ms == 0)
        opts->timeout_ms = DEFAULT_TIMEOUT_MS;
    if (opts->purpose == NULL)
        opts->purpose = "";
    if (opts->count < 0 || (asking->gpus != NULL && opts->count > named))
        return sbi_fail(err, SBX_ERR_INVALID, "%lld of %lld GPUs", (long long)opts->count,
                        (long long)named);
    if (opts->pid < 0 || opts->pid > INT32_MAX)
        return sbi_fail(err, SBX_ERR_INVALID, "no pid: %lld", (long long)opts->pid);
    if (opts->for_s < 0 || opts->for_s > LONGEST_S)
        return sbi_fail(err, SBX_ERR_INVALID, "for %lld s: not from 1 s to a year",
                        (long long)opts->for_s);
    if (!is_line(opts->purpose))
        return sbi_fail(err, SBX_ERR_INVALID, "a purpose is one line of at most %d bytes",
                        LONGEST_PURPOSE);
    return SBX_OK;
}

/* "gpu0 is anna's (pid 12, training); ..." of those that stand in the way. */
static int tell_short(const sbx_exec_result *result, const struct asking *asking,
                      const char *got, size_t length, sbx_error *err)
{
    sbx_lease_list *list = NULL;
    char who[240] = "";
    size_t used = 0, i;
    int rc;

    rc = sbi_lease_list_read(result->output, result->output_length, "", &list, err);
    if (rc < 0)
        return rc;
    for (i = 0; i < list->count && used < sizeof(who); i++)
        used += (size_t)snprintf(
            who + used, sizeof(who) - used, "%s%s is %s's%s%s", i == 0 ? ": " : "; ",
            list->items[i].gpu, list->items[i].user,
            list->items[i].purpose[0] == '\0' ? "" : ", for ", list->items[i].purpose);
    sbx_lease_list_free(list);
    (void)sbi_fail(err, SBX_ERR_CONFLICT, "%lld wanted, %.*s free%s",
                   (long long)asking->opts.count, (int)length, got, who);
    return sbi_fix(err, SBX_ERR_CONFLICT, NULL, "sbx lease ls, sbx top --once");
}

static int judge(const sbx_exec_result *result, const struct asking *asking,
                 sbx_error *err)
{
    static const char shortage[] = "short ";
    const char *line = sbi_complaint_find(&known, result->errors);
    int rc = sbx_exec_check_end(result, err);
    size_t length;

    if (rc < 0)
        return rc;
    if (result->exit_code == 0 || line == NULL ||
        strncmp(line, shortage, strlen(shortage)) != 0)
        return sbi_complaint_judge(&known, result->exit_code, result->errors, err);
    line += strlen(shortage);
    length = strcspn(line, "\n");
    return tell_short(result, asking, line, length < 8 ? length : 8, err);
}

static int run(sbx_session *session, const struct asking *asking, sbx_exec_result **out,
               sbx_error *err)
{
    const sbx_lease_opts *opts = &asking->opts;
    const char *argv[FIXED_WORDS + MOST_GPUS] = {
        "/bin/sh", "-c", sbi_lease_script, "sbx", asking->verb, NULL};
    char count[24], pid[24], seconds[24];
    size_t used = 5, i;

    (void)snprintf(count, sizeof(count), "%lld", (long long)opts->count);
    (void)snprintf(pid, sizeof(pid), "%lld", (long long)opts->pid);
    (void)snprintf(seconds, sizeof(seconds), "%lld", (long long)opts->for_s);
    argv[used++] = count;
    argv[used++] = pid;
    argv[used++] = seconds;
    argv[used++] = opts->purpose;
    for (i = 0; asking->gpus != NULL && asking->gpus[i] != NULL; i++)
        argv[used++] = asking->gpus[i];
    argv[used] = NULL;
    return sbx_exec_argv(session, argv,
                         &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_NO_SPOOL,
                                   .timeout_ms = opts->timeout_ms,
                                   .output_limit = MOST_OUTPUT, .cancel = opts->cancel),
                         out, err);
}

static int ask(sbx_session *session, struct asking *asking, sbx_lease_list **out,
               sbx_error *err)
{
    sbx_exec_result *result = NULL;
    int rc;

    rc = check_opts(asking, err);
    if (rc == SBX_OK)
        rc = run(session, asking, &result, err);
    if (rc == SBX_OK)
        rc = judge(result, asking, err);
    if (rc == SBX_OK)
        rc = sbi_lease_list_read(result->output, result->output_length,
                                 sbx_session_place(session), out, err);
    sbx_exec_result_free(result);
    return rc;
}

static int call(sbx_session *session, struct asking *asking, const sbx_lease_opts *theirs,
                sbx_lease_list **out, sbx_error *err)
{
    int rc;

    if (session == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "%s: no session is given", asking->action);
    rc = sbi_opts_read(&asking->opts, sizeof(asking->opts), theirs, err);
    if (rc == SBX_OK)
        rc = ask(session, asking, out, err);
    return rc < 0
               ? sbi_wrap(err, rc, "%s '%s'", asking->action, sbx_session_place(session))
               : SBX_OK;
}

static int call_named(sbx_session *session, struct asking *asking,
                      const sbx_lease_opts *theirs, sbx_lease_list **out, sbx_error *err)
{
    int rc = check_gpus(asking->gpus, err);

    return rc < 0 ? sbi_wrap(err, rc, "%s", asking->action)
                  : call(session, asking, theirs, out, err);
}

int sbx_lease_all(sbx_session *session, const sbx_lease_opts *opts, sbx_lease_list **out,
                  sbx_error *err)
{
    struct asking asking = {.verb = "ls", .action = "list the leases of"};

    return call(session, &asking, opts, out, err);
}

int sbx_lease_take(sbx_session *session, const char *const *gpus,
                   const sbx_lease_opts *opts, sbx_lease_list **out, sbx_error *err)
{
    struct asking asking = {.verb = "take", .action = "take GPUs of", .gpus = gpus};

    return call_named(session, &asking, opts, out, err);
}

int sbx_lease_renew(sbx_session *session, const char *const *gpus,
                    const sbx_lease_opts *opts, sbx_lease_list **out, sbx_error *err)
{
    struct asking asking = {.verb = "renew", .action = "renew leases of", .gpus = gpus};

    return call_named(session, &asking, opts, out, err);
}

int sbx_lease_release(sbx_session *session, const char *const *gpus,
                      const sbx_lease_opts *opts, sbx_lease_list **out, sbx_error *err)
{
    struct asking asking = {.verb = "free", .action = "give up GPUs of", .gpus = gpus};

    return gpus == NULL ? call(session, &asking, opts, out, err)
                        : call_named(session, &asking, opts, out, err);
}

int sbx_lease_collect(sbx_session *session, const sbx_lease_opts *opts,
                      sbx_lease_list **out, sbx_error *err)
{
    struct asking asking = {.verb = "gc", .action = "remove dead leases of"};

    return call(session, &asking, opts, out, err);
}

char *sbx_lease_json(const char *place, const sbx_lease *lease)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();

    sbi_json_add_text(json, "place", place);
    sbi_json_add_text(json, "gpu", lease->gpu);
    sbi_json_add_text(json, "state", sbx_lease_state_name(lease->state));
    sbi_json_add_text(json, "user", lease->user);
    sbi_json_add_text(json, "purpose", lease->purpose[0] == '\0' ? NULL : lease->purpose);
    (void)cJSON_AddBoolToObject(json, "mine", lease->mine);
    if (lease->pid != 0)
        (void)cJSON_AddNumberToObject(json, "pid", (double)lease->pid);
    else
        (void)cJSON_AddNullToObject(json, "pid");
    (void)cJSON_AddNumberToObject(json, "taken_at", (double)lease->taken_at_s);
    (void)cJSON_AddNumberToObject(json, "renewed_at", (double)lease->renewed_at_s);
    if (lease->expires_at_s != 0)
        (void)cJSON_AddNumberToObject(json, "expires_at", (double)lease->expires_at_s);
    else
        (void)cJSON_AddNullToObject(json, "expires_at");
    return sbi_json_print(json);
}
