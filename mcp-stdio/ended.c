#include "ended.h"

#include "recent.h"
#include "shown.h"

#include <string.h>

static size_t share(size_t own, size_t other, size_t all)
{
    size_t left = other < all / 2 ? all - other : all / 2;

    return own < left ? own : left;
}

static bool add_stream(tree *out, const char *name, const char *bytes, size_t length,
                       uint64_t total, size_t limit, const char *run_id)
{
    AUTO_TEXT how = {0};
    AUTO_TEXT text = {0};
    struct shown opts = {.limit = limit, .total = total};
    bool cut;

    if (run_id != NULL)
        text_addf(&how, "read_output with output_id \"%s\"%s reads them", run_id,
                  strcmp(name, "stderr") == 0 ? " and stream \"stderr\"" : "");
    opts.how = how.data;
    text_add(&text, "");
    cut = shown_add(&text, bytes, length, &opts);
    tree_add_text(out, name, text.data);
    return cut;
}

void ended_add_output(tree *out, const sbx_exec_result *result, size_t characters)
{
    const char *id = result->spooled ? result->run_id : NULL;
    size_t output = share(result->output_length, result->errors_length, characters);
    size_t errors = share(result->errors_length, result->output_length, characters);
    bool cut = add_stream(out, "stdout", result->output, result->output_length,
                          result->output_total, output, id);

    cut = add_stream(out, "stderr", result->errors, result->errors_length,
                     result->errors_total, errors, id) ||
          cut;
    tree_add_bool(out, "truncated", cut);
    tree_add_text(out, "output_id", id);
    if (result->spooled)
        recent_add(RECENT_OUTPUT, result->run_id, result->place);
}

void ended_add_survivors(tree *out, const sbx_exec_result *result)
{
    tree *list;
    size_t i;

    if (result->survivor_count == 0)
        return;
    list = tree_add_array(out, "survivors");
    for (i = 0; i < result->survivor_count; i++) {
        AUTO_TEXT pid = {0};

        text_addf(&pid, "%lld", (long long)result->survivors[i]);
        tree_add_text(list, NULL, pid.data);
    }
}

bool ended_add_advice(tree *out, const sbx_exec_result *result, const char *limit,
                      const char *lost)
{
    AUTO_TEXT advice = {0};
    bool cut_short;

    if (result->end == SBX_EXEC_TIMED_OUT && result->confirmed_dead)
        text_addf(
            &advice,
            "it was killed at %s, with all it started: raise %s, or do less at once",
            limit, limit);
    else if (result->end == SBX_EXEC_TIMED_OUT)
        text_addf(
            &advice,
            "it was killed at %s, but what is in survivors may still run: look with "
            "ps before you run it again",
            limit);
    else if (result->end == SBX_EXEC_CANCELLED)
        text_add(&advice, "it was cancelled");
    else if (result->end == SBX_EXEC_LOST)
        text_add(&advice, lost);
    cut_short = advice.data != NULL;
    if (result->out_of_memory && !cut_short)
        text_add(&advice, "the computer ran out of memory, now or before: make one with "
                          "more, or do less at once");
    tree_add_text(out, "advice", advice.data);
    return cut_short;
}
