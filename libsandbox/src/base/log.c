#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    sbx_log_fn fn;
    void *userdata;
} sink;
static atomic_int sink_level;

void sbx_log_to(sbx_log_fn fn, int level, void *userdata)
{
    (void)pthread_mutex_lock(&sink_lock);
    sink.fn = fn;
    sink.userdata = userdata;
    atomic_store(&sink_level, fn == NULL ? 0 : level);
    (void)pthread_mutex_unlock(&sink_lock);
}

bool sbi_log_wanted(int level)
{
    return level <= atomic_load(&sink_level);
}

void sbi_log(int level, const char *format, ...)
{
    char line[1024];
    va_list args;
    char *at;

    if (!sbi_log_wanted(level))
        return;

    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    for (at = line; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20)
            *at = ' ';

    (void)pthread_mutex_lock(&sink_lock);
    if (sink.fn != NULL)
        sink.fn(level, line, sink.userdata);
    (void)pthread_mutex_unlock(&sink_lock);
}
