/*
 * output_grep.c - searches a stored output line by line.
 *
 * A line is collected up to its limit, then judged; if it is taken, what comes
 * behind the limit goes straight to the answer. So memory is flat whatever the
 * length of a line.
 */
#include <sandbox/output.h>

#include "base/cleanup.h"
#include "session/output_answer.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#define LINE_LIMIT (64 * 1024)
#define PATTERN_LIMIT 4096

enum fate { UNDECIDED = 0, TAKEN = 1, PASSED = 2 };

struct search {
    const regex_t *regex;
    struct sbi_answer *answer;
    char *line; /* LINE_LIMIT bytes and a NUL */
    size_t length;
    int64_t number;
    int fate;  /* of the line being read */
    bool full; /* the answer takes no more */
};

static bool is_match(const struct search *search, bool whole)
{
    int flags = whole ? 0 : REG_NOTEOL;
#ifdef REG_STARTEND /* else a line ends at its first NUL */
    regmatch_t span = {.rm_so = 0, .rm_eo = (regoff_t)search->length};

    return regexec(search->regex, search->line, 0, &span, flags | REG_STARTEND) == 0;
#else
    return regexec(search->regex, search->line, 0, NULL, flags) == 0;
#endif
}

static void put(struct search *search, const char *data, size_t length)
{
    if (!search->full && !sbi_answer_add(search->answer, data, length))
        search->full = true;
}

static void decide(struct search *search, bool whole)
{
    sbx_output *facts = &search->answer->facts;
    char number[32];

    search->line[search->length] = '\0';
    search->fate = is_match(search, whole) ? TAKEN : PASSED;
    if (search->fate != TAKEN)
        return;

    if (facts->first_line == 0)
        facts->first_line = search->number;
    (void)snprintf(number, sizeof(number), "%lld:", (long long)search->number);
    put(search, number, strlen(number));
    put(search, search->line, search->length);
}

static void feed(struct search *search, const char *data, size_t length)
{
    size_t room = LINE_LIMIT - search->length;
    size_t fits = length < room ? length : room;

    if (search->fate == UNDECIDED) {
        memcpy(search->line + search->length, data, fits);
        search->length += fits;
        data += fits;
        length -= fits;
        if (length > 0)
            decide(search, false);
    }
    if (search->fate == TAKEN && length > 0)
        put(search, data, length);
}

static void end_line(struct search *search)
{
    if (search->fate == UNDECIDED)
        decide(search, true);
    if (search->fate == TAKEN)
        put(search, "\n", 1);
    search->number++;
    search->length = 0;
    search->fate = UNDECIDED;
}

static bool search_piece(const char *data, size_t length, void *userdata)
{
    struct search *search = userdata;
    const char *end = data + length;

    while (data < end && !search->full) {
        const char *newline = memchr(data, '\n', (size_t)(end - data));

        feed(search, data, (size_t)((newline == NULL ? end : newline) - data));
        if (newline != NULL)
            end_line(search);
        data = newline == NULL ? end : newline + 1;
    }
    return !search->full;
}

static int search_all(struct sbi_answer *answer, const regex_t *regex, sbx_error *err)
{
    SBI_AUTOFREE char *line = malloc(LINE_LIMIT + 1);
    struct search search = {.regex = regex, .answer = answer, .line = line, .number = 1};
    int rc;

    if (line == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_answer_scan(answer, 0, answer->facts.stored, search_piece, &search, err);
    if (rc == SBX_OK && !search.full && (search.length > 0 || search.fate != UNDECIDED))
        end_line(&search);
    return rc;
}

static int compile(regex_t *regex, const char *pattern, sbx_error *err)
{
    char why[128];
    int failed;

    if (strlen(pattern) > PATTERN_LIMIT)
        return sbi_fail(err, SBX_ERR_LIMIT, "pattern over %d bytes", PATTERN_LIMIT);
    failed = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (failed == 0)
        return SBX_OK;
    (void)regerror(failed, regex, why, sizeof(why));
    memset(regex, 0, sizeof(*regex));
    return sbi_fail(err, failed == REG_ESPACE ? SBX_ERR_NO_MEMORY : SBX_ERR_INVALID,
                    "pattern '%s': %s", pattern, why);
}

int sbx_output_grep(const char *run_id, const char *pattern, const sbx_output_opts *opts,
                    sbx_output **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_answer_clear) struct sbi_answer answer = {.fd = -1};
    SBI_CLEANUP(regfree) regex_t regex;
    int rc;

    memset(&regex, 0, sizeof(regex));
    rc = compile(&regex, pattern, err);
    if (rc == SBX_OK)
        rc = sbi_answer_open(run_id, opts, &answer, err);
    if (rc < 0)
        return rc;
    rc = search_all(&answer, &regex, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "search the output of run '%s'", run_id);
    return sbi_answer_take(&answer, out, err);
}
