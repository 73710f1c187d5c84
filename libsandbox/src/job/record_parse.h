/*
 * record_parse.h - what the scripts tell of jobs, read into a struct each: pure, with
 * limits.
 *
 *     sbx1 NOW BOOT MACHINE the clock over there, a word for this boot, the host's name
 *     created 0|1          of a start
 *     warned 0|1           of a start: 1 where logind will end it
 *     answer WORD MS       of a resume
 *     left PID...          of a stop and a resume: what could not be killed
 *     base FOLDER          what follows lies in it
 *     stats                lines of /proc/PID/stat, or "ps PID STATE STARTED..."
 *     files                of each job its files, one behind the other:
 *       job ID, name TEXT, command TEXT, cwd TEXT, owner TEXT, digest HEX, limit SECONDS,
 *       cap BYTES, words COUNT, socket TEXT, session TEXT, resume MAX SECONDS 0|1,
 *       resume-command TEXT, checkpoint TEXT, checkpoint-command TEXT, label NAME=TEXT,
 * end made ID TIME cut ID FROM TO and of each of its generations GEN: pid ID GEN PID
 * SINCE BOOT TIME plain|tmux|adopted UP MACHINE resumed ID GEN TIME USED QUICK 0|1 TOKEN
 * BY child ID GEN PID SINCE stopped ID GEN TIME BY held ID GEN TIME BY due ID GEN TIME UP
 * BOOT status ID GEN TIME UP exit|signal|either|unknown NUMBER PEAK OOM sizes lines of
 * `ls -ln` of logs, then again `files` checkpoint           of one job: bytes in hex,
 * then again `files` bye                  so it is whole
 *
 * TEXT and BY have each byte that a line cannot hold as %XX; UP is a time that only goes
 * on, in hundredths of a second. A line of another kind, or of a job that was not begun,
 * is skipped: an older or newer version wrote it.
 */
#ifndef SANDBOX_JOB_RECORD_PARSE_H
#define SANDBOX_JOB_RECORD_PARSE_H

#include "job/record.h"

/* Fails with SBX_ERR_REMOTE on a text without its first or last line. */
int sbi_records_parse(const char *text, size_t length, struct sbi_records *out,
                      sbx_error *err);

#endif
