/*
 * sha.h - SHA-1 and SHA-256 of a short text, in plain C. What is long, or comes in
 * pieces, is OpenSSL's (base/digest.h), which has the processor's own instructions.
 */
#ifndef SANDBOX_BASE_SHA_H
#define SANDBOX_BASE_SHA_H

#include <stddef.h>

void sbi_sha1_short(const void *data, size_t length, unsigned char out[20]);
void sbi_sha256_short(const void *data, size_t length, unsigned char out[32]);

#endif
