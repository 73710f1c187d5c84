/* scarce.c - stands before the allocators, and counts. */
#include "support/scarce.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);

static atomic_long asked;
static atomic_long fails_at;

void scarce_from_here(long at)
{
    atomic_store(&fails_at, at);
    atomic_store(&asked, 0);
}

long scarce_count(void)
{
    atomic_store(&fails_at, 0);
    return atomic_load(&asked);
}

static bool is_out(void)
{
    if (atomic_fetch_add(&asked, 1) + 1 != atomic_load(&fails_at))
        return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return is_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_out() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return is_out() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return is_out() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
    return is_out() ? NULL : __real_strndup(text, length);
}
