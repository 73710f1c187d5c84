/* orders.c - what the proxy is told on its standard input. */
#include "support/prog_proxy/proxy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void obey(const char *line)
{
    if (strncmp(line, "delay ", 6) == 0)
        proxy.delay_us = (int64_t)(strtod(line + 6, NULL) * 1000);
    else if (strncmp(line, "rate ", 5) == 0)
        proxy.rate = strtoll(line + 5, NULL, 10);
    else if (strcmp(line, "cut") == 0)
        proxy_cut();
    else if (strcmp(line, "blackhole") == 0)
        proxy.blackhole = true;
    else if (strcmp(line, "refuse") == 0)
        proxy_refuse();
    else if (strcmp(line, "heal") == 0) {
        proxy.blackhole = false;
        proxy.trap.total = NULL;
        if (proxy.listener < 0 && proxy_listen() < 0) {
            puts("cannot listen");
            return;
        }
    } else if (strncmp(line, "after ", 6) == 0) {
        if (!proxy_set_trap(line + 6)) {
            puts("unknown");
            return;
        }
    } else if (strcmp(line, "count") == 0) {
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", proxy.taken, proxy.up,
               proxy.down);
        return;
    } else {
        puts("unknown");
        return;
    }
    puts("ok");
}

bool proxy_read_orders(void)
{
    static char text[256];
    static size_t used;
    ssize_t got = read(STDIN_FILENO, text + used, sizeof(text) - 1 - used);
    char *end;

    if (got <= 0)
        return got < 0 && errno == EINTR;
    used += (size_t)got;
    text[used] = '\0';
    while ((end = strchr(text, '\n')) != NULL) {
        *end = '\0';
        obey(text);
        used -= (size_t)(end + 1 - text);
        memmove(text, end + 1, used + 1);
    }
    if (used == sizeof(text) - 1)
        used = 0;
    return true;
}
