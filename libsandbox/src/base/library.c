#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

/* POSIX has dlsym's pointer copied as bytes into one to a function. */
int sbi_library_load(const char *file, const struct sbi_function *functions, size_t count,
                     void *table, sbx_error *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), *function;
    size_t i;

    for (i = 0; handle != NULL && i < count; i++) {
        function = dlsym(handle, functions[i].name);
        if (function == NULL)
            break;
        memcpy((char *)table + functions[i].where, &function, sizeof(function));
    }
    if (handle != NULL && i == count)
        return SBX_OK;
    return sbi_fix(err,
                   sbi_fail(err, SBX_ERR_UNSUPPORTED, "load '%s': %s", file, dlerror()),
                   NULL, "install %s on this machine", file);
}
