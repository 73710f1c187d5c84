/* room.h - why a target takes nothing more: said in the same words on both sides. */
#ifndef SANDBOX_SYNC_ROOM_H
#define SANDBOX_SYNC_ROOM_H

#include "base/error.h"

#include <stdint.h>

struct sbi_room {
    int failed; /* an errno; 0: it is for another reason */
    int64_t bytes;
    int64_t inodes;     /* free; -1: not known */
    const char *folder; /* of what */
};

/* Whether an errno tells of the target as a whole: then nothing more is tried. */
bool sbi_room_stops(int failed);

/*
 * The room of the far side, by what tools complained of in the C locale, and by what
 * stands behind an answer: a row of `df -Pk` and one of `df -Pi`, each in a line.
 */
void sbi_room_there(const char *errors, const char *rows, const char *folder,
                    struct sbi_room *out);

/* The failure that it is, whatever errno: SBX_ERR_IO. */
int sbi_room_fail(const struct sbi_room *room, sbx_error *err);

/* Cuts a path of this machine to the folder that it is, or lies in, as far as it is
 * there. */
void sbi_room_folder(char *path);

/* The same of such a folder. */
int sbi_room_fail_here(int failed, const char *folder, sbx_error *err);

#endif
