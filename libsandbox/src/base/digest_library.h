/*
 * digest_library.h - OpenSSL's libcrypto, loaded when it is first needed: it is among
 * what a start of the program would cost most, and most commands hash a few short texts.
 */
#ifndef SANDBOX_BASE_DIGEST_LIBRARY_H
#define SANDBOX_BASE_DIGEST_LIBRARY_H

#include "base/error.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Every function of OpenSSL that ours calls. */
/* clang-format off */
#define SBI_LIBCRYPTO(one) \
    one(EVP_Digest) \
    one(EVP_DigestFinal_ex) \
    one(EVP_DigestInit_ex) \
    one(EVP_DigestUpdate) \
    one(EVP_MD_CTX_free) \
    one(EVP_MD_CTX_new) \
    one(EVP_MD_get_size) \
    one(EVP_sha1) \
    one(EVP_sha256) \
    one(HMAC)
/* clang-format on */

struct sbi_libcrypto {
#define SBI_MEMBER(name) __typeof__(name) *name;
    SBI_LIBCRYPTO(SBI_MEMBER)
#undef SBI_MEMBER
};

/* Filled in by sbi_libcrypto_need, for as long as the process lives. */
extern struct sbi_libcrypto sbi_libcrypto;

/* SBX_ERR_UNSUPPORTED where it cannot be loaded. */
int sbi_libcrypto_need(sbx_error *err);

#endif
