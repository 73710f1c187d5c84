/*
 * far_script.h - what runs over there for a sync: POSIX sh, and tools of GNU, BusyBox or
 * BSD, whichever are found. Each is given as argv (base/far.h).
 */
#ifndef SANDBOX_SYNC_FAR_SCRIPT_H
#define SANDBOX_SYNC_FAR_SCRIPT_H

/* The folder, at the root of a target, that all our own things are in. */
#define SBI_FAR_STAGE ".sbx-sync"

/*
 * ROOT NAME PACKS HASH FACTS IDS FOLLOW MARK FOLDER HOME PARTS PLAIN
 *
 * Tells what ROOT is, and lists it. NAME is the name that a single file would get in a
 * folder; PACKS the packers that the near side unpacks, best first; HASH what the listing
 * hashed to, or empty; FACTS what a run before told of the tools, or empty; IDS "1" for
 * devices, inodes and link counts; FOLLOW "1" to follow links; MARK begins a record where
 * NUL cannot end one; FOLDER and HOME what it told of them with that hash; PARTS "1" for
 * large files that have come in part; PLAIN "1" for a listing that is not packed.
 *
 * It prints fields that end in NUL: sbx1 STATE FIND TAR PACK CP SAME FOLDER NAME HOME
 * PARTS. Behind them, where STATE is folder or file and SAME is 0, the listing, packed by
 * PACK.
 *
 *   STATE   folder, file, missing, denied (something on the way), other (a device, or a
 *           link that leads nowhere), nohome
 *   FIND    gnu, stat (records of `stat -c`), bsd (`stat -f`), none
 *   TAR     gnu, bsd, small (BusyBox and others), none
 *   PACK    zstd, gzip, none
 *   CP      links: `cp -l` over a file puts the link in its place by a rename; else -
 *   PARTS   `KEY SIZE SHA256 ` for each
 *   FOLDER  absolute; without links where it is there. NAME lies in it, or is empty
 *
 * A record is `PATH//KIND MODE SIZE MTIME DEVICE INODE LINKS TARGET` and NUL; `E STATUS`
 * and NUL is the last. The hash is SHA-256 of all records but that, in bytewise order. In
 * the stat forms a record is MARK, `PATH//MODE SIZE MTIME DEVICE INODE LINKS REST` and a
 * newline, with MODE the whole st_mode in hexadecimal (octal with bsd) and REST what %N
 * or %Y has.
 */
extern const char sbi_far_list_script[];

/*
 * The same, then MARK NUL MARK, and then it goes on as the next one does, with FOLDER and
 * TAR as it has found them, once a line `go RUN PACK` comes on standard input with an
 * archive behind it. `same RUN PACK`: only if it has told SAME. On anything else it ends.
 */
extern const char sbi_far_list_push_script[];

/*
 * FOLDER RUN PACK TAR; an archive on standard input.
 *
 * Unpacks it beside the files of FOLDER, which is made where it is not there, then puts
 * all in its place; see push.h for what is in it. Prints `sbx1 done 0` (or 1: some
 * of it failed), `sbx1 cut` (not all of the archive came, nothing was changed), or
 * `sbx1 no STEP` (it failed before anything was changed; STEP links: no hard links here),
 * and behind that the rows of `df -Pk` and `df -Pi` of FOLDER, or what of it is there.
 */
extern const char sbi_far_push_script[];

/*
 * FOLDER PACK TAR FOLLOW; names on standard input, each "./" and a path and NUL.
 *
 * Prints an archive of them (or several, one behind the other); at the end it tells on
 * standard error `sbx1 tar STATUS`.
 */
extern const char sbi_far_pull_script[];

/*
 * FOLDER NAME OFFSET HASH. If so many bytes of that file hash to that, `sbx1 rest` and a
 * newline, and what is behind them; at the end the hash of all of it, on standard error.
 */
extern const char sbi_far_rest_script[];

/*
 * FOLDER; names as above. Prints lines as sha256sum(1) does; names with newlines or
 * backslashes may be in any form.
 */
extern const char sbi_far_sum_script[];

#endif
