/* sync_rate.c - the rules, and a file of one line for each place. */
#include "sync/sync_rate.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define LIMIT 100
#define BELIEVED_S (24 * 60 * 60)

/* Of which nothing is known: a short way is held to be a fast one. */
#define FEW_BYTES (64 * 1024)
#define FEW_BYTES_NEAR (1024 * 1024)
#define STARTS_A_SECOND 100     /* of a packer, at either end */
#define MUCH UINT64_C(32000000) /* a second, packed: more than comes over a slow line */

bool sbi_sync_rate_packs(const struct sbi_sync_rate *rate, uint64_t bytes)
{
    uint64_t few = rate->near ? FEW_BYTES_NEAR : FEW_BYTES;

    if (rate->bytes != 0 && rate->bytes / STARTS_A_SECOND < few)
        few = rate->bytes / STARTS_A_SECOND;
    return bytes >= few && rate->bytes < SBI_SYNC_RATE_FAST;
}

void sbi_sync_rate_learn(struct sbi_sync_rate *rate, bool packed,
                         const struct sbi_far_flow *flow)
{
    if (flow->kind == SBI_FAR_FLOW_HELD)
        rate->bytes = flow->rate;
    if (flow->kind == SBI_FAR_FLOW_FREE && packed && rate->near && rate->bytes == 0)
        rate->bytes = SBI_SYNC_RATE_FAST;
}

void sbi_sync_rate_learn_pull(struct sbi_sync_rate *rate, bool packed,
                              const struct sbi_far_flow *flow)
{
    if (flow->kind != SBI_FAR_FLOW_HELD)
        return;
    if (!packed)
        rate->bytes = flow->rate;
    else if (rate->near && rate->bytes == 0 && flow->rate >= MUCH)
        rate->bytes = SBI_SYNC_RATE_FAST;
}

static int file_of(const char *place, char **out, sbx_error *err)
{
    unsigned char digest[32];
    char name[64] = "sync/";
    int rc = sbi_sha256(place, strlen(place), digest, err);

    if (rc < 0)
        return rc;
    sbi_hex(digest, 16, name + 5);
    memcpy(name + 37, ".way", 5);
    return sbi_path_user(SBI_PATH_STATE, name, out, err);
}

static bool is_young(const char *path)
{
    struct stat info;
    time_t now = time(NULL);

    return stat(path, &info) == 0 && info.st_mtime <= now &&
           now - info.st_mtime < BELIEVED_S;
}

void sbi_sync_rate_load(const char *place, struct sbi_sync_rate *out)
{
    SBI_AUTOFREE char *path = NULL;
    SBI_AUTOFREE char *text = NULL;
    unsigned long long bytes;
    char word[8], newline;
    size_t length;

    *out = (struct sbi_sync_rate){0};
    if (file_of(place, &path, NULL) < 0 || !is_young(path) ||
        sbi_path_read(path, LIMIT, &text, &length, NULL) < 0 ||
        sscanf(text, "sbx way 1 %7s %15llu%c", word, &bytes, &newline) != 3 ||
        newline != '\n')
        return;
    *out = (struct sbi_sync_rate){.near = strcmp(word, "near") == 0, .bytes = bytes};
}

void sbi_sync_rate_save(const char *place, const struct sbi_sync_rate *rate)
{
    SBI_AUTOFREE char *path = NULL;
    char text[LIMIT];
    int length = snprintf(text, sizeof(text), "sbx way 1 %s %llu\n",
                          rate->near ? "near" : "far", (unsigned long long)rate->bytes);

    if (file_of(place, &path, NULL) == SBX_OK &&
        sbi_path_make_parents(path, NULL) == SBX_OK)
        (void)sbi_path_write(path, text, (size_t)length, 0600, NULL);
}
