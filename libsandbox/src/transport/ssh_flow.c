/*
 * ssh_flow.c - the delay between writing a byte and hearing that it was read is measured
 * again and again: where it is well above the shortest, bytes wait over there, and less
 * is sent ahead.
 *
 * sshd tells of what was read once three packets of 32 KiB are out, so that with FEWEST
 * under way there is always more to hear.
 */
#include "transport/ssh_flow.h"

#define FEWEST ((size_t)512 * 1024)
#define SMALL_PIECE                                                                      \
    ((size_t)32 * 1024) /* a copy for each of less would cost too much                   \
                         */
#define SLACK_MS 5

static void take_delay(struct sbi_ssh_flow *flow, int64_t delay, size_t under_way)
{
    if (delay < 1)
        delay = 1;
    if (flow->quickest == 0 || delay < flow->quickest)
        flow->quickest = delay;
    if (delay > 2 * flow->quickest + SLACK_MS)
        flow->limit /= 2;
    else if (under_way + SMALL_PIECE >= flow->limit)
        flow->limit += flow->limit / 4;
    if (flow->limit < FEWEST)
        flow->limit = FEWEST;
    if (flow->limit > flow->most)
        flow->limit = flow->most;
}

size_t sbi_ssh_flow_room(struct sbi_ssh_flow *flow, size_t window, size_t waiting,
                         int64_t now)
{
    size_t under_way, room;

    if (window > flow->most)
        flow->most = flow->limit = window;
    if (flow->most <= FEWEST)
        return window;
    under_way = flow->most - window;
    if (flow->mark != 0 && flow->sent - under_way >= flow->mark) {
        flow->mark = 0;
        take_delay(flow, now - flow->marked, under_way);
    }
    room = under_way < flow->limit ? flow->limit - under_way : 0;
    if (room > window)
        room = window;
    return room < SMALL_PIECE && room < waiting && window > SMALL_PIECE ? 0 : room;
}

void sbi_ssh_flow_sent(struct sbi_ssh_flow *flow, size_t bytes, int64_t now)
{
    flow->sent += bytes;
    if (flow->mark != 0)
        return;
    flow->mark = flow->sent;
    flow->marked = now;
}
