#include "base/digest_library.h"

#include "base/library.h"

struct sbi_libcrypto sbi_libcrypto;

static const struct sbi_function functions[] = {
#define SBI_ROW(name) {#name, offsetof(struct sbi_libcrypto, name)},
    SBI_LIBCRYPTO(SBI_ROW)
#undef SBI_ROW
};

int sbi_libcrypto_need(sbx_error *err)
{
    static struct sbi_library library =
        SBI_LIBRARY(SANDBOX_LIBCRYPTO, functions, &sbi_libcrypto);

    return sbi_library_need(&library, err);
}
