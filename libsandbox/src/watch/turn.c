#include "watch/turn.h"

#include "watch/kind.h"

#include <string.h>

#define FAILED_LOOKS 2 /* one may be an accident */

static void tell(struct sbi_turn *turn, int kind, int64_t n)
{
    if (turn->count < SBI_TURN_MOST)
        turn->told[turn->count++] = (struct sbi_told){kind, turn->seen.generation, n};
}

static void away(struct sbi_turn *turn)
{
    struct sbi_seen *seen = &turn->seen;

    if (seen->failed < FAILED_LOOKS)
        seen->failed++;
    if (seen->failed < FAILED_LOOKS || seen->bits & SBI_SEEN_AWAY)
        return;
    seen->bits |= SBI_SEEN_AWAY;
    seen->aways++;
    turn->state = sbx_job_state_name(SBX_JOB_UNREACHABLE);
    tell(turn, SBI_KIND_UNREACHABLE, seen->aways);
}

static void back(struct sbi_turn *turn)
{
    struct sbi_seen *seen = &turn->seen;

    seen->failed = 0;
    if (seen->bits & SBI_SEEN_AWAY)
        tell(turn, SBI_KIND_REACHABLE, seen->aways);
    seen->bits &= ~SBI_SEEN_AWAY;
}

/* A generation that is new: what was told of the one before counts no more. */
static void run_anew(struct sbi_turn *turn, int64_t generation)
{
    turn->seen.generation = generation;
    turn->seen.percent = -1;
    turn->seen.bits &=
        ~(SBI_SEEN_ENDED | SBI_SEEN_RESUME | SBI_SEEN_SCHEDULED | SBI_SEEN_REFUSED);
}

void sbi_turn_end_of(const sbx_job *job, int64_t generation, struct sbi_end *out)
{
    size_t i;

    *out = (struct sbi_end){.state = job->state,
                            .loss = job->loss,
                            .exit_code = job->exit_code,
                            .signal = job->signal,
                            .maybe_signal = job->maybe_signal,
                            .started_at_s = job->started_at_s,
                            .ended_at_s = job->ended_at_s,
                            .stopped_by = job->stopped_by};
    for (i = 0; i < job->run_count; i++) {
        const sbx_job_run *run = job->runs[i];

        if (run->generation == generation && generation == job->generation)
            out->resumed_by = run->resumed_by;
        else if (run->generation == generation)
            *out = (struct sbi_end){.state = run->state,
                                    .loss = run->loss,
                                    .exit_code = run->exit_code,
                                    .signal = run->signal,
                                    .started_at_s = run->started_at_s,
                                    .ended_at_s = run->ended_at_s,
                                    .stopped_by = run->stopped_by,
                                    .resumed_by = run->resumed_by};
    }
}

/* A signal that somebody sends, not one that comes of a fault of its own. */
static bool from_outside(int signal)
{
    static const int numbers[] = {1, 2, 9, 15}; /* HUP, INT, KILL, TERM */
    size_t i;

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i] == signal)
            return true;
    return false;
}

static int kind_of_end(const struct sbi_end *end)
{
    switch (end->state) {
    case SBX_JOB_EXITED:
        if (end->maybe_signal && from_outside(end->exit_code - 128))
            return SBI_KIND_INTERRUPTED;
        return end->exit_code == 0 ? SBI_KIND_COMPLETED : SBI_KIND_FAILED;
    case SBX_JOB_OOM:
        return SBI_KIND_OOM;
    case SBX_JOB_SIGNALED:
        return from_outside(end->signal) ? SBI_KIND_INTERRUPTED : SBI_KIND_FAILED;
    case SBX_JOB_LOST:
        return end->loss == SBX_JOB_UNSTARTED ? SBI_KIND_FAILED : SBI_KIND_INTERRUPTED;
    default:
        return SBI_KIND_INTERRUPTED;
    }
}

