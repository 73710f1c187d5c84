/* library.h - a shared library that is loaded when it is first needed. */
#ifndef SANDBOX_BASE_LIBRARY_H
#define SANDBOX_BASE_LIBRARY_H

#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>

struct sbi_function {
    const char *name;
    size_t where; /* of the pointer to it in a struct of such */
};

/*
 * Loads a file for as long as the process lives, and fills in the struct. Call it once.
 * SBX_ERR_UNSUPPORTED where there is no such library, or one without such a function.
 */
int sbi_library_load(const char *file, const struct sbi_function *functions, size_t count,
                     void *table, sbx_error *err);

/* One that several may need at once, and that is tried again after a failure. */
struct sbi_library {
    const char *file;
    const struct sbi_function *functions;
    size_t count;
    void *table; /* filled in before anybody is told that it is there */
    pthread_mutex_t lock;
    atomic_bool loaded;
};

#define SBI_LIBRARY(name, rows, table)                                                   \
    {                                                                                    \
        (name), (rows), sizeof(rows) / sizeof((rows)[0]), (table),                       \
            PTHREAD_MUTEX_INITIALIZER, false                                             \
    }

/* Loads it unless it is there; from any thread. Fails as sbi_library_load does. */
int sbi_library_need(struct sbi_library *library, sbx_error *err);

#endif
