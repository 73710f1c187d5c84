#include "base/strv.h"

#include <string.h>

int sbi_strv_add(char ***list, const char *word, sbx_error *err)
{
    size_t count = sbi_strv_count((const char *const *)*list);
    char *copy;
    char **grown;

    if (word == NULL)
        return SBX_OK;

    copy = strdup(word);
    grown = copy == NULL ? NULL : realloc(*list, (count + 2) * sizeof(*grown));
    if (grown == NULL) {
        free(copy);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory after %zu words", count);
    }
    grown[count] = copy;
    grown[count + 1] = NULL;
    *list = grown;
    return SBX_OK;
}

int sbi_strv_copy(const char *const *list, char ***out, sbx_error *err)
{
    SBI_AUTO_STRV copy = NULL;
    int rc = SBX_OK;

    for (; list != NULL && *list != NULL && rc == SBX_OK; list++)
        rc = sbi_strv_add(&copy, *list, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(copy);
    return rc;
}

size_t sbi_strv_count(const char *const *list)
{
    size_t count = 0;

    while (list != NULL && list[count] != NULL)
        count++;
    return count;
}

bool sbi_strv_contains(const char *const *list, const char *word)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

void sbi_strv_clear(char ***list)
{
    size_t i;

    for (i = 0; *list != NULL && (*list)[i] != NULL; i++)
        free((*list)[i]);
    free(*list);
    *list = NULL;
}
