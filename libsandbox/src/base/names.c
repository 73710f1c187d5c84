#include "base/names.h"

#include "base/array.h"

#include <string.h>

#define FIRST_CHAINS 64

/* FNV-1a. */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

static size_t *chain_of(const struct sbi_names *names, const char *name)
{
    return &names->chains[hash_of(name) % names->chain_count];
}

static void hang(struct sbi_names *names, size_t place)
{
    size_t *chain = chain_of(names, names->items[place].name);

    names->items[place].next = *chain;
    *chain = place + 1;
}

/* As many chains as names, so that each is short. */
static int grow(struct sbi_names *names, sbx_error *err)
{
    size_t count = names->chain_count == 0 ? FIRST_CHAINS : names->chain_count * 2;
    size_t *chains, i;

    if (names->count < names->chain_count)
        return SBX_OK;
    chains = calloc(count, sizeof(*chains));
    if (chains == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "no memory for %zu names", count);
    free(names->chains);
    names->chains = chains;
    names->chain_count = count;
    for (i = 0; i < names->count; i++)
        hang(names, i);
    return SBX_OK;
}

int sbi_names_add(struct sbi_names *names, const char *name, size_t number,
                  sbx_error *err)
{
    int rc = sbi_array_reserve(&names->items, sizeof(*names->items), names->count + 1,
                               &names->capacity, err);

    if (rc == SBX_OK)
        rc = grow(names, err);
    if (rc < 0)
        return rc;
    names->items[names->count] = (struct sbi_name){.name = name, .number = number};
    hang(names, names->count++);
    return SBX_OK;
}

static const struct sbi_name *first_of(const struct sbi_names *names, size_t place,
                                       const char *name)
{
    while (place > 0 && strcmp(names->items[place - 1].name, name) != 0)
        place = names->items[place - 1].next;
    return place == 0 ? NULL : &names->items[place - 1];
}

const struct sbi_name *sbi_names_find(const struct sbi_names *names, const char *name)
{
    return names->count == 0 ? NULL : first_of(names, *chain_of(names, name), name);
}

const struct sbi_name *sbi_names_before(const struct sbi_names *names,
                                        const struct sbi_name *found)
{
    return first_of(names, found->next, found->name);
}

void sbi_names_clear(struct sbi_names *names)
{
    free(names->items);
    free(names->chains);
    *names = (struct sbi_names){0};
}
