/* thread.h - threads of the library's own, which leave the host program's signals alone.
 */
#ifndef SANDBOX_BASE_THREAD_H
#define SANDBOX_BASE_THREAD_H

#include <pthread.h>

/* As pthread_create: 0, or an errno. Every signal is blocked on the new thread. */
int sbi_thread_start(pthread_t *thread, void *(*run)(void *), void *userdata);

#endif
