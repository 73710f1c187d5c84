#include "base/bell.h"

#include "base/cleanup.h"
#include "base/wake.h"

int sbi_bell_open(struct sbi_bell *bell, sbx_error *err)
{
    return sbi_wake_open(&bell->fd, err);
}

void sbi_bell_tell(struct sbi_bell *bell)
{
    bell->changes++;
    if (!bell->waiting)
        return;
    bell->waiting = false;
    bell->rung = true;
    sbi_wake_ring(bell->fd);
}

void sbi_bell_begin(struct sbi_bell *bell)
{
    bell->seen = bell->changes;
    bell->waiting = false;
    if (bell->rung)
        sbi_wake_hush(bell->fd);
    bell->rung = false;
}

int sbi_bell_wait(struct sbi_bell *bell)
{
    bell->waiting = true;
    if (bell->changes != bell->seen) {
        bell->waiting = false;
        bell->rung = true;
        sbi_wake_ring(bell->fd);
    }
    return bell->fd;
}

void sbi_bell_close(struct sbi_bell *bell)
{
    sbi_close_fd(&bell->fd);
    bell->fd = -1;
}
