/*
 * file.h - files and folders of a place, one call and one round trip each.
 *
 * All of it goes through exec.h, so it works on every place alike; over there it
 * needs a POSIX shell and the usual tools, of GNU, BusyBox or BSD. See docs/files.md.
 *
 * A path, everywhere: absolute; `~` and `~/...` (the account's home); or relative to
 * the folder that commands of the place start in, which is also what the empty path
 * names. `~user` is a name like any other. A path is bytes, at most 4096, of any value
 * but NUL. A slash at its end says that a folder is meant.
 *
 * A failure that the far side reports left everything as it was (err->executed is no)
 * unless the call says otherwise: SBX_ERR_NOT_FOUND, SBX_ERR_EXISTS, SBX_ERR_CONFLICT,
 * or SBX_ERR_IO, where sys_errno tells EACCES, EROFS, ENOSPC, EDQUOT, EISDIR, ENOTDIR...
 * (numbers of this machine). When the connection breaks meanwhile, executed is unknown:
 * the file is then old or new, and never half.
 *
 * timeout_ms, in each options struct, is of the whole call: 0 is five minutes, negative
 * is none.
 */
#ifndef SANDBOX_FILE_H
#define SANDBOX_FILE_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef enum sbx_file_kind {
    SBX_FILE_REGULAR = 1,
    SBX_FILE_FOLDER = 2,
    SBX_FILE_LINK = 3, /* a symbolic one */
    SBX_FILE_PIPE = 4,
    SBX_FILE_SOCKET = 5,
    SBX_FILE_CHARACTER_DEVICE = 6,
    SBX_FILE_BLOCK_DEVICE = 7,
    SBX_FILE_OTHER = 8
} sbx_file_kind;

/* Strings are bytes as they are over there, without NUL, not always UTF-8. */
typedef struct sbx_file_info {
    const char *path; /* of a listing: below the folder listed; else as it was given */
    int32_t kind;     /* an sbx_file_kind */
    uint32_t mode;    /* 07777 */
    int64_t size;     /* bytes; of a link: of its text */
    int64_t mtime_ns; /* since 1970; INT64_MIN where the place has no tool that tells */
    int64_t mtime_step_ns; /* how finely it is known: 1, or 1000000000 */
    int64_t uid;
    int64_t gid;
    int64_t links;      /* names it has */
    const char *target; /* text of a link, else NULL */
} sbx_file_info;

/* "file", "folder", "link", "pipe", "socket", "character device"...; never NULL. */
SBX_API const char *sbx_file_kind_name(int kind);

enum sbx_file_flags {
    SBX_FILE_RECURSIVE = 1,  /* list, copy, remove: with all below */
    SBX_FILE_FOLLOW = 2,     /* stat: what a link points to */
    SBX_FILE_OVERWRITE = 4,  /* copy, move: over a file that is there */
    SBX_FILE_PARENTS = 8,    /* make_folder: those above too; one that is there is fine.
                                write, append, copy, move: the folders above are made */
    SBX_FILE_MISSING_OK = 16 /* remove: one that is not there is fine */
};

/* For the calls without an options struct of their own. */
typedef struct sbx_file_opts {
    size_t size;
    uint64_t flags;
    int64_t mode; /* make_folder: of the new folder; default: as the umask has it */
    int64_t timeout_ms;
    sbx_cancel *cancel;
} sbx_file_opts;

/* Of the link itself, unless SBX_FILE_FOLLOW. */
SBX_API int sbx_file_stat(sbx_session *session, const char *path,
                          const sbx_file_opts *opts, sbx_file_info **out, sbx_error *err);

SBX_API char *sbx_file_info_json(const sbx_file_info *info);
SBX_API void sbx_file_info_free(sbx_file_info *info);

/*
 * Sees each entry as it arrives, in no order, on the thread that made the call; info is
 * alive until it returns. Return non-zero to end the listing well.
 */
typedef int (*sbx_file_info_fn)(const sbx_file_info *info, void *userdata);

