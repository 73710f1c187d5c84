/* who.h - the account and the machine of this process. */
#ifndef SANDBOX_BASE_WHO_H
#define SANDBOX_BASE_WHO_H

#include <stddef.h>

#define SBI_WHO_SIZE 256

/* "user@machine"; the number of a user without a name. */
void sbi_who(char *out, size_t room);

#endif
