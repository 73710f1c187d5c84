#include "job/owner.h"

#include "base/who.h"
#include "job/token.h"

#include <string.h>

int sbi_owner_text(const char *given, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = 4096};
    char own[SBI_WHO_SIZE];
    int rc;

    if (given == NULL) {
        sbi_who(own, sizeof(own));
        given = own;
    }
    sbi_token_add(&text, "by", given, strlen(given));
    if (text.status == SBX_OK) {
        text.data[text.length - 1] = '\0';
        memmove(text.data, text.data + 3, text.length - 3);
        text.length -= 4;
    }
    rc = sbi_str_take(&text, out, err);
    return rc < 0 ? sbi_wrap(err, rc, "'%.60s' as a name", given) : SBX_OK;
}
