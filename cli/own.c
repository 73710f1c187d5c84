#include "own.h"

#include "terminal.h"

#include <limits.h>
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

/* The MCP server by itself has no commands; the program lies beside it. */
const char *own_program(void)
{
    static char path[PATH_MAX];
    const size_t suffix = strlen("-mcp");
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length <= 0)
        return NULL;
    path[length] = '\0';
    if ((size_t)length > suffix && strcmp(path + length - suffix, "-mcp") == 0)
        path[(size_t)length - suffix] = '\0';
    return access(path, X_OK) == 0 ? path : NULL;
}
