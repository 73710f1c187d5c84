/* digest.h - random bytes, hashes (long ones by OpenSSL), base64, wiping. */
#ifndef SANDBOX_BASE_DIGEST_H
#define SANDBOX_BASE_DIGEST_H

#include "base/cleanup.h"
#include "base/error.h"

/* count random bytes as 2 * count lower-case hex digits and a NUL. */
int sbi_random_hex(char *out, size_t count, sbx_error *err);

int sbi_sha256(const void *data, size_t length, unsigned char out[32], sbx_error *err);
int sbi_hmac_sha256(const void *key, size_t key_length, const void *data, size_t length,
                    unsigned char out[32], sbx_error *err);

/* SHA-256 of bytes that come in pieces. A failure is remembered until the end. */
struct sbi_sha256;
int sbi_sha256_new(struct sbi_sha256 **out, sbx_error *err);
void sbi_sha256_add(struct sbi_sha256 *hash, const void *data, size_t length);
int sbi_sha256_end(struct sbi_sha256 *hash, unsigned char out[32], sbx_error *err);
void sbi_sha256_free(struct sbi_sha256 *hash);
void sbi_sha256_clear(struct sbi_sha256 **hash);

#define SBI_AUTO_SHA256 SBI_CLEANUP(sbi_sha256_clear) struct sbi_sha256 *

/* count bytes as 2 * count lower-case hex digits and a NUL; data may be out + count + 1.
 */
void sbi_hex(const void *data, size_t count, char *out);

/* Only where a format of another program asks for it. */
int sbi_sha1(const void *data, size_t length, unsigned char out[20], sbx_error *err);
int sbi_hmac_sha1(const void *key, size_t key_length, const void *data, size_t length,
                  unsigned char out[20], sbx_error *err);

/* Standard base64 with padding; free() the text. */
int sbi_base64_encode(const void *data, size_t length, char **out, sbx_error *err);

/* Fails with SBX_ERR_INVALID on anything that is not whole base64. */
int sbi_base64_decode(const char *text, size_t length, unsigned char **out,
                      size_t *out_length, sbx_error *err);

/* Wipes and frees a text; *secret is NULL again. */
void sbi_wipe(char **secret);

#define SBI_AUTOWIPE SBI_CLEANUP(sbi_wipe)

#endif
