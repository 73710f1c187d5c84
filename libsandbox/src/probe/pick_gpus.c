#include "probe/pick_gpus.h"

#include "probe/score.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_REASONS 2048
#define GIBIBYTE ((double)((int64_t)1 << 30))

struct looking {
    int64_t vram;
    const regex_t *model;
    struct sbi_pick_gpus *into;
};

static const char *or_unnamed(const char *name)
{
    return name == NULL ? "without a name" : name;
}

/*
 * The reason why a GPU is not to be taken, or NULL. How busy an instance is, no driver
 * tells; of a whole GPU it must be known, or else that nobody is on it.
 */
static const char *reason_against(const struct looking *looking, const sbx_gpu *gpu,
                                  const sbx_gpu *whole, char *room, size_t size)
{
    if (gpu->fault != NULL)
        return gpu->fault;
    if (whole != NULL && (whole->fault != NULL || gpu->uuid == NULL))
        return whole->fault != NULL ? whole->fault : "its UUID is not known";
    if (looking->model != NULL &&
        (gpu->name == NULL || regexec(looking->model, gpu->name, 0, NULL, 0) != 0)) {
        (void)snprintf(room, size, "of another model: %.80s", or_unnamed(gpu->name));
        return room;
    }
    if (gpu->memory_free == SBX_UNKNOWN || gpu->memory_total == SBX_UNKNOWN)
        return "its free memory is not known";
    if (gpu->memory_free < looking->vram) {
        (void)snprintf(room, size, "%.1f GiB free of %.1f, %.1f needed",
                       (double)gpu->memory_free / GIBIBYTE,
                       (double)gpu->memory_total / GIBIBYTE,
                       (double)looking->vram / GIBIBYTE);
        return room;
    }
    if (whole == NULL && gpu->busy_percent == SBX_UNKNOWN && !gpu->processes_known)
        return "whether it is in use is not known";
    return sbi_score_taken(gpu, room, size);
}

static void look_at(const sbx_gpu *gpu, const sbx_gpu *whole, void *userdata)
{
    struct looking *looking = userdata;
    struct sbi_pick_gpus *into = looking->into;
    char room[256];
    const char *reason = reason_against(looking, gpu, whole, room, sizeof(room));

    into->seen++;
    if (reason == NULL && into->count < SBI_PICK_MOST_GPUS) {
        into->fit[into->count++] = gpu;
        return;
    }
    sbi_str_add(&into->why, into->why.length > 0 ? "; GPU " : "GPU ");
    if (whole != NULL && whole->index != SBX_UNKNOWN)
        sbi_str_addf(&into->why, "%lld instance ", (long long)whole->index);
    if (gpu->index != SBX_UNKNOWN)
        sbi_str_addf(&into->why, "%lld: %s", (long long)gpu->index, reason);
    else
        sbi_str_addf(&into->why, "%s: %s", gpu->bus == NULL ? "?" : gpu->bus, reason);
}

/* The smallest first; of a size, the one that is most free. */
static int tighter_first(const void *a, const void *b)
{
    const sbx_gpu *one = *(const sbx_gpu *const *)a;
    const sbx_gpu *other = *(const sbx_gpu *const *)b;
    double left = sbi_score_gpu(one), right = sbi_score_gpu(other);

    if (one->memory_total != other->memory_total)
        return one->memory_total < other->memory_total ? -1 : 1;
    if (left > right)
        return -1;
    if (left < right)
        return 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

void sbi_pick_gpus(const sbx_probe_report *report, int64_t vram, const regex_t *model,
                   struct sbi_pick_gpus *out)
{
    struct looking looking = {.vram = vram, .model = model, .into = out};

    out->count = 0;
    out->seen = 0;
    out->why = (struct sbi_str){.limit = MOST_REASONS};
    sbi_score_each_gpu(report, look_at, &looking);
    if (out->count > 0)
        qsort(out->fit, out->count, sizeof(const sbx_gpu *), tighter_first);
}
