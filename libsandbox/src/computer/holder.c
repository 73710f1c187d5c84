/*
 * holder.c - who holds a temporary computer.
 *
 * A number alone is another process's tomorrow, so its start, the machine's start and the
 * namespace of the number stand with it. Of a process of another machine, or of another
 * namespace on this one, nothing is known here: it counts as alive.
 */
#include "computer/holder.h"

#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define FIELD_LIMIT 4096
#define START_FIELD 20 /* of /proc/PID/stat, counted behind the name */

/* The first word of a file, or nothing; what a label's word cannot hold is left out. */
static void add_word(struct sbi_str *text, const char *path)
{
    SBI_AUTOFREE char *data = NULL;
    size_t length = 0;

    if (sbi_path_read(path, FIELD_LIMIT, &data, &length, NULL) == SBX_OK)
        sbi_str_add_bytes(text, data, strcspn(data, " \t\r\n:"));
}

static void add_machine(struct sbi_str *text)
{
    char name[256] = "";
    size_t before = text->length;

    add_word(text, "/etc/machine-id");
    if (text->length == before && gethostname(name, sizeof(name) - 1) == 0)
        sbi_str_add_bytes(text, name, strcspn(name, " :"));
    sbi_str_add(text, ":");
    add_word(text, "/proc/sys/kernel/random/boot_id");
}

static void add_namespace(struct sbi_str *text)
{
    char link[64];
    ssize_t length = readlink("/proc/self/ns/pid", link, sizeof(link) - 1);
    const char *digits;

    if (length <= 0)
        return;
    link[length] = '\0';
    digits = link + strcspn(link, "0123456789");
    sbi_str_add_bytes(text, digits, strspn(digits, "0123456789"));
}

/* Of a zombie, which is dead, none. */
static bool add_start(struct sbi_str *text, int64_t pid)
{
    SBI_AUTOFREE char *data = NULL;
    char path[64];
    size_t length = 0;
    const char *at;
    int field;

    (void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    if (sbi_path_read(path, FIELD_LIMIT, &data, &length, NULL) < 0)
        return kill((pid_t)pid, 0) == 0 || errno == EPERM;
    at = strrchr(data, ')');
    if (at == NULL || at[1] == '\0' || at[2] == 'Z' || at[2] == 'X')
        return false;
    for (field = 0, at += 1; field < START_FIELD - 1 && *at != '\0'; field++)
        at += 1 + strcspn(at + 1, " ");
    at += strspn(at, " ");
    sbi_str_add_bytes(text, at, strspn(at, "0123456789"));
    return true;
}

int sbi_holder_text(int64_t pid, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = FIELD_LIMIT};

    add_machine(&text);
    sbi_str_add(&text, ":");
    add_namespace(&text);
    sbi_str_addf(&text, ":%lld:", (long long)pid);
    if (pid <= 0 || pid > INT32_MAX || !add_start(&text, pid))
        return sbi_fail(err, SBX_ERR_INVALID, "no process of number %lld runs here",
                        (long long)pid);
    return sbi_str_take(&text, out, err);
}

/* The length of text up to its nth colon, 0 where it has not so many. */
static size_t until_colon(const char *text, int nth)
{
    const char *at = text;

    for (; nth > 0 && (at = strchr(at, ':')) != NULL; nth--)
        at++;
    return at == NULL ? 0 : (size_t)(at - text);
}

static bool same_head(const char *a, const char *b, int colons)
{
    size_t length = until_colon(a, colons);

    return length > 0 && length == until_colon(b, colons) && memcmp(a, b, length) == 0;
}

static int64_t pid_of(const char *text)
{
    size_t at = until_colon(text, 3);
    int64_t pid = 0;

    for (; at > 0 && text[at] >= '0' && text[at] <= '9' && pid < INT32_MAX; at++)
        pid = pid * 10 + (text[at] - '0');
    return pid;
}

bool sbi_holder_gone(const char *text)
{
    SBI_AUTOFREE char *now = NULL, *self = NULL;
    int64_t pid = pid_of(text);

    if (pid <= 0 || pid > INT32_MAX ||
        sbi_holder_text((int64_t)getpid(), &self, NULL) < 0 || !same_head(self, text, 1))
        return false;
    if (!same_head(self, text, 2))
        return true;
    if (!same_head(self, text, 3))
        return false;
    return sbi_holder_text(pid, &now, NULL) == SBX_ERR_INVALID || strcmp(now, text) != 0;
}
