#include "computing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int computing_address_read(const char *word, struct computing_address *out,
                           sbx_error *err)
{
    const char *slash = strrchr(word, '/');

    if (slash == NULL) {
        *out = (struct computing_address){own_copy("local", 5), word};
        return SBX_OK;
    }
    if (slash == word || slash[1] == '\0')
        return fault(err, SBX_ERR_INVALID, "'%s' names no computer: PLACE/NAME", word);
    *out = (struct computing_address){own_copy(word, (size_t)(slash - word)), slash + 1};
    return SBX_OK;
}

void computing_address_clear(struct computing_address *address)
{
    free(address->place);
    *address = (struct computing_address){0};
}

sbx_computer_opts computing_opts(const struct app *app,
                                 const struct computing_values *values)
{
    return (sbx_computer_opts){.size = sizeof(sbx_computer_opts),
                               .engine = values->engine,
                               .owner = values->owner,
                               .cancel = app->cancel};
}

static void add_life(struct text *line, const sbx_computer *computer)
{
    int64_t left = computer->expires_at_s - (int64_t)time(NULL);

    if (computer->due == SBX_COMPUTER_DUE_HOLDER)
        text_add(line, "its holder is gone");
    else if (computer->due == SBX_COMPUTER_DUE_TIME)
        text_add(line, "its time is over");
    else
        text_add(line, computer->permanent ? "permanent" : "temporary");
    if (computer->due == SBX_COMPUTER_DUE_NO && computer->expires_at_s > 0) {
        text_add(line, ", ");
        text_add_age(line, left > 0 ? left : 0);
    }
}

void computing_print(const struct app *app, const sbx_computer *computer)
{
    AUTO_TEXT line = {0};

    if (app->json) {
        out_json(sbx_computer_json(computer));
        return;
    }
    text_addf(&line, "%s  %s  ", computer->address,
              sbx_computer_state_name(computer->state));
    text_add_shown(&line, computer->image);
    text_add(&line, "  ");
    text_add_shown(&line, computer->owner);
    text_add(&line, "  ");
    add_life(&line, computer);
    if (computer->out_of_memory)
        text_add(&line, "  ran out of memory");
    (void)printf("%s\n", line.data);
}
