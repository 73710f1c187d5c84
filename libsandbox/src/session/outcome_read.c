/*
 * outcome_read.c - which of the signs that a run left behind count.
 *
 * A killing that met the command alive comes first: it is noted when it is over, and what
 * lives then has survived it; how the command went down, by our signal or by itself at
 * that, may be known too. Then comes a command that runs, then how it ended, then that it
 * was there at all.
 */
#include "session/outcome_read.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORDS (SBI_OUTCOME_MOST + 4)
#define LINE_MAX_BYTES 8192
#define TICKS 100 /* a second, on every Linux there is */
#define LARGEST INT64_C(1000000000000000)

struct process {
    int64_t pid;
    int64_t parent;
    int64_t session;
    int64_t started; /* 0: not known */
};

/* All that was said. */
struct signs {
    struct sbi_outcome *out;
    struct process processes[SBI_OUTCOME_MOST];
    size_t count;
    int64_t up;       /* seconds since boot, over there */
    int64_t starting; /* a pid, or 0 */
    int64_t run_pid;  /* 0: it was not noted */
    int64_t keeper;   /* who waits for that one; the same, or 0: nobody */
    bool has_end;
    bool killed;
    bool met_alive;
    bool bye;
};

struct line {
    char *words[MOST_WORDS];
    size_t count;
};

static int64_t number(const struct line *line, size_t at)
{
    char *end;
    long long value;

    if (at >= line->count || line->words[at][0] < '0' || line->words[at][0] > '9')
        return 0;
    value = strtoll(line->words[at], &end, 10);
    return *end != '\0' || value > LARGEST ? 0 : value;
}

static bool word_is(const struct line *line, size_t at, const char *word)
{
    return at < line->count && strcmp(line->words[at], word) == 0;
}

static void take_now(struct signs *signs, const struct line *line)
{
    signs->out->asked = number(line, 1);
    signs->up = number(line, 2);
}

static void take_blind(struct signs *signs, const struct line *line)
{
    (void)line;
    signs->out->blind = true;
}

static void take_busy(struct signs *signs, const struct line *line)
{
    (void)line;
    signs->out->busy = true;
}

static void take_process(struct signs *signs, const struct line *line)
{
    struct process *process = &signs->processes[signs->count];
    int64_t ticks = number(line, 4);

    if (signs->count == SBI_OUTCOME_MOST || number(line, 1) == 0)
        return;
    *process = (struct process){
        .pid = number(line, 1), .parent = number(line, 2), .session = number(line, 3)};
    if (ticks > 0 && signs->up > 0)
        process->started = signs->out->asked - signs->up + ticks / TICKS;
    signs->count++;
}

static void take_starting(struct signs *signs, const struct line *line)
{
    if (signs->starting == 0)
        signs->starting = number(line, 1);
}

static void take_run(struct signs *signs, const struct line *line)
{
    signs->out->started = number(line, 1);
    signs->run_pid = number(line, 2);
    signs->keeper = number(line, 3);
}

static void take_end(struct signs *signs, const struct line *line)
{
    bool exited = word_is(line, 1, "exit");
    int64_t value = number(line, 2);

    if (line->count < 3 || value > 255 || (value == 0 && !word_is(line, 2, "0")) ||
        (!exited && (value == 0 || !word_is(line, 1, "signal"))))
        return;
    signs->has_end = true;
    signs->out->exit_code = exited ? (int)value : -1;
    signs->out->signal = exited ? 0 : (int)value;
    signs->out->ended = number(line, 4);
}

static void take_killed(struct signs *signs, const struct line *line)
{
    static const struct {
        const char *word;
        int cause;
    } causes[] = {
        {"gone", SBX_OUTCOME_GONE},
        {"limit", SBX_OUTCOME_LIMIT},
        {"asked", SBX_OUTCOME_ASKED},
    };
    size_t i;

    for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (word_is(line, 2, causes[i].word))
            signs->out->cause = causes[i].cause;
    signs->killed = true;
    signs->met_alive = word_is(line, 3, "running");
    if (signs->out->ended == 0)
        signs->out->ended = number(line, 1);
}

static void take_bye(struct signs *signs, const struct line *line)
{
    signs->bye = line->count == 1;
}

