#include "session/shell_watch.h"

#include "base/cleanup.h"
#include "base/digest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DIGEST_BYTES 8
#define DIGEST_SIZE (2 * DIGEST_BYTES + 1)

static int digest(char out[DIGEST_SIZE], sbx_error *err)
{
    const struct sbi_shell_kind kind = {.tag = "", .watched = true};
    SBI_AUTOFREE char *text = NULL;
    unsigned char bytes[32];
    int rc = sbi_shell_supervisor(&kind, &text, err);

    if (rc == SBX_OK)
        rc = sbi_sha256(text, strlen(text), bytes, err);
    if (rc == SBX_OK)
        sbi_hex(bytes, DIGEST_BYTES, out);
    return rc;
}

int sbi_shell_watch(int64_t limit_s, const char *nonce, char out[SBI_SHELL_WATCH_SIZE],
                    sbx_error *err)
{
    char hex[DIGEST_SIZE];
    int rc = digest(hex, err);

    if (rc == SBX_OK)
        (void)snprintf(out, SBI_SHELL_WATCH_SIZE, "%lld:%s:%s", (long long)limit_s, nonce,
                       hex);
    return rc;
}

static bool is_hex(const char *text, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++)
        if (!isxdigit((unsigned char)text[i]))
            return false;
    return length > 0;
}

bool sbi_shell_read_watch(const char *words, size_t length, int64_t *limit_s,
                          char nonce[SBI_NONCE_SIZE])
{
    char text[SBI_SHELL_WATCH_SIZE] = {0}, ours[DIGEST_SIZE], *at;
    int64_t limit;
    size_t nonce_length;

    if (length == 0 || length >= sizeof(text) || !isdigit((unsigned char)words[0]))
        return false;
    memcpy(text, words, length);
    limit = strtoll(text, &at, 10);
    if (*at++ != ':')
        return false;
    nonce_length = strcspn(at, ":");
    if (nonce_length >= SBI_NONCE_SIZE || !is_hex(at, nonce_length) ||
        at[nonce_length] != ':' || digest(ours, NULL) < 0 ||
        strcmp(at + nonce_length + 1, ours) != 0)
        return false;
    *limit_s = limit;
    memcpy(nonce, at, nonce_length);
    nonce[nonce_length] = '\0';
    return true;
}
