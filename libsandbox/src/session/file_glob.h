/* file_glob.h - whether a path goes by a pattern; without a locale, bytes as they are. */
#ifndef SANDBOX_SESSION_FILE_GLOB_H
#define SANDBOX_SESSION_FILE_GLOB_H

#include <stdbool.h>

/*
 * `*` and `?` (one UTF-8 character, or one byte that is none) do not match a slash, nor
 * does `[...]` (`[!...]`, ranges; of bytes); a segment `**` matches any number of them,
 * none too; a backslash takes the next byte as it is. A pattern without a slash is held
 * against the last name of the path. Dots at the start of a name are nothing special.
 */
bool sbi_file_glob(const char *pattern, const char *path);

/* True where all of it is plain bytes and `*`, without a slash: as find(1) reads it. */
bool sbi_file_glob_is_plain(const char *pattern);

#endif
