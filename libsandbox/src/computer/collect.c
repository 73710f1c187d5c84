#include "computer/collect.h"

#include "base/cleanup.h"
#include "computer/call.h"
#include "computer/record.h"

#include <stdlib.h>
#include <string.h>

/* Of another owner only what nobody can hold any more, as that process was here. */
static bool is_over(const sbx_computer *computer, void *userdata)
{
    const struct sbi_record *record = sbi_record_of(computer);

    (void)userdata;
    if (record->leftover && computer->mine)
        return true;
    return computer->due == SBX_COMPUTER_DUE_HOLDER ||
           (computer->due == SBX_COMPUTER_DUE_TIME && computer->mine);
}

static int drop(sbx_session *session, const sbx_computer_opts *opts,
                const sbx_computer_list *list, sbx_exec_result **out, sbx_error *err)
{
    SBI_AUTOFREE const char **words = calloc(list->count * 3 + 1, sizeof(*words));
    struct sbi_computer_call call = {.action = "tidy the computers",
                                     .verb = "drop",
                                     .name = "",
                                     .opts = opts,
                                     .words = words};
    size_t i;

    if (words == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    for (i = 0; i < list->count; i++) {
        words[i * 3] = list->items[i]->engine;
        words[i * 3 + 1] = sbi_record_of(list->items[i])->container;
        words[i * 3 + 2] = list->items[i]->instance;
    }
    return sbi_computer_call(session, &call, out, err);
}

/* Somebody else may have been quicker. */
static bool was_dropped(const sbx_computer *computer, void *userdata)
{
    const sbx_exec_result *result = userdata;

    return result->output_length > 0 &&
           strstr(result->output, computer->instance) != NULL;
}

int sbi_collect_drop(sbx_session *session, const sbx_computer_opts *opts,
                     sbx_computer_list *list, sbx_error *err)
{
    SBI_AUTO_COMPUTER_RESULT result = NULL;
    int rc;

    sbi_record_filter(list, is_over, NULL);
    if (list->count == 0)
        return SBX_OK;
    rc = drop(session, opts, list, &result, err);
    if (rc == SBX_OK)
        sbi_record_filter(list, was_dropped, result);
    return rc;
}

void sbi_collect_seen(sbx_session *session, const sbx_computer_opts *opts,
                      sbx_computer_list *list)
{
    sbx_computer_list *gone = NULL;

    sbi_record_filter(list, is_over, NULL);
    if (list->count > 0 && sbx_computer_collect(session, opts, &gone, NULL) == SBX_OK)
        sbx_computer_list_free(gone);
}
