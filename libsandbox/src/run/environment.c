/* environment.c - what a job is told of its GPUs and its code, and what is told of it. */
#include "run/steps.h"

#include "base/str.h"
#include "base/strv.h"

#include <string.h>

static const sbx_gpu *gpu_in(const sbx_gpu *gpu, const char *id)
{
    const sbx_gpu *found = NULL;
    size_t i;

    if ((gpu->uuid != NULL && strcmp(gpu->uuid, id) == 0) ||
        (gpu->bus != NULL && strcmp(gpu->bus, id) == 0))
        return gpu;
    for (i = 0; i < gpu->instance_count && found == NULL; i++)
        found = gpu_in(gpu->instances[i], id);
    return found;
}

static const sbx_gpu *gpu_of(const struct sbi_steps *steps, const char *id)
{
    const sbx_gpu *found = NULL;
    size_t i, j;

    for (i = 0; i < steps->told->count; i++) {
        const sbx_pick_candidate *candidate = steps->told->items[i];

        if (candidate->report == NULL || strcmp(candidate->place, steps->run->place) != 0)
            continue;
        for (j = 0; j < candidate->report->gpu_count && found == NULL; j++)
            found = gpu_in(candidate->report->gpus[j], id);
    }
    return found;
}

const char *sbi_steps_driver(const struct sbi_steps *steps)
{
    char **id = steps->run->gpus;
    const char *driver = NULL;

    for (; id != NULL && *id != NULL && driver == NULL; id++) {
        const sbx_gpu *gpu = gpu_of(steps, *id);

        driver = gpu == NULL ? NULL : gpu->driver;
    }
    return driver;
}

/* "NAME=VALUE", where there is a value. */
static int add(char ***list, const char *name, const char *value, sbx_error *err)
{
    SBI_AUTO_STR word = {0};

    if (value == NULL)
        return SBX_OK;
    sbi_str_addf(&word, "%s=%s", name, value);
    if (word.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return sbi_strv_add(list, word.data, err);
}

static int add_all(char ***list, const char *const *words, sbx_error *err)
{
    int rc = SBX_OK;

    for (; words != NULL && *words != NULL && rc == SBX_OK; words++)
        rc = sbi_strv_add(list, *words, err);
    return rc;
}

/* CUDA takes UUIDs; HIP counts its devices. */
static void add_device(const struct sbi_steps *steps, const char *id,
                       struct sbi_str *cuda, struct sbi_str *hip)
{
    const sbx_gpu *gpu = gpu_of(steps, id);

    if (gpu == NULL)
        return;
    if (gpu->vendor != NULL && strcmp(gpu->vendor, "amd") == 0)
        sbi_str_addf(hip, "%s%lld", hip->length == 0 ? "" : ",", (long long)gpu->index);
    else
        sbi_str_addf(cuda, "%s%s", cuda->length == 0 ? "" : ",", id);
}

static void add_ids(const struct sbi_steps_run *run, struct sbi_str *text)
{
    char **id;

    for (id = run->gpus; id != NULL && *id != NULL; id++)
        sbi_str_addf(text, "%s%s", id == run->gpus ? "" : ",", *id);
}

int sbi_steps_environment(const struct sbi_steps *steps, char ***out, sbx_error *err)
{
    const struct sbi_steps_run *run = steps->run;
    SBI_AUTO_STR cuda = {0}, hip = {0}, all = {0};
    SBI_AUTO_STRV list = NULL;
    char **id;
    size_t i;
    int rc = SBX_OK;

    add_ids(run, &all);
    for (id = run->gpus; id != NULL && *id != NULL; id++)
        add_device(steps, *id, &cuda, &hip);
    if (all.status != SBX_OK || cuda.status != SBX_OK || hip.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    {
        const char *const words[][2] = {{"CUDA_VISIBLE_DEVICES", cuda.data},
                                        {"HIP_VISIBLE_DEVICES", hip.data},
                                        {"SBX_GPU_DRIVER", run->driver},
                                        {"SBX_GPUS", all.data},
                                        {"SBX_CODE", run->code}};

        for (i = 0; i < sizeof(words) / sizeof(words[0]) && rc == SBX_OK; i++)
            rc = add(&list, words[i][0], words[i][1], err);
    }
    if (rc == SBX_OK)
        rc = add_all(&list, steps->job.env, err);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(list);
    return SBX_OK;
}

int sbi_steps_labels(const struct sbi_steps *steps, char ***out, sbx_error *err)
{
    const struct sbi_steps_run *run = steps->run;
    SBI_AUTO_STR all = {.limit = 4096};
    SBI_AUTO_STRV list = NULL;
    int rc;

    add_ids(run, &all);
    rc = all.status == SBX_OK ? add(&list, "gpus", all.data, err) : SBX_OK;
    if (rc == SBX_OK)
        rc = add(&list, "gpu_driver", run->driver, err);
    if (rc == SBX_OK)
        rc = add(&list, "code", run->code, err);
    if (rc == SBX_OK)
        rc = add_all(&list, steps->job.labels, err);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(list);
    return SBX_OK;
}
