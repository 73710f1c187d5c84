#include "transport/engine_frame.h"

#include "transport/transport.h"

/* 0 is what went in, as a terminal's echo; 3 is what the engine itself has to say. */
static const int streams[] = {SBI_STDOUT, SBI_STDOUT, SBI_STDERR, SBI_STDERR};

static void take_head(struct sbi_engine_frame *frame)
{
    const unsigned char *head = frame->head;

    frame->have = 0;
    frame->broken = head[0] >= sizeof(streams) / sizeof(streams[0]) || head[1] != 0 ||
                    head[2] != 0 || head[3] != 0;
    frame->left = (size_t)head[4] << 24 | (size_t)head[5] << 16 | (size_t)head[6] << 8 |
                  (size_t)head[7];
}

size_t sbi_engine_frame_next(struct sbi_engine_frame *frame, const char *data,
                             size_t length, size_t *at, int *stream)
{
    size_t used = 0, count;

    while (frame->left == 0 && used < length && !frame->broken) {
        frame->head[frame->have++] = (unsigned char)data[used++];
        if (frame->have == sizeof(frame->head))
            take_head(frame);
    }
    if (frame->broken || used == length)
        return 0;
    count = length - used < frame->left ? length - used : frame->left;
    frame->left -= count;
    *at = used;
    *stream = streams[frame->head[0]];
    return count;
}
