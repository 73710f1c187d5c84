/* trap.c - what breaks the line: at once, or behind so many bytes. */
#include "support/prog_proxy/proxy.h"

#include <stdlib.h>
#include <string.h>

static void break_all(void)
{
    size_t i;

    for (i = 0; i < proxy.count; i++)
        proxy.connections[i]->broken = true;
}

void proxy_cut(void)
{
    break_all();
    proxy_sweep();
}

void proxy_spring_trap(void)
{
    if (proxy.trap.total == NULL || *proxy.trap.total < proxy.trap.at)
        return;
    proxy.trap.total = NULL;
    proxy.trap.sprung = proxy.trap.cuts;
    if (proxy.trap.cuts)
        break_all();
    else
        proxy.blackhole = true;
}

size_t proxy_allowed(const struct way *way, size_t length)
{
    uint64_t left;

    if (proxy.trap.total != way->total)
        return length;
    left = proxy.trap.at - *way->total;
    return left < length ? (size_t)left : length;
}

bool proxy_set_trap(const char *words)
{
    bool up = strncmp(words, "up ", 3) == 0;
    char *end;

    if (!up && strncmp(words, "down ", 5) != 0)
        return false;
    proxy.trap.total = up ? &proxy.up : &proxy.down;
    proxy.trap.at = *proxy.trap.total + strtoull(words + (up ? 3 : 5), &end, 10);
    proxy.trap.cuts = strcmp(end, " cut") == 0;
    proxy_spring_trap();
    proxy_sweep();
    return true;
}
