#include "job/owner.h"

#include "job/token.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void own_name(char *out, size_t room)
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

int sbi_owner_text(const char *given, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = 4096};
    char own[256];
    int rc;

    if (given == NULL) {
        own_name(own, sizeof(own));
        given = own;
    }
    sbi_token_add(&text, "by", given, strlen(given));
    if (text.status == SBX_OK) {
        text.data[text.length - 1] = '\0';
        memmove(text.data, text.data + 3, text.length - 3);
        text.length -= 4;
    }
    rc = sbi_str_take(&text, out, err);
    return rc < 0 ? sbi_wrap(err, rc, "'%.60s' as a name", given) : SBX_OK;
}
