/*
 * look.c - asks a place, and takes each of its watches one turn further.
 *
 * A session lives as long as a look does. It is asked for every few minutes: to keep
 * hundreds of connections alive meanwhile costs more, and hosts that were set right since
 * are read anew.
 */
#include "watch/look.h"

#include "base/log.h"
#include "watch/deliver.h"
#include "watch/facts.h"
#include "watch/kind.h"
#include "watch/resume.h"
#include "watch/schedule.h"
#include "watch/settings.h"
#include "watch/turn.h"

#include <stdio.h>
#include <string.h>

#define LOG_TAIL 4096

/* What was heard of a place. */
struct heard {
    const struct sbi_looking *looking;
    sbx_session *session; /* NULL: it did not answer */
    sbx_job_list *list;
    sbx_error why;
    int64_t again_ms;
};

static void heard_clear(struct heard *heard)
{
    sbx_job_list_free(heard->list);
    sbx_session_free(heard->session);
}

static int reach(struct heard *heard, sbx_error *err)
{
    const struct sbi_watch *place = heard->looking->place;
    const sbx_hosts_opts files = {.size = sizeof(files),
                                  .ssh_config = place->ssh_config,
                                  .list_file = place->list_file};
    const sbx_session_opts opts = {.size = sizeof(opts),
                                   .cancel = heard->looking->cancel};
    const sbx_job_opts asked = {.size = sizeof(asked), .cancel = heard->looking->cancel};
    sbx_hosts *hosts = NULL;
    int rc = sbx_hosts_load(&files, &hosts, err);

    if (rc == SBX_OK)
        rc = sbx_session_open(hosts, place->place, &opts, &heard->session, err);
    sbx_hosts_free(hosts);
    if (rc == SBX_OK)
        rc = sbx_job_list_all(heard->session, &asked, &heard->list, err);
    return rc;
}

static const sbx_job *listed(const struct heard *heard, const char *id)
{
    size_t i;

    for (i = 0; i < heard->list->count; i++)
        if (strcmp(heard->list->items[i]->id, id) == 0)
            return heard->list->items[i];
    return NULL;
}

/* Of a place with more jobs than a list has, the one that is not in it is asked for. */
static bool find(const struct heard *heard, const char *id, const sbx_job **job,
                 sbx_job **owned)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = heard->looking->cancel};
    int rc;

    *job = listed(heard, id);
    if (*job != NULL || !heard->list->truncated)
        return true;
    rc = sbx_job_show(heard->session, id, &opts, owned, NULL);
    *job = *owned;
    return rc == SBX_OK || rc == SBX_ERR_NOT_FOUND;
}

static int64_t read_percent(const struct heard *heard, const sbx_job *job)
{
    const sbx_job_log_opts opts = {.size = sizeof(opts),
                                   .offset = -LOG_TAIL,
                                   .timeout_ms = 30000,
                                   .cancel = heard->looking->cancel};
    sbx_job_progress progress = {.size = sizeof(progress)};
    sbx_job_log *log = NULL;
    int64_t percent = -1;

    if (job->log_size <= 0 ||
        sbx_job_log_read(heard->session, job->id, &opts, &log, NULL) < 0)
        return -1;
    if (sbx_job_progress_read(log->data, log->length, &progress, NULL) == SBX_OK &&
        progress.percent >= 0)
        percent = (int64_t)progress.percent;
    sbx_job_log_free(log);
    return percent;
}

/* Writes a turn. With the settings damaged, what happened is written all the same. */
static int write_turn(const struct heard *heard, const struct sbi_watch *watch,
                      const struct sbi_turn *turn, struct sbi_facts *facts,
                      const sbx_watch_opts *opts, bool *applied, sbx_error *err)
{
    struct sbi_happened happened[SBI_TURN_MOST] = {0};
    const char *ways[SBI_TURN_MOST][SBI_WAYS + 1];
    char *summaries[SBI_TURN_MOST] = {0}, *details[SBI_TURN_MOST] = {0};
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < turn->count && rc == SBX_OK; i++) {
        const struct sbi_told *told = &turn->told[i];
        const struct sbi_kind_row *kind = sbi_kind(told->kind);

        facts->generation = told->generation;
        sbi_deliver_ways(opts, told->kind, ways[i]);
        rc = sbi_facts_tell(facts, told->kind, &summaries[i], &details[i], err);
        happened[i] = (struct sbi_happened){.kind = kind->name,
                                            .generation = told->generation,
                                            .n = told->n,
                                            .summary = summaries[i],
                                            .detail = details[i],
                                            .ways = ways[i],
                                            .noted = kind->noted};
    }
    if (rc == SBX_OK)
        rc = sbi_watches_turn(heard->looking->ledger, watch, &turn->seen,
                              turn->state != NULL ? turn->state : watch->state,
                              turn->done, happened, turn->count, applied, err);
    for (i = 0; i < turn->count; i++) {
        free(summaries[i]);
        free(details[i]);
    }
    return rc;
}

