#include "advice.h"

#include "fault.h"

#include <string.h>

void advice_translate(sbx_error *err)
{
    static const struct {
        const char *part; /* of the fix */
        const char *advice;
    } rows[] = {
        {"SBX_FILE_PARENTS", "'create_folders': true makes it"},
        {"SBX_FILE_ALL", "'all': true, or more of the text around it"},
        {"sbx job ls", "list_jobs tells which there are"},
        {"sbx job stop", "stop_job"},
        {"again with --id ", "start_job again with that job_id: it runs once"},
        {"sbx exec -v", "the output_id that exec_bash told"},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strstr(err->fix, rows[i].part) != NULL) {
            (void)fault_fix(err, err->code, "%s", rows[i].advice);
            return;
        }
}
