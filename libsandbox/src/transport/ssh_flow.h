/*
 * ssh_flow.h - how much may be under way to one process over there.
 *
 * sshd keeps what its process has not read yet in a buffer, and copies all of it whenever
 * some is added. With the two megabytes that its window grants that is most of what it
 * does; so no more is under way than the process reads in about the time that the way
 * itself takes. Another server's window is made use of as it is.
 */
#ifndef SANDBOX_TRANSPORT_SSH_FLOW_H
#define SANDBOX_TRANSPORT_SSH_FLOW_H

#include <stddef.h>
#include <stdint.h>

/* Starts as all zero. */
struct sbi_ssh_flow {
    size_t most;      /* the window when nothing is under way */
    size_t limit;     /* what may be; 0: not set yet */
    uint64_t sent;    /* since the start */
    uint64_t mark;    /* once so much was read, a delay is known; 0: none is measured */
    int64_t marked;   /* when that had been sent */
    int64_t quickest; /* delay so far, in ms; 0: none is known */
};

/* How many bytes may be written now, of those that wait, where the window is so large. */
size_t sbi_ssh_flow_room(struct sbi_ssh_flow *flow, size_t window, size_t waiting,
                         int64_t now);

/* So many were written. */
void sbi_ssh_flow_sent(struct sbi_ssh_flow *flow, size_t bytes, int64_t now);

#endif