/* What of a folder is listed. Zero is the default of each. */
typedef struct sbx_file_list_opts {
    size_t size;
    uint64_t flags;   /* SBX_FILE_RECURSIVE */
    const char *glob; /* `*`, `?`, `[...]`, `**`; without a slash it is of the last name,
                         with one of the path below the folder; default: everything */
    int64_t limit;    /* entries, default 10000; more is `truncated`; negative: none */
    sbx_file_info_fn on_info; /* then the listing has no items, and limit no default */
    void *userdata;
    int64_t timeout_ms;
    sbx_cancel *cancel;
} sbx_file_list_opts;

/* What is in a folder, by name. */
typedef struct sbx_file_listing {
    const char *path;
    const sbx_file_info *const *items; /* by name, in the order of bytes */
    size_t count;                      /* of items, or of calls of on_info */
    int32_t truncated;                 /* 1: there are more */
    int32_t incomplete;                /* 1: parts could not be read; see complaints */
    const char *complaints; /* of the tool over there, for a person; "" if none */
} sbx_file_listing;

/* The entries of a folder, without `.` and `..`; links are not followed below it. */
SBX_API int sbx_file_list(sbx_session *session, const char *path,
                          const sbx_file_list_opts *opts, sbx_file_listing **out,
                          sbx_error *err);

SBX_API char *sbx_file_listing_json(const sbx_file_listing *listing);
SBX_API void sbx_file_listing_free(sbx_file_listing *listing);

/* Takes a piece of a file as it arrives. Return non-zero to get no more. */
typedef int (*sbx_file_bytes_fn)(const void *data, size_t length, void *userdata);

/* All zero is the whole file. Bytes or lines, not both. */
typedef struct sbx_file_read_opts {
    size_t size;
    uint64_t flags;             /* none yet */
    int64_t offset;             /* negative: from the end */
    int64_t length;             /* default: to the end */
    int64_t first_line;         /* from 1; -N: the last N lines */
    int64_t last_line;          /* default: to the end */
    int64_t max_bytes;          /* of the answer, default 16 MiB; more is `truncated` */
    sbx_file_bytes_fn on_bytes; /* then there is no data, and max_bytes no default */
    void *userdata;
    int64_t timeout_ms;
    sbx_cancel *cancel;
} sbx_file_read_opts;

/* Bytes of a file, and what they are of. */
typedef struct sbx_file_content {
    const char *path;
    const char *data; /* a NUL follows the last byte */
    size_t length;
    int64_t size;       /* of the whole file when it was opened */
    int64_t offset;     /* of data[0]; -1 where lines were asked for */
    int32_t truncated;  /* 1: max_bytes left something out */
    int32_t is_whole;   /* 1: data is all of the file */
    const char *sha256; /* of the whole file, 64 hex digits, if is_whole; else NULL */
} sbx_file_content;

SBX_API int sbx_file_read(sbx_session *session, const char *path,
                          const sbx_file_read_opts *opts, sbx_file_content **out,
                          sbx_error *err);

SBX_API char *sbx_file_content_json(const sbx_file_content *content);
SBX_API void sbx_file_content_free(sbx_file_content *content);

enum sbx_file_write_flags {
    SBX_FILE_INPUT_FD = 256, /* the bytes are read from input_fd, to its end */
    SBX_FILE_NEW = 512,      /* SBX_ERR_EXISTS where there is one already */
    SBX_FILE_SUM = 1024      /* the new content's sha256 is told, for input_fd too */
};

/* Zero is the default of each. */
typedef struct sbx_file_write_opts {
    size_t size;
    uint64_t flags;        /* sbx_file_write_flags, SBX_FILE_PARENTS */
    int64_t mode;          /* default: that of the old file, else as the umask has it */
    const char *if_sha256; /* SBX_ERR_CONFLICT where the content is another by now */
    int64_t input_fd;      /* with SBX_FILE_INPUT_FD; stays the caller's */
    int64_t timeout_ms;
    sbx_cancel *cancel;
} sbx_file_write_opts;

/* What stands in the file now. */
typedef struct sbx_file_written {
    const char *path;
    int32_t created; /* 1: it was not there before */
    int32_t matches; /* of an edit: how many were replaced */
    int64_t size;    /* of the whole file now */
    uint32_t mode;
    uint32_t reserved;
    const char *sha256; /* of the whole file now, 64 hex digits, or NULL if not known */
} sbx_file_written;

