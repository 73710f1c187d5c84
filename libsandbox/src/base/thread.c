#include "base/thread.h"

#include <signal.h>

int sbi_thread_start(pthread_t *thread, void *(*run)(void *), void *userdata)
{
    sigset_t all, before;
    int rc;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(thread, NULL, run, userdata);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}
