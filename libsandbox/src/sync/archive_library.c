#include "sync/archive_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t where;
} functions[] = {
#define SBI_ROW(name) {#name, offsetof(struct sbi_libarchive, name)},
    SBI_LIBARCHIVE(SBI_ROW)
#undef SBI_ROW
};

static struct sbi_libarchive library;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char why_not[160];

/* POSIX has dlsym's pointer copied as bytes into one to a function. */
static void load(void)
{
    void *handle = dlopen(SANDBOX_LIBARCHIVE, RTLD_NOW | RTLD_LOCAL);
    size_t i;

    for (i = 0; handle != NULL && i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(handle, functions[i].name);

        if (function == NULL)
            break;
        memcpy((char *)&library + functions[i].where, &function, sizeof(function));
    }
    if (handle == NULL || i < sizeof(functions) / sizeof(functions[0]))
        (void)snprintf(why_not, sizeof(why_not), "%s", dlerror());
}

int sbi_libarchive(const struct sbi_libarchive **out, sbx_error *err)
{
    (void)pthread_once(&once, load);
    if (why_not[0] != '\0')
        return sbi_fix(err,
                       sbi_fail(err, SBX_ERR_UNSUPPORTED, "load libarchive: %s", why_not),
                       NULL, "install %s on this machine", SANDBOX_LIBARCHIVE);
    *out = &library;
    return SBX_OK;
}
