#include "sync/archive_library.h"

#include "base/library.h"

#include <pthread.h>

static const struct sbi_function functions[] = {
#define SBI_ROW(name) {#name, offsetof(struct sbi_libarchive, name)},
    SBI_LIBARCHIVE(SBI_ROW)
#undef SBI_ROW
};

static struct sbi_libarchive library;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sbx_error why_not;

static void load(void)
{
    (void)sbi_library_load(SANDBOX_LIBARCHIVE, functions,
                           sizeof(functions) / sizeof(functions[0]), &library, &why_not);
}

int sbi_libarchive(const struct sbi_libarchive **out, sbx_error *err)
{
    (void)pthread_once(&once, load);
    if (why_not.code != SBX_OK && err != NULL)
        *err = why_not;
    if (why_not.code == SBX_OK)
        *out = &library;
    return why_not.code;
}
