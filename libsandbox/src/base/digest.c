/*
 * digest.c - random bytes of the kernel's, hashes by OpenSSL but for short texts; base64
 * that is strict, and our own.
 */
#include "base/digest.h"

#include "base/digest_library.h"
#include "base/sha.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>

/* OpenSSL's start costs as much as some hundred kilobytes of our own. */
#define SHORT ((size_t)16 * 1024)

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void sbi_hex(const void *data, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = data;
    unsigned char byte;
    size_t i;

    for (i = 0; i < count; i++) {
        byte = bytes[i];
        out[2 * i] = digits[byte >> 4];
        out[2 * i + 1] = digits[byte & 15];
    }
    out[2 * count] = '\0';
}

static bool fill_random(unsigned char *bytes, size_t count)
{
    size_t at = 0;
    ssize_t got;

    while (at < count) {
        got = getrandom(bytes + at, count - at, 0);
        if (got < 0 && errno != EINTR)
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

int sbi_random_hex(char *out, size_t count, sbx_error *err)
{
    unsigned char *bytes =
        (unsigned char *)out + count + 1; /* read before written over */

    if (!fill_random(bytes, count))
        return sbi_fail(err, SBX_ERR_INTERNAL, "no %zu random bytes to be had", count);

    sbi_hex(bytes, count, out);
    return SBX_OK;
}

static int need(bool sha1, const EVP_MD **kind, sbx_error *err)
{
    int rc = sbi_libcrypto_need(err);

    if (rc == SBX_OK)
        *kind = sha1 ? sbi_libcrypto.EVP_sha1() : sbi_libcrypto.EVP_sha256();
    return rc;
}

/* Of what is not short. */
static int hash_long(bool sha1, const void *data, size_t length, unsigned char *out,
                     sbx_error *err)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    const EVP_MD *kind = NULL;
    int rc = need(sha1, &kind, err);

    if (rc < 0)
        return rc;
    if (sbi_libcrypto.EVP_Digest(data, length, digest, NULL, kind, NULL) != 1)
        return sbi_fail(err, SBX_ERR_INTERNAL, "%s of %zu bytes failed",
                        sha1 ? "SHA-1" : "SHA-256", length);
    memcpy(out, digest, (size_t)sbi_libcrypto.EVP_MD_get_size(kind));
    return SBX_OK;
}

int sbi_sha256(const void *data, size_t length, unsigned char out[32], sbx_error *err)
{
    if (length > SHORT)
        return hash_long(false, data, length, out, err);
    sbi_sha256_short(data, length, out);
    return SBX_OK;
}

struct sbi_sha256 {
    EVP_MD_CTX *context;
    bool failed;
};

int sbi_sha256_new(struct sbi_sha256 **out, sbx_error *err)
{
    SBI_AUTO_SHA256 hash = NULL;
    int rc = sbi_libcrypto_need(err);

    if (rc < 0)
        return rc;
    hash = calloc(1, sizeof(*hash));
    if (hash != NULL)
        hash->context = sbi_libcrypto.EVP_MD_CTX_new();
    if (hash == NULL || hash->context == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    hash->failed = sbi_libcrypto.EVP_DigestInit_ex(hash->context,
                                                   sbi_libcrypto.EVP_sha256(), NULL) != 1;
    *out = SBI_STEAL(hash);
    return SBX_OK;
}

void sbi_sha256_add(struct sbi_sha256 *hash, const void *data, size_t length)
{
    if (!hash->failed && sbi_libcrypto.EVP_DigestUpdate(hash->context, data, length) != 1)
        hash->failed = true;
}

int sbi_sha256_end(struct sbi_sha256 *hash, unsigned char out[32], sbx_error *err)
{
    unsigned char digest[32];

    if (hash->failed ||
        sbi_libcrypto.EVP_DigestFinal_ex(hash->context, digest, NULL) != 1)
        return sbi_fail(err, SBX_ERR_INTERNAL, "SHA-256 failed");
    memcpy(out, digest, sizeof(digest));
    return SBX_OK;
}

void sbi_sha256_free(struct sbi_sha256 *hash)
{
    if (hash == NULL)
        return;
    sbi_libcrypto.EVP_MD_CTX_free(hash->context);
    free(hash);
}

void sbi_sha256_clear(struct sbi_sha256 **hash)
{
    sbi_sha256_free(*hash);
    *hash = NULL;
}

int sbi_sha1(const void *data, size_t length, unsigned char out[20], sbx_error *err)
{
    if (length > SHORT)
        return hash_long(true, data, length, out, err);
    sbi_sha1_short(data, length, out);
    return SBX_OK;
}

static int hmac(bool sha1, const void *key, size_t key_length, const void *data,
                size_t length, unsigned char *out, sbx_error *err)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    const EVP_MD *kind = NULL;
    int rc = need(sha1, &kind, err);

    if (rc < 0)
        return rc;
    if (key_length > INT_MAX || sbi_libcrypto.HMAC(kind, key, (int)key_length, data,
                                                   length, digest, NULL) == NULL)
        return sbi_fail(err, SBX_ERR_INTERNAL, "HMAC of %zu bytes failed", length);
    memcpy(out, digest, (size_t)sbi_libcrypto.EVP_MD_get_size(kind));
    return SBX_OK;
}

int sbi_hmac_sha1(const void *key, size_t key_length, const void *data, size_t length,
                  unsigned char out[20], sbx_error *err)
{
    return hmac(true, key, key_length, data, length, out, err);
}

int sbi_hmac_sha256(const void *key, size_t key_length, const void *data, size_t length,
                    unsigned char out[32], sbx_error *err)
{
    return hmac(false, key, key_length, data, length, out, err);
}

/* Up to three bytes as four digits. */
static void encode_group(const unsigned char *from, size_t count, char *to)
{
    uint32_t bits = (uint32_t)from[0] << 16;

    if (count > 1)
        bits |= (uint32_t)from[1] << 8;
    if (count > 2)
        bits |= from[2];
    to[0] = base64_digits[bits >> 18];
    to[1] = base64_digits[bits >> 12 & 63];
    to[2] = count > 1 ? base64_digits[bits >> 6 & 63] : '=';
    to[3] = count > 2 ? base64_digits[bits & 63] : '=';
}

int sbi_base64_encode(const void *data, size_t length, char **out, sbx_error *err)
{
    const unsigned char *from = data;
    size_t groups = length / 3 + (length % 3 != 0), i, left;
    char *text = NULL;

    if (groups < SIZE_MAX / 4)
        text = malloc(groups * 4 + 1);
    if (text == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "base64 of %zu bytes: out of memory",
                        length);

    for (i = 0; i < groups; i++) {
        left = length - 3 * i;
        encode_group(from + 3 * i, left < 3 ? left : 3, text + 4 * i);
    }
    text[4 * groups] = '\0';
    *out = text;
    return SBX_OK;
}

/* Four digits as `count` bytes; false where they are not digits, or hold more. */
static bool decode_group(const char *from, size_t count, unsigned char *to)
{
    uint32_t bits = 0;
    const char *digit;
    size_t i;

    for (i = 0; i <= count; i++) {
        digit = memchr(base64_digits, from[i], 64);
        if (digit == NULL)
            return false;
        bits |= (uint32_t)(digit - base64_digits) << (18 - 6 * i);
    }
    for (i = 0; i < count; i++)
        to[i] = (unsigned char)(bits >> (16 - 8 * i));
    return (bits & (0xFFFFFFu >> (8 * count))) == 0;
}

static size_t padding_of(const char *text, size_t length)
{
    if (length == 0 || text[length - 1] != '=')
        return 0;
    return text[length - 2] == '=' ? 2 : 1;
}

int sbi_base64_decode(const char *text, size_t length, unsigned char **out,
                      size_t *out_length, sbx_error *err)
{
    SBI_AUTOFREE unsigned char *bytes = NULL;
    size_t padding, size, at, count;

    if (length % 4 != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "base64 of %zu characters is not whole",
                        length);
    padding = padding_of(text, length);
    size = length / 4 * 3 - padding;
    bytes = malloc(size + 1);
    if (bytes == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "decode base64: out of memory");

    for (at = 0; at < length; at += 4) {
        count = at + 4 == length ? 3 - padding : 3;
        if (!decode_group(text + at, count, bytes + at / 4 * 3))
            return sbi_fail(err, SBX_ERR_INVALID, "no base64 at character %zu", at + 1);
    }
    bytes[size] = '\0';
    *out = SBI_STEAL(bytes);
    *out_length = size;
    return SBX_OK;
}

void sbi_wipe(char **secret)
{
    if (*secret == NULL)
        return;
    explicit_bzero(*secret, strlen(*secret));
    free(*secret);
    *secret = NULL;
}
