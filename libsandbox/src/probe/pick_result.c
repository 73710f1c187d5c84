#include "probe/pick_result.h"

#include "base/json.h"
#include "base/strv.h"

#include <string.h>

int sbi_pick_result_new(size_t count, struct sbi_pick_result **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_pick_result_clear)
    struct sbi_pick_result *result = calloc(1, sizeof(*result));

    if (result != NULL) {
        result->count = count;
        result->rows = calloc(count + 1, sizeof(result->rows[0]));
        result->list = calloc(count + 1, sizeof(const sbx_pick_row *));
    }
    if (result == NULL || result->rows == NULL || result->list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *out = SBI_STEAL(result);
    return SBX_OK;
}

int sbi_pick_result_row(struct sbi_pick_result *result, size_t index, const char *place,
                        struct sbi_pick_row **out, sbx_error *err)
{
    struct sbi_pick_row *row = &result->rows[index];

    if (place == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "candidate %zu: no place", index);
    row->order = index;
    row->place = strdup(place);
    if (row->place == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *out = row;
    return SBX_OK;
}

/* Equals stay in the order given. */
static int best_first(const void *a, const void *b)
{
    const struct sbi_pick_row *one = a, *other = b;

    if (one->public.fits != other->public.fits)
        return one->public.fits ? -1 : 1;
    if (one->public.score > other->public.score)
        return -1;
    if (one->public.score < other->public.score)
        return 1;
    return one->order < other->order ? -1 : 1;
}

void sbi_pick_result_finish(struct sbi_pick_result *result)
{
    size_t i;

    if (result->count > 0)
        qsort(result->rows, result->count, sizeof(result->rows[0]), best_first);
    for (i = 0; i < result->count; i++) {
        struct sbi_pick_row *row = &result->rows[i];

        row->public.place = row->place;
        row->public.reasons = (const char *const *)row->reasons;
        row->public.reason_count = sbi_strv_count(row->public.reasons);
        row->public.gpus = (const char *const *)row->gpus;
        row->public.gpu_count = sbi_strv_count(row->public.gpus);
        result->list[i] = &row->public;
    }
    result->public.rows = result->list;
    result->public.row_count = result->count;
    if (result->count > 0 && result->rows[0].public.fits)
        result->public.place = result->rows[0].place;
}

void sbi_pick_result_clear(struct sbi_pick_result **result)
{
    size_t i;

    if (*result == NULL)
        return;
    for (i = 0; (*result)->rows != NULL && i < (*result)->count; i++) {
        free((*result)->rows[i].place);
        sbi_strv_clear(&(*result)->rows[i].reasons);
        sbi_strv_clear(&(*result)->rows[i].gpus);
    }
    free((*result)->rows);
    free((*result)->list);
    free(*result);
    *result = NULL;
}

void sbx_pick_result_free(sbx_pick_result *public)
{
    struct sbi_pick_result *result = (struct sbi_pick_result *)public;

    sbi_pick_result_clear(&result);
}

static void add_number(cJSON *object, const char *key, int64_t number)
{
    if (number == SBX_UNKNOWN)
        (void)cJSON_AddNullToObject(object, key);
    else
        (void)cJSON_AddNumberToObject(object, key, (double)number);
}

static void add_words(cJSON *object, const char *key, const char *const *words,
                      size_t count)
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    size_t i;

    for (i = 0; i < count; i++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(words[i]));
}

char *sbx_pick_json(const sbx_pick_result *result)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();
    cJSON *hosts, *host;
    size_t i;

    sbi_json_add_text(object, "place", result->place);
    add_words(object, "gpus", result->place == NULL ? NULL : result->rows[0]->gpus,
              result->place == NULL ? 0 : result->rows[0]->gpu_count);
    hosts = cJSON_AddArrayToObject(object, "hosts");
    for (i = 0; i < result->row_count; i++) {
        const sbx_pick_row *row = result->rows[i];

        host = cJSON_CreateObject();
        sbi_json_add_text(host, "place", row->place);
        (void)cJSON_AddBoolToObject(host, "fits", row->fits != 0);
        (void)cJSON_AddNumberToObject(host, "score", row->score);
        (void)cJSON_AddNumberToObject(host, "idle_score", row->idle_score);
        add_number(host, "age_s", row->age_s);
        add_number(host, "free_gpus", row->free_gpus);
        add_words(host, "gpus", row->gpus, row->gpu_count);
        add_words(host, "reasons", row->reasons, row->reason_count);
        (void)cJSON_AddItemToArray(hosts, host);
    }
    return sbi_json_print(object);
}
