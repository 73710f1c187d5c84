/* write.h - bytes to a descriptor, all of them. */
#ifndef SANDBOX_BASE_WRITE_H
#define SANDBOX_BASE_WRITE_H

#include <stddef.h>

/* 0, or an errno: some may have been written then. */
int sbi_write_all(int fd, const void *data, size_t length);

#endif
