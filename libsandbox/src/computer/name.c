#include "computer/name.h"

#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
    "amber", "bold",  "brave", "bright", "brisk", "calm",   "clear", "clever",
    "cosy",  "crisp", "eager", "fair",   "fond",  "gentle", "glad",  "grand",
    "happy", "keen",  "kind",  "lively", "lucky", "mellow", "merry", "neat",
    "noble", "proud", "quick", "quiet",  "sunny", "swift",  "warm",  "wise"};
static const char *const beasts[] = {
    "badger", "beaver", "bison", "crane", "deer",   "dove", "eagle", "falcon",
    "ferret", "finch",  "fox",   "goose", "hare",   "hawk", "heron", "ibis",
    "lark",   "lemur",  "lion",  "lynx",  "marten", "mole", "moose", "newt",
    "otter",  "owl",    "panda", "robin", "seal",   "swan", "tapir", "wren"};

int sbi_name_draw(char out[SBI_NAME_SIZE], sbx_error *err)
{
    char hex[9];
    unsigned long drawn;
    int rc = sbi_random_hex(hex, 4, err);

    if (rc < 0)
        return rc;
    drawn = strtoul(hex, NULL, 16);
    (void)snprintf(out, SBI_NAME_SIZE, "%s-%s-%04lx", kinds[drawn % 32],
                   beasts[drawn / 32 % 32], drawn >> 16 & 0xFFFF);
    return SBX_OK;
}

int sbi_name_check(const char *name, sbx_error *err)
{
    size_t length = name == NULL ? 0 : strlen(name);

    if (length >= 1 && length < SBI_NAME_SIZE && name[0] != '-' &&
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length)
        return SBX_OK;
    return sbi_fail(err, SBX_ERR_INVALID,
                    "'%.80s' is no name: 1 to 63 of a to z, 0 to 9 and '-', which is not "
                    "the first",
                    name == NULL ? "" : name);
}
