#include "base/who.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

void sbi_who(char *out, size_t room)
{
    char machine[128] = "", memory[4096];
    struct passwd entry, *found = NULL;

    (void)gethostname(machine, sizeof(machine) - 1);
    if (getpwuid_r(getuid(), &entry, memory, sizeof(memory), &found) == 0 &&
        found != NULL)
        (void)snprintf(out, room, "%.64s@%.100s", found->pw_name, machine);
    else
        (void)snprintf(out, room, "%u@%.100s", (unsigned)getuid(), machine);
}
