/* pick_gpus.h - which GPUs of one host would do, and what is wrong with the others. */
#ifndef SANDBOX_PROBE_PICK_GPUS_H
#define SANDBOX_PROBE_PICK_GPUS_H

#include "base/str.h"

#include <sandbox/pick.h>

#include <regex.h>

enum { SBI_PICK_MOST_GPUS = 1024 };

struct sbi_pick_gpus {
    const sbx_gpu *fit[SBI_PICK_MOST_GPUS]; /* the tightest first */
    size_t count;
    size_t seen;        /* all that there are */
    struct sbi_str why; /* "GPU 0: 2.0 GiB free; GPU 1: ..." of those that do not */
};

/* model may be NULL. Give the result back by sbi_str_clear(&why). */
void sbi_pick_gpus(const sbx_probe_report *report, int64_t vram, const regex_t *model,
                   struct sbi_pick_gpus *out);

#endif
