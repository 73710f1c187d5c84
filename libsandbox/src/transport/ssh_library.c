#include "transport/ssh_library.h"

#include "base/library.h"

struct sbi_libssh sbi_libssh;

static const struct sbi_function functions[] = {
#define SBI_ROW(name) {#name, offsetof(struct sbi_libssh, name)},
    SBI_LIBSSH(SBI_ROW)
#undef SBI_ROW
};

int sbi_libssh_need(sbx_error *err)
{
    static struct sbi_library library =
        SBI_LIBRARY(SANDBOX_LIBSSH, functions, &sbi_libssh);

    return sbi_library_need(&library, err);
}
