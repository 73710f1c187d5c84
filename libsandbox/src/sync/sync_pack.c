/*
 * sync_pack.c - whether what a sync carries is worth packing on the way that it goes: by
 * how much it is, how long the way is, and what is known of its rate.
 */
#include "sync/sync_state.h"

#include "base/log.h"

#define SMALL_FILE (16 * 1024) /* below that headers weigh, and those pack well */
#define HEADER 1536            /* of each file */

/* A listing is kept for a long way only: what is sent ahead waits for no answer. */
static bool is_near(struct sbi_sync *sync)
{
    if (sync->recall.text != NULL)
        return false;
    sbi_sync_way_ask(&sync->way, sync->session);
    return sbi_sync_way_is_near(&sync->way);
}

/* Of a way that is as long as it was then. */
static void recall_rate(struct sbi_sync *sync, struct sbi_sync_rate *out)
{
    bool near = is_near(sync);

    sbi_sync_rate_load(sbx_session_place(sync->session), out);
    if (out->near != near)
        out->bytes = 0;
    out->near = near;
}

int sbi_sync_choose_pack(struct sbi_sync *sync)
{
    const struct sbi_plan *plan = &sync->plan;
    uint64_t bytes = plan->send_bytes + plan->make.count * HEADER;
    struct sbi_sync_rate rate;
    bool packs;

    if (sync->there.pack == SBI_PACK_NONE)
        return SBI_PACK_NONE;
    recall_rate(sync, &rate);
    packs = sbi_sync_rate_packs(&rate, bytes);
    sbi_log(SBX_LOG_DEBUG, "a %s way, %llu bytes a second (0: not known): %s",
            rate.near ? "short" : "long", (unsigned long long)rate.bytes,
            packs ? "packed" : "not packed");
    return packs ? sync->there.pack : SBI_PACK_NONE;
}

bool sbi_sync_sends_large(const struct sbi_sync *sync)
{
    const struct sbi_plan *plan = &sync->plan;

    return plan->send_count > 0 && plan->send_bytes / plan->send_count >= SMALL_FILE;
}

/* How long many small files take is not the way's doing. */
void sbi_sync_learn_rate(struct sbi_sync *sync, int pack, const struct sbi_far_flow *flow)
{
    struct sbi_sync_rate rate;
    uint64_t before;

    if (sync->there.pack == SBI_PACK_NONE || flow->kind == SBI_FAR_FLOW_UNKNOWN ||
        !sbi_sync_sends_large(sync))
        return;
    recall_rate(sync, &rate);
    before = rate.bytes;
    if (sync->direction == SBX_SYNC_PUSH)
        sbi_sync_rate_learn(&rate, pack != SBI_PACK_NONE, flow);
    else
        sbi_sync_rate_learn_pull(&rate, pack != SBI_PACK_NONE, flow);
    if (rate.bytes != before)
        sbi_sync_rate_save(sbx_session_place(sync->session), &rate);
}
