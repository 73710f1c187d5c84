#include "base/complaint.h"

#include <string.h>

#define FAILED_EXIT 9
#define MOST_DETAIL 200

const char *sbi_complaint_find(const struct sbi_complaints *known, const char *errors)
{
    const char *at = errors, *found = NULL;

    while (at != NULL && (at = strstr(at, known->begins)) != NULL) {
        at += strlen(known->begins);
        found = at;
    }
    return found;
}

const struct sbi_complaint *sbi_complaint_row(const struct sbi_complaints *known,
                                              const char *line, const char **detail,
                                              size_t *length)
{
    size_t word = strcspn(line, " \n"), i;

    *detail = line + word + (line[word] == ' ' ? 1 : 0);
    *length = strcspn(*detail, "\n");
    for (i = 0; i < known->count; i++)
        if (strlen(known->rows[i].word) == word &&
            strncmp(known->rows[i].word, line, word) == 0)
            return &known->rows[i];
    return NULL;
}

int sbi_complaint_fail(const struct sbi_complaint *row, const char *detail, size_t length,
                       sbx_error *err)
{
    bool told = row->joint != NULL && length > 0;

    (void)sbi_fail(err, row->code, "%s%s%.*s", row->text, told ? row->joint : "",
                   !told                  ? 0
                   : length > MOST_DETAIL ? MOST_DETAIL
                                          : (int)length,
                   detail);
    return row->fix == NULL ? row->code : sbi_fix(err, row->code, NULL, "%s", row->fix);
}

int sbi_complaint_judge(const struct sbi_complaints *known, int exit_code,
                        const char *errors, sbx_error *err)
{
    const char *line = sbi_complaint_find(known, errors), *detail;
    const struct sbi_complaint *row;
    size_t length;

    if (exit_code == 0)
        return SBX_OK;
    if (exit_code != FAILED_EXIT || line == NULL)
        return sbi_fail(
            err, SBX_ERR_REMOTE, "the script over there ended with %d: %.160s", exit_code,
            errors != NULL && errors[0] != '\0' ? errors : "nothing was said");
    row = sbi_complaint_row(known, line, &detail, &length);
    if (row == NULL)
        return sbi_fail(err, SBX_ERR_REMOTE, "the script over there says '%.*s'",
                        (int)strcspn(line, "\n") > 160 ? 160 : (int)strcspn(line, "\n"),
                        line);
    return sbi_complaint_fail(row, detail, length, err);
}
