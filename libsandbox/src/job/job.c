/* job.c - asks for one job or all, and says in words and numbers what came. */
#include "job/call.h"
#include "job/owner.h"
#include "job/record_parse.h"
#include "job/result.h"
#include "job/script.h"

#include <stdio.h>
#include <string.h>

struct list {
    sbx_job_list public;
    char *place;
    sbx_job **items;
    size_t count;
};

static int ask(sbx_session *session, const struct sbi_call *call,
               struct sbi_records *records, sbx_error *err)
{
    SBI_AUTO_CALL_RESULT result = NULL;
    int rc = sbi_call(session, call, &result, err);

    if (rc < 0)
        return rc;
    rc = sbi_records_parse(result->output, result->output_length, records, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "%s on '%s'", call->action, sbx_session_place(session));
    return SBX_OK;
}

static int by_age(const void *a, const void *b)
{
    const sbx_job *left = *(sbx_job *const *)a, *right = *(sbx_job *const *)b;

    if (left->started_at_s != right->started_at_s)
        return left->started_at_s > right->started_at_s ? -1 : 1;
    return strcmp(left->id, right->id);
}

static void list_clear(struct list **list)
{
    sbx_job_list_free((sbx_job_list *)*list);
}

static int fill(struct list *list, struct sbi_records *records, sbx_error *err)
{
    int rc = SBX_OK;
    size_t i;

    list->items = calloc(records->count + 1, sizeof(*list->items));
    if (list->items == NULL || list->place == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    for (i = 0; i < records->count && rc == SBX_OK; i++) {
        rc = sbi_result_make(list->place, records, &records->items[i],
                             &list->items[list->count], err);
        list->count += rc == SBX_OK ? 1 : 0;
    }
    qsort(list->items, list->count, sizeof(*list->items), by_age);
    list->public.place = list->place;
    list->public.items = (const sbx_job *const *)list->items;
    list->public.count = list->count;
    list->public.truncated = records->truncated ? 1 : 0;
    return rc;
}

int sbx_job_list_all(sbx_session *session, const sbx_job_opts *theirs, sbx_job_list **out,
                     sbx_error *err)
{
    const char *const args[] = {"", NULL};
    struct sbi_call call = {
        .action = "list jobs", .id = "", .script = sbi_job_script_list, .args = args};
    SBI_CLEANUP(list_clear) struct list *list = NULL;
    SBI_AUTO_RECORDS records = {0};
    sbx_job_opts opts;
    int rc;

    if (session == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "list jobs: no session is given");
    rc = sbi_call_opts(theirs, &opts, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "list jobs");
    call.exec.timeout_ms = opts.timeout_ms;
    call.exec.cancel = opts.cancel;
    rc = ask(session, &call, &records, err);
    if (rc < 0)
        return rc;
    list = calloc(1, sizeof(*list));
    if (list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "list jobs: out of memory");
    list->place = strdup(sbx_session_place(session));
    rc = fill(list, &records, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "list jobs");
    *out = &SBI_STEAL(list)->public;
    return SBX_OK;
}

void sbx_job_list_free(sbx_job_list *public)
{
    struct list *list = (struct list *)public;
    size_t i;

    if (list == NULL)
        return;
    for (i = 0; i < list->count; i++)
        sbx_job_free(list->items[i]);
    free(list->items);
    free(list->place);
    free(list);
}

/* A call of one job, whose answer is that job. */
static int ask_of_one(sbx_session *session, struct sbi_call *call,
                      const sbx_job_opts *opts, sbx_job **out, sbx_error *err)
{
    SBI_AUTO_RECORDS records = {0};
    int rc;

    call->exec.timeout_ms = opts->timeout_ms;
    call->exec.cancel = opts->cancel;
    rc = ask(session, call, &records, err);
    if (rc < 0)
        return rc;
    rc = sbi_result_only(sbx_session_place(session), &records, out, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "%s '%s' on '%s'", call->action, call->id,
                        sbx_session_place(session));
    return SBX_OK;
}

int sbx_job_show(sbx_session *session, const char *id, const sbx_job_opts *theirs,
                 sbx_job **out, sbx_error *err)
{
    const char *const args[] = {id, NULL};
    struct sbi_call call = {
        .action = "show job", .id = id, .script = sbi_job_script_list, .args = args};
    sbx_job_opts opts;
    int rc = sbi_call_check_id(session, id, "show job", err);

    if (rc == SBX_OK)
        rc = sbi_call_opts(theirs, &opts, err);
    if (rc < 0)
        return rc;
    return ask_of_one(session, &call, &opts, out, err);
}

int sbx_job_stop(sbx_session *session, const char *id, const sbx_job_opts *theirs,
                 sbx_job **out, sbx_error *err)
{
    SBI_AUTOFREE char *by = NULL;
    char hundredths[24];
    sbx_job_opts opts;
    int rc = sbi_call_check_id(session, id, "stop job", err);

    if (rc == SBX_OK)
        rc = sbi_call_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = sbi_owner_text(opts.by, &by, err);
    if (rc < 0)
        return rc;
    (void)snprintf(hundredths, sizeof(hundredths), "%lld",
                   (long long)(opts.kill_after_ms / 10));
    {
        const char *const args[] = {id, by, hundredths, NULL};
        /* A caller that goes away meanwhile still wants the job ended. */
        struct sbi_call call = {.action = "stop job",
                                .id = id,
                                .script = sbi_job_script_stop,
                                .args = args,
                                .changes = true,
                                .exec = {.flags = SBX_EXEC_DETACH_ON_HANGUP}};

        if (theirs == NULL || theirs->timeout_ms == 0)
            opts.timeout_ms += opts.kill_after_ms;
        return ask_of_one(session, &call, &opts, out, err);
    }
}

int sbx_job_remove(sbx_session *session, const char *id, const sbx_job_opts *theirs,
                   sbx_error *err)
{
    const char *const args[] = {id, NULL};
    struct sbi_call call = {.action = "remove job",
                            .id = id,
                            .script = sbi_job_script_remove,
                            .args = args,
                            .changes = true};
    SBI_AUTO_CALL_RESULT result = NULL;
    sbx_job_opts opts;
    int rc = sbi_call_check_id(session, id, "remove job", err);

    if (rc == SBX_OK)
        rc = sbi_call_opts(theirs, &opts, err);
    if (rc < 0)
        return rc;
    call.exec.timeout_ms = opts.timeout_ms;
    call.exec.cancel = opts.cancel;
    return sbi_call(session, &call, &result, err);
}

int sbx_job_send(sbx_session *session, const char *id, const void *keys, size_t length,
                 const sbx_job_opts *theirs, sbx_error *err)
{
    const char *const args[] = {id, NULL};
    struct sbi_call call = {.action = "type into job",
                            .id = id,
                            .script = sbi_job_script_send,
                            .args = args,
                            .changes = true};
    SBI_AUTO_CALL_RESULT result = NULL;
    sbx_job_opts opts;
    int rc = sbi_call_check_id(session, id, "type into job", err);

    if (rc == SBX_OK)
        rc = sbi_call_opts(theirs, &opts, err);
    if (rc == SBX_OK && keys == NULL)
        rc = sbi_fail(err, SBX_ERR_INVALID, "type into job '%s': no keys are given", id);
    if (rc < 0)
        return rc;
    call.exec.input = keys;
    call.exec.input_length = length;
    call.exec.timeout_ms = opts.timeout_ms;
    call.exec.cancel = opts.cancel;
    return sbi_call(session, &call, &result, err);
}
