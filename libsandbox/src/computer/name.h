/* name.h - names of computers. */
#ifndef SANDBOX_COMPUTER_NAME_H
#define SANDBOX_COMPUTER_NAME_H

#include "base/error.h"

#define SBI_NAME_SIZE 64

/* A new one that a person can read and say: "calm-otter-3f2a". */
int sbi_name_draw(char out[SBI_NAME_SIZE], sbx_error *err);

/* 1 to 63 of a to z, 0 to 9 and '-', which is not the first: else SBX_ERR_INVALID. */
int sbi_name_check(const char *name, sbx_error *err);

#endif
