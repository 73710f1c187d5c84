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

int sbi_library_need(struct sbi_library *library, sbx_error *err)
{
    int rc = SBX_OK;

    if (atomic_load_explicit(&library->loaded, memory_order_acquire))
        return SBX_OK;
    (void)pthread_mutex_lock(&library->lock);
    if (!atomic_load(&library->loaded)) {
        rc = sbi_library_load(library->file, library->functions, library->count,
                              library->table, err);
        if (rc == SBX_OK)
            atomic_store_explicit(&library->loaded, true, memory_order_release);
    }
    (void)pthread_mutex_unlock(&library->lock);
    return rc;
}
