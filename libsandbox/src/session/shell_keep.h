/*
 * shell_keep.h - scripts about the outcome of a run: one that keeps it, one that looks.
 *
 * They travel as words, so they are plain text: {"/bin/sh", "-c", SCRIPT, "sbx", ...}.
 */
#ifndef SANDBOX_SESSION_SHELL_KEEP_H
#define SANDBOX_SESSION_SHELL_KEEP_H

/*
 * The keeper: RUN HOMES TMP WORD... It notes that the run was started, runs the words,
 * notes how they ended and ends so itself. Where it cannot note, or not learn it exactly,
 * it becomes the words. HOMES and TMP: sbx_H and sbx_Y of shell_note.h.
 */
extern const char sbi_shell_keeper[];

/* The look: RUN. It tells what there is to know, for outcome_read.h. */
extern const char sbi_shell_look[];

#endif