static void take(struct signs *signs, const struct line *line)
{
    static const struct {
        const char *word;
        void (*take)(struct signs *signs, const struct line *line);
    } rows[] = {
        {"now", take_now}, {"blind", take_blind}, {"process", take_process},
        {"run", take_run}, {"end", take_end},     {"killed", take_killed},
        {"bye", take_bye}, {"busy", take_busy},   {"starting", take_starting},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && !signs->bye; i++)
        if (word_is(line, 0, rows[i].word))
            rows[i].take(signs, line);
}

static void split(char *text, struct line *line)
{
    char *rest = NULL;
    char *word;

    line->count = 0;
    for (word = strtok_r(text, " ", &rest); word != NULL && line->count < MOST_WORDS;
         word = strtok_r(NULL, " ", &rest))
        line->words[line->count++] = word;
}

static bool is_one(const struct signs *signs, int64_t pid)
{
    size_t i;

    for (i = 0; i < signs->count; i++)
        if (signs->processes[i].pid == pid)
            return true;
    return false;
}

/*
 * The one whose pid was noted, or who has yet to tell its end; else one that leads its
 * session and was started by none of the run's. Process 1 has inherited what lost its
 * parent: the command, in the moment between the loss of its server and its own end, or a
 * child that is left of it. That passes for the command, unless its end was noted, since
 * what is there does run.
 */
static bool may_lead(const struct signs *signs, const struct process *process)
{
    if (signs->run_pid > 0)
        return process->pid == signs->run_pid || process->pid == signs->keeper;
    return process->session == process->pid && !is_one(signs, process->parent);
}

static const struct process *command_of(const struct signs *signs)
{
    const struct process *orphan = NULL;
    size_t i;

    for (i = 0; i < signs->count; i++) {
        const struct process *process = &signs->processes[i];

        if (!may_lead(signs, process))
            continue;
        if (process->pid == signs->run_pid ||
            (signs->run_pid == 0 && process->parent > 1))
            return process;
        if (orphan == NULL && (!signs->killed || signs->run_pid > 0))
            orphan = process;
    }
    return orphan;
}

static int state_of(const struct signs *signs, const struct process *command)
{
    const struct sbi_outcome *out = signs->out;

    if (signs->killed && signs->met_alive)
        return SBX_OUTCOME_KILLED;
    if (command != NULL)
        return SBX_OUTCOME_RUNNING;
    if (signs->has_end)
        return out->signal != 0 ? SBX_OUTCOME_SIGNALED : SBX_OUTCOME_EXITED;
    if (signs->killed || signs->run_pid > 0 || signs->count > 0)
        return SBX_OUTCOME_ENDED;
    return signs->starting > 0 ? SBX_OUTCOME_STARTING : SBX_OUTCOME_NO_TRACE;
}

static void conclude(struct signs *signs)
{
    const struct process *command = command_of(signs);
    struct sbi_outcome *out = signs->out;
    size_t i;

    out->state = state_of(signs, command);
    if (out->state == SBX_OUTCOME_RUNNING) {
        out->pid = command->pid;
        if (command->started > 0 && out->started == 0)
            out->started = command->started;
        out->ended = 0;
    }
    if (out->state == SBX_OUTCOME_STARTING)
        out->pid = signs->starting;
    if (out->state != SBX_OUTCOME_KILLED)
        out->cause = 0;
    out->busy = out->busy && !signs->killed &&
                (out->state == SBX_OUTCOME_ENDED || out->state == SBX_OUTCOME_NO_TRACE);
    for (i = 0; i < signs->count && out->state != SBX_OUTCOME_RUNNING; i++)
        out->left[out->left_count++] = signs->processes[i].pid;
}

int sbi_outcome_read(const char *text, size_t length, struct sbi_outcome *out,
                     sbx_error *err)
{
    struct sbi_outcome found = {.exit_code = -1};
    struct signs signs = {.out = &found};
    const char *end = text + length;
    const char *newline;
    char copy[LINE_MAX_BYTES];
    struct line line;

    for (; text < end && !signs.bye; text = newline + 1) {
        newline = memchr(text, '\n', (size_t)(end - text));
        if (newline == NULL)
            break;
        if ((size_t)(newline - text) >= sizeof(copy))
            continue;
        memcpy(copy, text, (size_t)(newline - text));
        copy[newline - text] = '\0';
        split(copy, &line);
        take(&signs, &line);
    }
    if (!signs.bye)
        return sbi_fail(err, SBX_ERR_REMOTE, "the answer is cut or not ours");
    conclude(&signs);
    *out = found;
    return SBX_OK;
}
