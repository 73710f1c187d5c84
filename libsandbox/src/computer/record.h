/* record.h - containers as the script prints them, and the struct that callers see. */
#ifndef SANDBOX_COMPUTER_RECORD_H
#define SANDBOX_COMPUTER_RECORD_H

#include "base/json.h"

#include <sandbox/computer.h>

/* seen is first: a caller's pointer is the record's. */
struct sbi_record {
    sbx_computer seen;
    cJSON *json;     /* the line; texts of seen point into it */
    cJSON *settings; /* parsed */
    char *place, *address;
    const char *container; /* its name with the engine */
    char *holder;
    bool aside;    /* a reset has it under a name of its own */
    bool leftover; /* so of a reset that was cut off */
};

static inline const struct sbi_record *sbi_record_of(const sbx_computer *computer)
{
    return (const struct sbi_record *)computer;
}

/* The digits that a text begins with; what no number has room for is cut off. */
int64_t sbi_record_number(const char *text);

/*
 * Reads all lines. What has not our labels, or stands under another name than these say,
 * is left out. owner: whose are `mine`.
 */
int sbi_record_read(const char *text, size_t length, const char *place, const char *owner,
                    sbx_computer_list **out, sbx_error *err);

/* Takes the first one out of a list, which it frees; SBX_ERR_REMOTE where it is empty. */
int sbi_record_first(sbx_computer_list *list, sbx_computer **out, sbx_error *err);

/* The same of a list that stays. */
int sbi_record_take(sbx_computer_list *list, sbx_computer **out, sbx_error *err);

/* Keeps those for which keep is true; the others are freed. */
void sbi_record_filter(sbx_computer_list *list,
                       bool (*keep)(const sbx_computer *computer, void *userdata),
                       void *userdata);

#endif
