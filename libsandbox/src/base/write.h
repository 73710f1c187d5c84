/* write.h - bytes to a descriptor. */
#ifndef SANDBOX_BASE_WRITE_H
#define SANDBOX_BASE_WRITE_H

#include <stddef.h>
#include <sys/types.h>

/* 0, or an errno: some may have been written then. */
int sbi_write_all(int fd, const void *data, size_t length);

/* As write(2), but that a pipe which nobody reads is EPIPE and no signal. */
ssize_t sbi_write_some(int fd, const void *data, size_t length);

#endif
