/*
 * script.h - what runs over there for each call on jobs: constant POSIX sh, as argv.
 *
 * What goes wrong is told on standard error by a line "sbx-job:WORD DETAIL" (call.h); the
 * answer on standard output, but for the log's, is that of record_parse.h.
 */
#ifndef SANDBOX_JOB_SCRIPT_H
#define SANDBOX_JOB_SCRIPT_H

/* FOLDER VERB GENERATION ...: lies in a job's folder; an argument of the next. */
extern const char sbi_job_script_runner[];

/*
 * ID SIZE TMUX RUNNER RESUME CHECKPOINT PATH WORD...: standard input is the record, by
 * lines to `end`, and then the SIZE bytes of the script. TMUX: 1 where it may be used, 2
 * to adopt. RESUME, CHECKPOINT: shell text, or "".
 */
extern const char sbi_job_script_start[];

/* ID, or "" for all */
extern const char sbi_job_script_list[];

/* ID GENERATION FORCE TOKEN BY: GENERATION 0 is the next; FORCE 0 or 1; TOKEN is a word.
 */
extern const char sbi_job_script_resume[];

/* ID BY HUNDREDTHS: of a second from TERM to KILL */
extern const char sbi_job_script_stop[];

/* ID */
extern const char sbi_job_script_remove[];

/* ID; standard input is what is typed. */
extern const char sbi_job_script_send[];

/*
 * ID MODE FROM LENGTH PATTERN: MODE is range (FROM negative: from the end; LENGTH -1: to
 * the end), lines (the last FROM), grep, or follow (from FROM on, until the job ends). It
 * tells `log FROM CUT_FROM CUT_TO SIZE LEFT_OUT ENDED` on standard error, and then the
 * bytes.
 */
extern const char sbi_job_script_log[];

/* job|file|port WHAT TIMES: looks so often, half a second apart; prints `met` if it is.
 */
extern const char sbi_job_script_wait[];

#endif
