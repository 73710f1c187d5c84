/*
 * engine_frame.h - the frames in which an engine sends two streams over one connection.
 *
 * Eight bytes stand before each piece: the stream's number, three zeros, and the piece's
 * length, most significant byte first. No I/O.
 */
#ifndef SANDBOX_TRANSPORT_ENGINE_FRAME_H
#define SANDBOX_TRANSPORT_ENGINE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define SBI_ENGINE_FRAME_HEAD 8

/* All zero: at the start of a frame. */
struct sbi_engine_frame {
    unsigned char head[SBI_ENGINE_FRAME_HEAD];
    size_t have; /* bytes of the head */
    size_t left; /* bytes of the piece that are to come */
    bool broken; /* what came is no frame; nothing more is taken */
};

/*
 * Finds the next bytes of a stream: *at is where they begin in data, *stream is of enum
 * sbi_process_stream. Returns how many they are; 0: none are there, all of data is used.
 */
size_t sbi_engine_frame_next(struct sbi_engine_frame *frame, const char *data,
                             size_t length, size_t *at, int *stream);

#endif