static void tell_end(struct sbi_turn *turn, const sbx_job *job)
{
    struct sbi_end ended;
    int kind;

    if (turn->seen.bits & SBI_SEEN_ENDED)
        return;
    sbi_turn_end_of(job, turn->seen.generation, &ended);
    kind = kind_of_end(&ended);
    turn->seen.bits |= SBI_SEEN_ENDED;
    if (kind != SBI_KIND_COMPLETED)
        turn->seen.bits |= SBI_SEEN_RESUME;
    tell(turn, kind, 0);
}

/* Ends and resumes that nobody looked at meanwhile are told as well; some at a time. */
static void begin(struct sbi_turn *turn, const sbx_job *job)
{
    if (!(turn->seen.bits & SBI_SEEN_STARTED)) {
        turn->seen.bits |= SBI_SEEN_STARTED;
        turn->seen.generation = job->generation;
        tell(turn, SBI_KIND_STARTED, 0);
    }
    while (job->generation > turn->seen.generation && turn->count + 4 < SBI_TURN_MOST) {
        tell_end(turn, job);
        run_anew(turn, turn->seen.generation + 1);
        tell(turn, SBI_KIND_RESUME_STARTED, 0);
    }
}

static void advance(struct sbi_turn *turn, const struct sbi_look *look)
{
    int64_t reached;

    if (look->step <= 0 || look->percent < 0)
        return;
    reached = look->percent - look->percent % look->step;
    if (reached <= 0 || reached <= turn->seen.percent)
        return;
    turn->seen.percent = reached;
    tell(turn, SBI_KIND_PROGRESS, reached);
}

static void end(struct sbi_turn *turn, const sbx_job *job)
{
    if (job->generation > turn->seen.generation)
        return;
    tell_end(turn, job);
    turn->done = !(turn->seen.bits & SBI_SEEN_RESUME);
}

static void note_change(const struct sbi_seen *before, struct sbi_turn *turn)
{
    turn->changed = turn->done || turn->count > 0 ||
                    memcmp(before, &turn->seen, sizeof(*before)) != 0;
}

void sbi_turn_look(const struct sbi_seen *before, const struct sbi_look *look,
                   struct sbi_turn *out)
{
    *out = (struct sbi_turn){.seen = *before};
    if (look->reached)
        back(out);
    else
        away(out);
    if (look->reached && look->job == NULL) {
        out->done = true;
        out->state = "gone";
    } else if (look->reached) {
        out->state = sbx_job_state_name(look->job->state);
        begin(out, look->job);
        advance(out, look);
        if (sbx_job_ended(look->job))
            end(out, look->job);
    }
    note_change(before, out);
}

static void end_for_good(struct sbi_turn *turn)
{
    turn->seen.bits &= ~SBI_SEEN_RESUME;
    turn->done = true;
}

static void tell_once(struct sbi_turn *turn, int64_t bit, int kind)
{
    if (!(turn->seen.bits & bit))
        tell(turn, kind, 0);
    turn->seen.bits |= bit;
}

void sbi_turn_resume(const struct sbi_seen *before, int resumed, int64_t generation,
                     struct sbi_turn *out)
{
    *out = (struct sbi_turn){.seen = *before};
    switch (resumed) {
    case SBI_RESUMED:
        /* Where it went on further than that, the next look tells of all. */
        if (generation != before->generation + 1)
            break;
        run_anew(out, generation);
        out->state = sbx_job_state_name(SBX_JOB_RUNNING);
        tell(out, SBI_KIND_RESUME_STARTED, 0);
        break;
    case SBI_RESUME_EARLY:
        tell_once(out, SBI_SEEN_SCHEDULED, SBI_KIND_RESUME_SCHEDULED);
        break;
    case SBI_RESUME_FAILED:
        tell_once(out, SBI_SEEN_REFUSED, SBI_KIND_RESUME_FAILED);
        break;
    case SBI_RESUME_GAVE_UP:
        tell(out, SBI_KIND_GAVE_UP, 0);
        end_for_good(out);
        break;
    case SBI_RESUME_LOOP:
        tell(out, SBI_KIND_CRASH_LOOP, 0);
        end_for_good(out);
        break;
    default:
        end_for_good(out);
    }
    note_change(before, out);
}