/* Of an end that may be resumed: asks, and takes the watch one turn further. */
static int resume(struct heard *heard, struct sbi_watch *watch,
                  const struct sbi_turn *before, const sbx_job *job,
                  const sbx_watch_opts *opts, sbx_error *err)
{
    struct sbi_facts facts = {.place = watch->place, .id = watch->job, .job = job};
    struct sbi_resumption answer = {0};
    struct sbi_turn turn;
    char said[64];
    bool applied;
    int rc = SBX_OK;

    sbi_resume_ask(heard->session, job, heard->looking->cancel, &answer);
    if (answer.answer == SBI_RESUME_FAILED && sbx_cancel_fired(heard->looking->cancel)) {
        sbx_job_resumed_free(answer.resumed);
        return SBX_OK;
    }
    sbi_turn_resume(&before->seen, answer.answer, answer.generation, &turn);
    if (turn.state == NULL)
        turn.state = before->state;
    facts.percent = -1;
    if (answer.resumed != NULL && answer.resumed->job != NULL)
        facts.job = answer.resumed->job;
    facts.why = answer.answer == SBI_RESUME_FAILED ? &answer.why : NULL;
    if (answer.answer == SBI_RESUME_EARLY) {
        (void)snprintf(said, sizeof(said), "in %lld s",
                       (long long)(answer.left_ms / 1000));
        facts.said = said;
        if (heard->again_ms < 0 || answer.left_ms < heard->again_ms)
            heard->again_ms = answer.left_ms;
    }
    if (turn.changed)
        rc = write_turn(heard, watch, &turn, &facts, opts, &applied, err);
    sbx_job_resumed_free(answer.resumed);
    return rc;
}

static bool is_new_state(const struct sbi_watch *watch, const char *state)
{
    return state != NULL && (watch->state == NULL || strcmp(state, watch->state) != 0);
}

static int take_turn(struct heard *heard, struct sbi_watch *watch, sbx_error *err)
{
    SBI_AUTO_SETTINGS settings = {0};
    struct sbi_facts facts = {.place = watch->place, .id = watch->job, .percent = -1};
    struct sbi_look look = {.reached = heard->list != NULL, .percent = -1};
    struct sbi_turn turn;
    sbx_job *owned = NULL;
    bool applied = true;
    int rc = SBX_OK;

    (void)sbi_settings_read(watch->settings, &settings, NULL);
    if (look.reached && !find(heard, watch->job, &look.job, &owned))
        return SBX_OK;
    look.step = settings.opts.progress;
    if (look.step > 0 && look.job != NULL)
        look.percent = read_percent(heard, look.job);
    sbi_turn_look(&watch->seen, &look, &turn);
    facts.job = look.job;
    facts.percent = look.percent;
    facts.why = look.reached ? NULL : &heard->why;
    if (turn.changed || is_new_state(watch, turn.state)) {
        rc = write_turn(heard, watch, &turn, &facts, &settings.opts, &applied, err);
        watch->version++;
    }
    if (rc == SBX_OK && applied && turn.seen.bits & SBI_SEEN_RESUME && look.job != NULL)
        rc = resume(heard, watch, &turn, look.job, &settings.opts, err);
    sbx_job_free(owned);
    return rc;
}

static int take_turns(struct heard *heard, sbx_error *err)
{
    const struct sbi_watch *place = heard->looking->place;
    const struct sbi_watch_query query = {.place = place->place,
                                          .open = true,
                                          .hosts = true,
                                          .ssh_config = place->ssh_config,
                                          .list_file = place->list_file};
    SBI_AUTO_WATCHES watches = {0};
    sbx_error why = {0};
    size_t i;
    int rc = sbi_watches_read(heard->looking->ledger, &query, &watches, err);

    for (i = 0; i < watches.count && rc == SBX_OK; i++)
        if (take_turn(heard, &watches.items[i], &why) < 0)
            sbi_log(SBX_LOG_WARN, "watch %lld: %s", (long long)watches.items[i].number,
                    why.text);
    return rc;
}

int sbi_look(const struct sbi_looking *looking, struct sbi_looked *out, sbx_error *err)
{
    SBI_CLEANUP(heard_clear)
    struct heard heard = {.looking = looking, .again_ms = -1};
    int rc, seen = reach(&heard, &heard.why);

    if (looking->cancel != NULL && sbx_cancel_fired(looking->cancel))
        return sbi_fail(err, SBX_ERR_CANCELLED, "look at '%s': cancelled",
                        looking->place->place);
    rc = sbi_watches_looked(looking->ledger, looking->place, sbi_schedule_wall(),
                            seen < 0 ? heard.why.text : NULL, err);
    if (rc == SBX_OK)
        rc = take_turns(&heard, err);
    if (rc < 0)
        return rc;
    *out = (struct sbi_looked){.reached = seen == SBX_OK, .again_ms = heard.again_ms};
    return SBX_OK;
}
