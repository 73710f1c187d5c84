#include "gpu_number.h"

#include <string.h>

#define LONGEST_NUMBER 9

/* No UUID, unique id or PCI address is digits alone, with at most one dot. */
static bool is_number(const char *word)
{
    static const char digits[] = "0123456789";
    size_t whole = strspn(word, digits);
    size_t part = word[whole] == '.' ? strspn(word + whole + 1, digits) : 0;
    size_t length = part > 0 ? whole + 1 + part : whole;

    return whole > 0 && length <= LONGEST_NUMBER && word[length] == '\0';
}

struct found {
    const sbx_gpu *gpu;
    size_t count;
};

/* As `top` writes it; `of` is the GPU that a MIG instance is of. */
static void look(const sbx_gpu *gpu, const sbx_gpu *of, const char *number,
                 struct found *found)
{
    AUTO_TEXT shown = {0};
    size_t i;

    if (of != NULL)
        text_addf(&shown, "%lld.", (long long)of->index);
    text_addf(&shown, "%lld", (long long)gpu->index);
    if (gpu->index != SBX_UNKNOWN && strcmp(shown.data, number) == 0) {
        found->gpu = gpu;
        found->count++;
    }
    for (i = 0; i < gpu->instance_count; i++)
        look(gpu->instances[i], gpu, number, found);
}

static int resolve(const sbx_probe_report *report, const char *number, const char **out,
                   sbx_error *err)
{
    struct found found = {0};
    size_t i;
    int rc;

    for (i = 0; i < report->gpu_count; i++)
        look(report->gpus[i], NULL, number, &found);
    if (found.count == 0) {
        rc = fault(err, SBX_ERR_NOT_FOUND, "there is no GPU %s on '%s'", number,
                   report->place);
        return fault_fix(err, rc, "sbx top --once %s", report->place);
    }
    if (found.count > 1) {
        rc = fault(err, SBX_ERR_INVALID, "%zu GPUs on '%s' have the number %s",
                   found.count, report->place, number);
        return fault_fix(err, rc, "its UUID, from sbx probe --json %s", report->place);
    }
    if (found.gpu->instance_count > 0) {
        rc =
            fault(err, SBX_ERR_INVALID, "GPU %s of '%s' is split", number, report->place);
        return fault_fix(err, rc, "an instance of it: %s.%lld", number,
                         (long long)found.gpu->instances[0]->index);
    }
    *out = found.gpu->uuid != NULL ? found.gpu->uuid : found.gpu->bus;
    return *out != NULL
               ? SBX_OK
               : fault(err, SBX_ERR_UNSUPPORTED,
                       "the UUID of GPU %s of '%s' is not known", number, report->place);
}

int gpu_numbers_resolve(struct app *app, sbx_session *session, struct words *gpus,
                        sbx_probe_report **report, sbx_error *err)
{
    const sbx_probe_opts opts = {.size = sizeof(opts), .cancel = app->cancel};
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < gpus->count && rc == SBX_OK; i++) {
        if (!is_number(gpus->items[i]))
            continue;
        if (*report == NULL)
            rc = sbx_probe(session, &opts, report, err);
        if (rc == SBX_OK)
            rc = resolve(*report, gpus->items[i], &gpus->items[i], err);
    }
    return rc;
}
