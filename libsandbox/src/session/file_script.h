/*
 * file_script.h - what runs over there for each call on files: constant POSIX sh.
 *
 * Each is given as argv, {"/bin/sh", "-c", SCRIPT, "sbx", PATH, ...}; a flag is "0" or
 * "1". It answers on standard output, tells on standard error by lines
 * "sbx-file:WORD DETAIL" what went wrong (file_said.h), and changes nothing where it
 * fails, unless it says `partly`.
 */
#ifndef SANDBOX_SESSION_FILE_SCRIPT_H
#define SANDBOX_SESSION_FILE_SCRIPT_H

/* FLAVOR PREFIX FILE...: a record of each (file_record.h); an argument of the next two.
 */
extern const char sbi_file_script_emit[];

/* PATH FOLLOW EMIT */
extern const char sbi_file_script_stat[];

/* PATH RECURSIVE NAME EMIT: NAME, of plain characters and `*`, or "" for all. */
extern const char sbi_file_script_list[];

/* PATH TAIL HEAD LIMIT: options of tail(1), head(1) and again head(1), or "". */
extern const char sbi_file_script_read[];

/* PATH: "sha256 HEX SIZE" or "cksum CRC SIZE". */
extern const char sbi_file_script_checksum[];

/*
 * PATH SIZE NONCE MODE IF PARENTS SUM: the bytes are its standard input. SIZE `-`: they
 * end in NONCE. IF: "", a SHA-256, or "new". Answers "ok CREATED SIZE MODE SUM".
 */
extern const char sbi_file_script_write[];

/* PATH SIZE NONCE MODE PARENTS: the same; answers "ok CREATED SIZE MODE". */
extern const char sbi_file_script_append[];

/* PATH PARENTS MODE */
extern const char sbi_file_script_make_folder[];

/* FROM TO RECURSIVE OVERWRITE PARENTS NONCE */
extern const char sbi_file_script_copy[];

/* FROM TO 0 OVERWRITE PARENTS */
extern const char sbi_file_script_move[];

/* PATH RECURSIVE MISSING_OK */
extern const char sbi_file_script_remove[];

#endif
