#include "own.h"

#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *or_end(void *memory)
{
    static const char text[] = "out of memory\n";

    if (memory != NULL)
        return memory;
    terminal_restore();
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(255);
}

void *own_zeroed(size_t count, size_t size)
{
    return or_end(calloc(count > 0 ? count : 1, size > 0 ? size : 1));
}

void *own_grown(void *memory, size_t count, size_t size)
{
    return or_end(reallocarray(memory, count, size));
}

char *own_copy(const char *text, size_t length)
{
    char *copy = own_zeroed(length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

void own_free(void *variable)
{
    free(*(void **)variable);
}

void own_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}
