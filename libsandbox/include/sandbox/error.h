/*
 * error.h - how a call says that it failed.
 *
 * A call that can fail returns an int: SBX_OK, or one negative SBX_ERR_ code.
 * Its last parameter is an sbx_error owned by the caller, or NULL when the
 * code alone will do. On success the struct is left untouched; on failure it
 * holds the same code, one line for a person with the outermost context first,
 *
 *     open session to 'gpu1': authenticate as 'ubuntu': no method accepted
 *
 * and the facts that steer a program: whether the same call may succeed when
 * it is made again, whether the command ran, and what mends the cause.
 */
#ifndef SANDBOX_ERROR_H
#define SANDBOX_ERROR_H

#include <sandbox/api.h>

SBX_BEGIN_DECLS

typedef enum sbx_code {
    SBX_OK = 0,
    SBX_ERR_INTERNAL = -1, /* a bug of ours: please report it */
    SBX_ERR_NO_MEMORY = -2,
    SBX_ERR_INVALID = -3, /* an argument that no call could accept */
    SBX_ERR_CONFIG = -4,  /* a configuration text that cannot be read */
    SBX_ERR_NOT_FOUND = -5,
    SBX_ERR_EXISTS = -6,
    SBX_ERR_CONNECT = -7,  /* the host could not be reached */
    SBX_ERR_HOST_KEY = -8, /* it was reached, and cannot show that it is who it was */
    SBX_ERR_AUTH = -9,
    SBX_ERR_DISCONNECTED = -10, /* the connection broke during the call */
    SBX_ERR_TIMEOUT = -11,      /* the library's own work took too long */
    SBX_ERR_CANCELLED = -12,
    SBX_ERR_LIMIT = -13,  /* more than the caller, or the server, allows */
    SBX_ERR_IO = -14,     /* a file, here or there; see sys_errno */
    SBX_ERR_REMOTE = -15, /* what we need over there is missing or failed */
    SBX_ERR_UNSUPPORTED = -16,
    SBX_ERR_CONFLICT = -17 /* what is there is not what the caller holds it to be */
} sbx_code;

/* Whether any part of what was asked for happened on the far side. */
typedef enum sbx_executed {
    SBX_EXECUTED_NO = 0,
    SBX_EXECUTED_YES = 1,
    SBX_EXECUTED_UNKNOWN = 2 /* bytes left here, and no answer came back */
} sbx_executed;

/* 512 bytes, in every version. */
typedef struct sbx_error {
    int32_t code;        /* an sbx_code */
    int32_t sys_errno;   /* errno of the cause, or 0 */
    int32_t retryable;   /* 1: the same call may succeed if it is made again */
    int32_t executed;    /* an sbx_executed */
    int32_t reserved[4]; /* zero; room that costs no ABI break */
    char check[24];      /* the doctor check that explains it, or "" */
    char fix[136];       /* the command or setting that mends it, or "" */
    char text[320];      /* NUL-terminated UTF-8, one line */
} sbx_error;

/* "SBX_ERR_AUTH" for SBX_ERR_AUTH; never NULL. */
SBX_API const char *sbx_code_name(int code);

/* "no", "yes" or "unknown"; never NULL. */
SBX_API const char *sbx_executed_name(int executed);

/*
 * {"code","text","retryable","executed","fix","check"} for sbx_free; NULL when there
 * is no memory. So is the result of every *_json call.
 */
SBX_API char *sbx_error_json(const sbx_error *err);

SBX_END_DECLS
#endif
