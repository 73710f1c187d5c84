/* file_written.c - the answer of a script that wrote, read, owned, and as JSON. */
#include "session/file_written.h"

#include "base/digest.h"
#include "base/json.h"
#include "session/file_info.h"

#include <stdio.h>
#include <string.h>

/* The result as we own it; the public part comes first. */
struct written {
    sbx_file_written public;
    char *path;
    char sha256[65];
};

int sbi_file_sum(const void *data, size_t length, char out[65], sbx_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[32];
    size_t i;
    int rc;

    rc = sbi_sha256(data, length, digest, err);
    if (rc < 0)
        return rc;
    for (i = 0; i < sizeof(digest); i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[64] = '\0';
    return SBX_OK;
}

bool sbi_file_is_sum(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static const char *read_number(const char *at, int base, int64_t *out)
{
    int64_t number = 0;

    if (*at == '-')
        at++;
    for (; *at >= '0' && *at < '0' + base && number < INT64_MAX / 16; at++)
        number = number * base + (*at - '0');
    *out = number;
    return at + (*at == ' ' ? 1 : 0);
}

static bool read_answer(const char *answer, struct written *written)
{
    int64_t created, size, mode;
    const char *at = answer;

    if (strncmp(at, "ok ", 3) != 0)
        return false;
    at = read_number(at + 3, 10, &created);
    at = read_number(at, 10, &size);
    at = read_number(at, 8, &mode);
    written->public.created = created != 0;
    written->public.size = size;
    written->public.mode = (uint32_t)(mode & 07777);
    if (strcspn(at, "\n") == 64)
        memcpy(written->sha256, at, 64);
    return true;
}

int sbi_file_written_read(const char *answer, const char *path, const char *sum,
                          sbx_file_written **out, sbx_error *err)
{
    struct written *written = calloc(1, sizeof(*written));

    if (written == NULL || (written->path = strdup(path)) == NULL) {
        free(written);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    if (answer == NULL || !read_answer(answer, written)) {
        sbx_file_written_free(&written->public);
        return sbi_fail(err, SBX_ERR_REMOTE, "the script over there gave no answer");
    }
    written->public.path = written->path;
    if (sum != NULL)
        memcpy(written->sha256, sum, 64);
    written->public.sha256 = sbi_file_is_sum(written->sha256) ? written->sha256 : NULL;
    *out = &written->public;
    return SBX_OK;
}

char *sbx_file_written_json(const sbx_file_written *written)
{
    static const char *const keys[] = {"path", NULL};
    SBI_AUTO_JSON object = cJSON_CreateObject();
    char mode[8];

    sbi_file_add_names(object, keys, &written->path);
    (void)cJSON_AddBoolToObject(object, "created", written->created != 0);
    (void)cJSON_AddNumberToObject(object, "matches", written->matches);
    (void)cJSON_AddNumberToObject(object, "size", (double)written->size);
    (void)snprintf(mode, sizeof(mode), "%04o", written->mode & 07777u);
    sbi_json_add_text(object, "mode", mode);
    sbi_json_add_text(object, "sha256", written->sha256);
    return sbi_json_print(object);
}

void sbx_file_written_free(sbx_file_written *public)
{
    struct written *written = (struct written *)public;

    if (written == NULL)
        return;
    free(written->path);
    free(written);
}
