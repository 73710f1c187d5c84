#include "base/cancel.h"

#include "base/cleanup.h"
#include "base/wake.h"

#include <stdatomic.h>

struct sbx_cancel {
    int fd;
    atomic_bool fired;
};

int sbx_cancel_new(sbx_cancel **out, sbx_error *err)
{
    SBI_AUTOFREE sbx_cancel *cancel = calloc(1, sizeof(*cancel));
    int rc;

    if (cancel == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "make a cancel token: out of memory");

    rc = sbi_wake_open(&cancel->fd, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "make a cancel token");
    *out = SBI_STEAL(cancel);
    return SBX_OK;
}

void sbx_cancel_fire(sbx_cancel *cancel)
{
    if (cancel == NULL)
        return;
    atomic_store(&cancel->fired, true);
    sbi_wake_ring(cancel->fd);
}

bool sbx_cancel_fired(const sbx_cancel *cancel)
{
    return cancel != NULL && atomic_load(&cancel->fired);
}

int sbi_cancel_fd(const sbx_cancel *cancel)
{
    return cancel == NULL ? -1 : cancel->fd;
}

void sbx_cancel_free(sbx_cancel *cancel)
{
    if (cancel == NULL)
        return;
    (void)close(cancel->fd);
    free(cancel);
}
