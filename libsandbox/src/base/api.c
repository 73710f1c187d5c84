/* api.c - the version of the library, memory that goes back to it, an error as JSON. */
#include "base/json.h"

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(token) #token

const char *sbx_version(void)
{
    return TEXT_OF(SBX_VERSION_MAJOR) "." TEXT_OF(SBX_VERSION_MINOR) "." TEXT_OF(
        SBX_VERSION_PATCH);
}

void sbx_free(void *memory)
{
    free(memory);
}

char *sbx_error_json(const sbx_error *err)
{
    static const sbx_error none;
    SBI_AUTO_JSON object = cJSON_CreateObject();

    if (err == NULL)
        err = &none;
    sbi_json_add_text(object, "code", sbx_code_name(err->code));
    sbi_json_add_text(object, "text", err->text);
    (void)cJSON_AddBoolToObject(object, "retryable", err->retryable != 0);
    sbi_json_add_text(object, "executed", sbx_executed_name(err->executed));
    sbi_json_add_text(object, "fix", err->fix[0] == '\0' ? NULL : err->fix);
    sbi_json_add_text(object, "check", err->check[0] == '\0' ? NULL : err->check);
    return sbi_json_print(object);
}
