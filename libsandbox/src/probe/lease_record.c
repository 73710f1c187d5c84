/* lease_record.c - one line a lease: its numbers, then its texts. */
#include "probe/lease_record.h"

#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

struct list {
    sbx_lease_list public;
    sbx_lease *items;
    char *text;
    char *place;
};

static const char *const states[] = {[SBX_LEASE_LIVE] = "live",
                                     [SBX_LEASE_GONE] = "gone",
                                     [SBX_LEASE_REBOOT] = "reboot",
                                     [SBX_LEASE_EXPIRED] = "expired",
                                     [SBX_LEASE_UNKNOWN] = "unknown"};

const char *sbx_lease_state_name(int state)
{
    return state < SBX_LEASE_LIVE || state > SBX_LEASE_UNKNOWN ? "unknown"
                                                               : states[state];
}

static int state_named(const char *name)
{
    int state;

    for (state = SBX_LEASE_LIVE; state < SBX_LEASE_UNKNOWN; state++)
        if (strcmp(states[state], name) == 0)
            return state;
    return strcmp(states[SBX_LEASE_UNKNOWN], name) == 0 ? SBX_LEASE_UNKNOWN : 0;
}

/* The next word, cut off where it stands; NULL at the end. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " ");
    size_t length = strcspn(word, " ");

    if (length == 0)
        return NULL;
    *at = word + length + (word[length] == '\0' ? 0 : 1);
    word[length] = '\0';
    return word;
}

static bool read_number(const char *word, int64_t *out)
{
    int64_t number = 0;

    if (word == NULL)
        return false;
    for (; *word >= '0' && *word <= '9' && number < INT64_MAX / 10 - 9; word++)
        number = number * 10 + (*word - '0');
    *out = number;
    return *word == '\0';
}

bool sbi_lease_read(char *line, sbx_lease *out)
{
    sbx_lease lease = {0};
    int64_t *const numbers[] = {&lease.uid, &lease.pid, &lease.expires_at_s,
                                &lease.taken_at_s, &lease.renewed_at_s};
    char *at = line;
    char *word = next_word(&at);
    size_t i;

    lease.state = word == NULL ? 0 : state_named(word);
    if (lease.state == 0)
        return false;
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (!read_number(next_word(&at), numbers[i]) &&
            (i == 0 || lease.state != SBX_LEASE_UNKNOWN))
            return false;
    lease.user = next_word(&at);
    lease.gpu = next_word(&at);
    lease.purpose = at;
    if (lease.user == NULL || lease.gpu == NULL)
        return false;
    *out = lease;
    return true;
}

static void list_clear(struct list **list)
{
    if (*list != NULL)
        sbx_lease_list_free(&(*list)->public);
}

static void mark_mine(struct list *list, int64_t uid)
{
    size_t i;

    for (i = 0; i < list->public.count; i++)
        list->items[i].mine = list->items[i].uid == uid;
}

static void read_line(struct list *list, char *line)
{
    int64_t uid;

    if (strncmp(line, "mine ", 5) == 0 && read_number(line + 5, &uid))
        mark_mine(list, uid);
    else if (list->public.count < SBI_LEASE_MOST &&
             sbi_lease_read(line, &list->items[list->public.count]))
        list->public.count++;
}

int sbi_lease_list_read(const char *text, size_t length, const char *place,
                        sbx_lease_list **out, sbx_error *err)
{
    SBI_CLEANUP(list_clear) struct list *list = calloc(1, sizeof(*list));
    char *line, *end;

    if (list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read leases: out of memory");
    list->items = calloc(SBI_LEASE_MOST, sizeof(*list->items));
    list->text = calloc(1, length + 1);
    list->place = strdup(place);
    if (list->items == NULL || list->text == NULL || list->place == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read leases: out of memory");
    memcpy(list->text, text, length);
    for (line = list->text; line < list->text + length; line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        read_line(list, line);
    }
    list->public.items = list->items;
    list->public.place = list->place;
    *out = &SBI_STEAL(list)->public;
    return SBX_OK;
}

void sbx_lease_list_free(sbx_lease_list *public)
{
    struct list *list = (struct list *)public;

    if (list == NULL)
        return;
    free(list->items);
    free(list->text);
    free(list->place);
    free(list);
}
