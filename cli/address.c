#include "address.h"

#include <stdlib.h>
#include <string.h>

static bool is_plain_path(const char *word)
{
    return word[0] == '/' || word[0] == '.' || word[0] == '~' ||
           strchr(word, ':') == NULL;
}

/* The colon behind PLACE, where *start begins; NULL where a bracket has no end. */
static const char *find_colon(const char **start)
{
    const char *close;

    if (**start != '[')
        return strchr(*start, ':');
    ++*start;
    close = strchr(*start, ']');
    return close != NULL && close[1] == ':' ? close + 1 : NULL;
}

int address_read(const char *word, struct address *out, sbx_error *err)
{
    const char *start = word;
    const char *colon;
    size_t length;

    if (is_plain_path(word)) {
        *out = (struct address){.path = word};
        return SBX_OK;
    }
    colon = find_colon(&start);
    if (colon == NULL)
        return fault(err, SBX_ERR_INVALID, "address '%s': no ']:' behind the place",
                     word);
    length = (size_t)(colon - start) - (start > word ? 1 : 0);
    if (length == 0)
        return fault_fix(
            err, fault(err, SBX_ERR_INVALID, "address '%s': no place before ':'", word),
            "local:%s, or ./%s", colon + 1, word);
    if (start[0] == '@' || memchr(start, ',', length) != NULL)
        return fault(err, SBX_ERR_INVALID, "address '%s': it takes one place", word);
    *out = (struct address){.place = own_copy(start, length), .path = colon + 1};
    return SBX_OK;
}

int address_read_placed(const char *word, struct address *out, sbx_error *err)
{
    AUTO_ADDRESS address = {0};
    int rc = address_read(word, &address, err);

    if (rc < 0)
        return rc;
    if (address.place == NULL) {
        rc = fault(err, SBX_ERR_INVALID, "'%s' names no place: PLACE:PATH", word);
        if (strpbrk(word, "/.~:") != NULL)
            return fault_fix(err, rc, "local:%s", word);
        return fault_fix(err, rc, "local:%s, or %s:PATH if that is a place", word, word);
    }
    *out = address;
    address = (struct address){0};
    return SBX_OK;
}

void address_clear(struct address *address)
{
    free(address->place);
    *address = (struct address){0};
}
