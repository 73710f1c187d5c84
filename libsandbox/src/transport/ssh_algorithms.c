#include "transport/ssh_algorithms.h"

#include "base/str.h"
#include "transport/ssh_config_reading.h"

#include <string.h>

#define NAME_LIMIT 128
#define LIST_LIMIT 8192

/* The next name of a list; false at its end. One that is too long is no algorithm. */
static bool next_name(const char **list, char name[NAME_LIMIT])
{
    size_t length;

    do {
        *list += strspn(*list, ", ");
        length = strcspn(*list, ", ");
        if (length > 0 && length < NAME_LIMIT) {
            memcpy(name, *list, length);
            name[length] = '\0';
        }
        *list += length;
    } while (length >= NAME_LIMIT);
    return length > 0;
}

bool sbi_ssh_algorithms_have(const char *list, const char *name)
{
    char one[NAME_LIMIT];

    while (list != NULL && next_name(&list, one))
        if (strcmp(one, name) == 0)
            return true;
    return false;
}

static bool matches(const char *patterns, const char *name)
{
    char pattern[NAME_LIMIT];

    while (next_name(&patterns, pattern))
        if (sbi_ssh_config_pattern(name, pattern))
            return true;
    return false;
}

/* Those of list that are not there yet, and not among the dropped. */
static void append(struct sbi_str *out, const char *list, const char *dropped)
{
    char name[NAME_LIMIT];

    while (next_name(&list, name))
        if (!sbi_ssh_algorithms_have(out->data, name) &&
            (dropped == NULL || !matches(dropped, name)))
            sbi_str_addf(out, "%s%s", out->length > 0 ? "," : "", name);
}

int sbi_ssh_algorithms(const char *said, const char *defaults, char **out, sbx_error *err)
{
    SBI_AUTO_STR list = {.limit = LIST_LIMIT};
    char sign = said == NULL ? '+' : said[0];

    if (sign == '-') {
        append(&list, defaults, said + 1);
    } else if (sign == '+') {
        append(&list, defaults, NULL);
        if (said != NULL)
            append(&list, said + 1, NULL);
    } else {
        append(&list, said + (sign == '^'), NULL);
        if (sign == '^')
            append(&list, defaults, NULL);
    }
    if (list.length == 0 && list.status == SBX_OK)
        return sbi_fail(err, SBX_ERR_CONFIG, "'%s' leaves no algorithm", said);
    return sbi_str_take(&list, out, err);
}
