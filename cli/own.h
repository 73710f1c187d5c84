/* own.h - memory of the program: given back at the end of a scope, never short. */
#ifndef CLI_OWN_H
#define CLI_OWN_H

#include <stddef.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define AUTOFREE CLEANUP(own_free)
#define AUTOCLOSE CLEANUP(own_close)
#define PRINTF(at, first) __attribute__((__format__(__printf__, at, first)))

/* These end the program where there is no memory: it has nothing else to do then. */
void *own_zeroed(size_t count, size_t size);
void *own_grown(void *memory, size_t count, size_t size);
char *own_copy(const char *text, size_t length);

/* The file of this program; NULL: it is not known. Alive as long as that. */
const char *own_program(void);

/* For the macros above: each takes the address of the variable. */
void own_free(void *variable);
void own_close(int *fd);

#endif