/*
 * The whole file, replaced at once: written beside it, checked, synced, renamed. Mode is
 * kept, owner and group as far as the account may; through a link, what it points to is
 * replaced. Other hard links keep the old content.
 */
SBX_API int sbx_file_write(sbx_session *session, const char *path, const void *data,
                           size_t length, const sbx_file_write_opts *opts,
                           sbx_file_written **out, sbx_error *err);

/*
 * Adds to the end of the same file, which is made if it is not there. All of it is over
 * there before the first byte is added, so that a cut line adds nothing. Takes no
 * if_sha256 and no SBX_FILE_SUM.
 */
SBX_API int sbx_file_append(sbx_session *session, const char *path, const void *data,
                            size_t length, const sbx_file_write_opts *opts,
                            sbx_file_written **out, sbx_error *err);

enum sbx_file_edit_flags {
    SBX_FILE_ALL = 4096 /* every match, one or more; else exactly one is wanted */
};

/* Zero is the default of each. */
typedef struct sbx_file_edit_opts {
    size_t size;
    uint64_t flags;        /* sbx_file_edit_flags */
    const char *if_sha256; /* as in sbx_file_write_opts */
    int64_t max_bytes;     /* of the file, default 64 MiB */
    int64_t timeout_ms;
    sbx_cancel *cancel;
} sbx_file_edit_opts;

/*
 * Replaces exact bytes in a file, by a write that is refused when the file is no longer
 * what was read: then it is read again, three times at most, before it is
 * SBX_ERR_CONFLICT. So are no match, and more than one without SBX_FILE_ALL; the text
 * tells how many there are. Needs a tool for SHA-256 over there. Two round trips.
 */
SBX_API int sbx_file_edit(sbx_session *session, const char *path, const void *old_text,
                          size_t old_length, const void *new_text, size_t new_length,
                          const sbx_file_edit_opts *opts, sbx_file_written **out,
                          sbx_error *err);

SBX_API char *sbx_file_written_json(const sbx_file_written *written);
SBX_API void sbx_file_written_free(sbx_file_written *written);

SBX_API int sbx_file_make_folder(sbx_session *session, const char *path,
                                 const sbx_file_opts *opts, sbx_error *err);

/*
 * Within one place. `to` is the new name itself, or, with a slash at its end, the folder
 * to put it in under its old name. A folder is never replaced, a file only with
 * SBX_FILE_OVERWRITE. A copy appears whole, with modes and times; a link is copied as
 * what it points to, links below a folder as links. A move takes a link as it is;
 * between file systems it is not one step.
 */
SBX_API int sbx_file_copy(sbx_session *session, const char *from, const char *to,
                          const sbx_file_opts *opts, sbx_error *err);
SBX_API int sbx_file_move(sbx_session *session, const char *from, const char *to,
                          const sbx_file_opts *opts, sbx_error *err);

/*
 * Removes a file, a link itself, or with SBX_FILE_RECURSIVE a folder and all below.
 * Never `/`, a home folder, or a folder that one lies in, by whatever name: then it is
 * SBX_ERR_INVALID. When a folder cannot be removed in full, executed is yes.
 */
SBX_API int sbx_file_remove(sbx_session *session, const char *path,
                            const sbx_file_opts *opts, sbx_error *err);

/* A checksum that was computed over there. */
typedef struct sbx_file_sum {
    const char *path;
    const char *algorithm; /* "sha256"; "cksum" (CRC-32 of POSIX) where the place has no
                              tool for it */
    const char *digest;    /* 64 hex digits; for cksum the number */
    int64_t size;
} sbx_file_sum;

/* Computed over there; nothing of the content travels. */
SBX_API int sbx_file_checksum(sbx_session *session, const char *path,
                              const sbx_file_opts *opts, sbx_file_sum **out,
                              sbx_error *err);

SBX_API char *sbx_file_sum_json(const sbx_file_sum *sum);
SBX_API void sbx_file_sum_free(sbx_file_sum *sum);

SBX_END_DECLS
#endif
