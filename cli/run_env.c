#include "run_env.h"

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

static const sbx_gpu *gpu_of(const struct picking *picking, const char *id)
{
    const struct probed *probed = picking_probed(picking, picking->result->place);
    const sbx_gpu *found = NULL;
    size_t i;

    for (i = 0; i < probed->report->gpu_count && found == NULL; i++)
        found = gpu_in(probed->report->gpus[i], id);
    return found;
}

/* CUDA takes UUIDs; HIP counts its devices. */
static void add_device(struct run_env *env, const sbx_gpu *gpu, const char *id)
{
    if (gpu->vendor != NULL && strcmp(gpu->vendor, "amd") == 0)
        text_addf(&env->hip, "%s%lld",
                  env->hip.length == 0 ? "HIP_VISIBLE_DEVICES=" : ",",
                  (long long)gpu->index);
    else
        text_addf(&env->cuda, "%s%s",
                  env->cuda.length == 0 ? "CUDA_VISIBLE_DEVICES=" : ",", id);
    if (env->driver.length == 0 && gpu->driver != NULL)
        text_addf(&env->driver, "SBX_GPU_DRIVER=%s", gpu->driver);
}

static void add_filled(struct run_env *env, const struct text *variable)
{
    if (variable->length > 0)
        words_add(&env->words, variable->data);
}

void run_env_make(struct run_env *env, const struct picking *picking,
                  const struct words *gpus, const char *code, const struct words *others)
{
    size_t i;

    for (i = 0; i < gpus->count; i++) {
        const sbx_gpu *gpu = gpu_of(picking, gpus->items[i]);

        text_addf(&env->gpus, "%s%s", i == 0 ? "SBX_GPUS=" : ",", gpus->items[i]);
        if (gpu != NULL)
            add_device(env, gpu, gpus->items[i]);
    }
    if (code != NULL)
        text_addf(&env->code, "SBX_CODE=%s", code);
    add_filled(env, &env->cuda);
    add_filled(env, &env->hip);
    add_filled(env, &env->driver);
    add_filled(env, &env->gpus);
    add_filled(env, &env->code);
    for (i = 0; i < others->count; i++)
        words_add(&env->words, others->items[i]);
}

void run_env_clear(struct run_env *env)
{
    words_clear(&env->words);
    text_clear(&env->cuda);
    text_clear(&env->hip);
    text_clear(&env->driver);
    text_clear(&env->gpus);
    text_clear(&env->code);
}
