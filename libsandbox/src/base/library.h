/* library.h - a shared library that is loaded when it is first needed. */
#ifndef SANDBOX_BASE_LIBRARY_H
#define SANDBOX_BASE_LIBRARY_H

#include "base/error.h"

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

#endif
