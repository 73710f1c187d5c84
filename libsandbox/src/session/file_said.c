/* file_said.c - the words of the scripts as errors, by one table. */
#include "session/file_said.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MARK "sbx-file:"

/* form: what `%s` stands for is the detail. */
static const struct {
    const char *word;
    int code;
    int sys_errno;
    const char *form;
    const char *fix;
} failures[] = {
    {"missing", SBX_ERR_NOT_FOUND, ENOENT, "no such file or folder", NULL},
    {"parent", SBX_ERR_NOT_FOUND, ENOENT, "there is no folder '%s'",
     "-p (SBX_FILE_PARENTS), to make it"},
    {"notdir", SBX_ERR_IO, ENOTDIR, "'%s' is not a folder", NULL},
    {"isdir", SBX_ERR_IO, EISDIR, "it is a folder", NULL},
    {"slash", SBX_ERR_INVALID, EISDIR, "the slash at its end says that it is a folder",
     "the path without the slash"},
    {"linkslash", SBX_ERR_INVALID, 0, "it is a link to a folder",
     "the path without the slash, for the link itself"},
    {"special", SBX_ERR_IO, ENXIO, "it is not a regular file", NULL},
    {"denied", SBX_ERR_IO, EACCES, "no permission for '%s'", NULL},
    {"readonly", SBX_ERR_IO, EROFS, "the file system of '%s' is read-only", NULL},
    {"quota", SBX_ERR_IO, EDQUOT, "the disk quota in '%s' is used up", NULL},
    {"full", SBX_ERR_IO, ENOSPC, NULL, NULL},
    {"exists", SBX_ERR_EXISTS, EEXIST, "it is there already", NULL},
    {"over", SBX_ERR_EXISTS, EEXIST, "'%s' is there already",
     "--force (SBX_FILE_OVERWRITE)"},
    {"isthere", SBX_ERR_EXISTS, EEXIST, "the target is a folder that is there",
     "a slash at the target's end, to put it in there"},
    {"same", SBX_ERR_INVALID, 0, "both are the same file", NULL},
    {"inside", SBX_ERR_INVALID, 0, "the target lies in the folder itself", NULL},
    {"changed", SBX_ERR_CONFLICT, ESTALE,
     "it is no longer what you read: its sha256 is %s", "read it again"},
    {"gone", SBX_ERR_CONFLICT, ENOENT, "it is no longer there", NULL},
    {"cut", SBX_ERR_IO, EIO, "the input ended early: only %s bytes came over", NULL},
    {"loop", SBX_ERR_IO, ELOOP, "too many links, one behind the other", NULL},
    {"toolong", SBX_ERR_IO, ENAMETOOLONG, "the name is too long", NULL},
    {"toobig", SBX_ERR_IO, EFBIG, "a file over there cannot be so large", NULL},
    {"nohome", SBX_ERR_REMOTE, 0, "HOME is not set over there, so '~' names nothing",
     "an absolute path"},
    {"nosum", SBX_ERR_UNSUPPORTED, 0, "no tool for SHA-256 is over there",
     "install sha256sum, shasum or openssl there"},
    {"tool", SBX_ERR_REMOTE, 0, "'%s' is missing or fails over there", NULL},
    {"never", SBX_ERR_INVALID, 0,
     "never done to '/', a home, or a folder with a home "
     "in it; here that is '%s'",
     NULL},
    {"other", SBX_ERR_IO, 0, "%s", NULL},
};

static bool is_failure(const char *word)
{
    size_t i;

    for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
        if (strcmp(failures[i].word, word) == 0)
            return true;
    return false;
}

static int64_t read_size(const char *at)
{
    int64_t size = 0;

    if (*at < '0' || *at > '9')
        return -1;
    for (; *at >= '0' && *at <= '9' && size < INT64_MAX / 10 - 9; at++)
        size = size * 10 + (*at - '0');
    return size;
}

/* One word behind a mark; true if it is the failure, behind which nothing more is said.
 */
