/*
 * push.h - carries a plan from here to there: one archive, unpacked beside the target.
 *
 * In the archive are two folders. `t` holds what is new, by its path below the target.
 * `c` holds what is to be done, in files of names that each end in NUL; .N counts up
 * from 000000, since a file stays short enough for one call of xargs:
 *
 *   drop.N        of `t`, what changed while it was read: not to be placed
 *   ln.N          pairs: a file that is there, and what in `t` is a hard link to it
 *   clear.f.N     files and links in the way; clear.d.N empty folders
 *   mv.N          names in `t`, and last the folder that they go to
 *   merge         there are many such folders: `t` is copied by links at once; empty
 * where it is not known whether there can be any top           (empty) the same, with the
 * mtimes of the folders of `t` remove.f.N    as clear, what is gone from the source
 *   chmod.MODE.N  files that get that mode
 *   time.N        (empty) with an mtime; touch.N.M the files that get it
 *   fmode.N.MODE  folders that get that mode, where tar does not give it
 *   part.N        ahead of a large file: its name in `t`, and that of its part (part.h),
 *                 which it becomes when the line is cut
 *   rest.N        ahead of the rest of one: these two, what is to be added to the part,
 * how long that must be, and its mode folders       an archive, packed as the whole, of
 * folders with their modes and times end           (empty) the last: without it not all
 * of it came
 */
#ifndef SANDBOX_SYNC_PUSH_H
#define SANDBOX_SYNC_PUSH_H

#include "sync/sync_state.h"

/*
 * Carries it out. *placed becomes true once something over there may have changed. What
 * could not be read or changed meanwhile is a note; what failed over there sets *again:
 * who wants to know must look again.
 */
int sbi_push(struct sbi_sync *sync, bool *placed, bool *again, sbx_error *err);

/*
 * Sends all of it to the far side that sync->listing is a run of, to be placed only if it
 * tells that it is the same; sbi_push waits for the answer. A failure is one of this
 * side.
 */
int sbi_push_ahead(struct sbi_sync *sync, sbx_error *err);

/* It was not placed: nothing of it is waited for. */
void sbi_push_forget(struct sbi_sync *sync);

#endif