static bool take_word(struct sbi_file_said *said, const char *at)
{
    size_t length = strcspn(at, " \n");
    char word[sizeof(said->word)];

    if (length >= sizeof(word))
        return false;
    memcpy(word, at, length);
    word[length] = '\0';
    if (strcmp(word, "size") == 0)
        said->size = read_size(at + length + (at[length] == ' ' ? 1 : 0));
    said->partly = said->partly || strcmp(word, "partly") == 0;
    said->broken = said->broken || strcmp(word, "broken") == 0;
    if (!is_failure(word))
        return false;
    memcpy(said->word, word, length + 1);
    said->detail_at = (size_t)(at - said->text) + length + (at[length] == ' ' ? 1 : 0);
    return true;
}

void sbi_file_said_read(const char *text, size_t length, struct sbi_file_said *out)
{
    const char *line;

    memset(out, 0, sizeof(*out));
    out->size = -1;
    if (length >= sizeof(out->text))
        length = sizeof(out->text) - 1;
    while (length > 0 && text[length - 1] == '\n')
        length--;
    if (length > 0)
        memcpy(out->text, text, length);
    for (line = out->text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n' ? 1 : 0;
        if (strncmp(line, MARK, strlen(MARK)) == 0 && take_word(out, line + strlen(MARK)))
            return;
    }
}

const char *sbi_file_said_by_tool(const struct sbi_file_said *said, size_t *length)
{
    const char *line = said->text;

    while (strncmp(line, MARK, strlen(MARK)) == 0) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    *length = strcspn(line, "\n");
    return line;
}

/* "BYTES INODES FOLDER"; a number that is not known is -1. */
static void tell_full(const char *detail, char *why, size_t room)
{
    const char *inodes = strchr(detail, ' ');
    const char *folder = inodes == NULL ? NULL : strchr(inodes + 1, ' ');

    if (folder == NULL || detail[0] == '-')
        (void)snprintf(why, room, "no space left on device");
    else if (inodes[1] == '-')
        (void)snprintf(why, room, "no space left on device: %.*s bytes free in '%s'",
                       (int)(inodes - detail), detail, folder + 1);
    else
        (void)snprintf(why, room,
                       "no space left on device: %.*s bytes and %.*s inodes free in '%s'",
                       (int)(inodes - detail), detail, (int)(folder - inodes - 1),
                       inodes + 1, folder + 1);
}

/* The rule of paths puts "./" before a relative one; nobody wrote that. */
static const char *as_written(const char *detail)
{
    return strncmp(detail, "./", 2) == 0 && detail[2] != '\0' ? detail + 2 : detail;
}

static void tell(const char *form, const char *detail, char *why, size_t room)
{
    const char *hole = strstr(form, "%s");

    if (hole == NULL)
        (void)snprintf(why, room, "%s", form);
    else
        (void)snprintf(why, room, "%.*s%s%s", (int)(hole - form), form,
                       as_written(detail), hole + 2);
}

int sbi_file_said_fail(const struct sbi_file_said *said, const char *action,
                       const char *place, const char *path, sbx_error *err)
{
    char why[320];
    size_t i = 0;

    while (i + 1 < sizeof(failures) / sizeof(failures[0]) &&
           strcmp(failures[i].word, said->word) != 0)
        i++;
    if (failures[i].form == NULL)
        tell_full(said->text + said->detail_at, why, sizeof(why));
    else
        tell(failures[i].form, said->text + said->detail_at, why, sizeof(why));
    (void)sbi_fail(err, failures[i].code, "%s '%s:%s': %s", action, place, path, why);
    if (err != NULL)
        err->sys_errno = failures[i].sys_errno;
    (void)sbi_executed(err, failures[i].code,
                       said->partly ? SBX_EXECUTED_YES : SBX_EXECUTED_NO);
    if (failures[i].fix == NULL)
        return failures[i].code;
    return sbi_fix(err, failures[i].code, NULL, "%s", failures[i].fix);
}
