/* create.c - makes a computer, and makes one anew. */
#include <sandbox/computer.h>

#include "base/digest.h"
#include "base/strv.h"
#include "computer/asking.h"
#include "computer/call.h"
#include "computer/collect.h"
#include "computer/direct.h"
#include "computer/holder.h"
#include "computer/name.h"
#include "computer/record.h"
#include "computer/spec.h"

#include <stdio.h>
#include <string.h>

#define INSTANCE_BYTES 8
#define TRIES 8 /* names that are drawn */

/* What is told beside the settings. */
struct making {
    struct sbi_asking asking;
    char instance[2 * INSTANCE_BYTES + 1];
    const char *life;
    const char *holder;
    char ttl[32];
    bool fresh; /* one of that name is in the way, and not the answer */
};

static bool is_another(const sbx_computer *computer, void *userdata)
{
    return strcmp(computer->instance, userdata) != 0;
}

/*
 * The one that is asked for, whatever becomes of what was seen besides. noted: what was
 * renewed of those is known.
 */
static int read_made(sbx_session *session, const struct making *making, const char *text,
                     size_t length, bool noted, sbx_computer **out, sbx_error *err)
{
    const sbx_computer_opts *opts = &making->asking.opts;
    sbx_computer_list *list = NULL;
    sbx_computer *made = NULL;
    int rc = sbi_record_read(text, length, making->asking.place, opts->owner, &list, err);

    if (rc == SBX_OK)
        rc = sbi_record_take(list, &made, err);
    if (rc == SBX_OK && list->count > 0) {
        sbi_record_filter(list, is_another, (void *)(uintptr_t)made->instance);
        if (noted)
            (void)sbi_collect_drop(session, opts, list, NULL);
        else
            sbi_collect_seen(session, opts, list);
    }
    sbx_computer_list_free(list);
    if (rc == SBX_OK)
        *out = made;
    return rc;
}

static int run_script(sbx_session *session, const struct making *making, const char *verb,
                      const struct sbi_order *order, char *const *words, const char *why,
                      sbx_computer **out, sbx_error *err)
{
    const sbx_computer_opts *opts = &making->asking.opts;
    SBI_AUTO_COMPUTER_RESULT result = NULL;
    const char *const told[] = {order->instance,
                                order->life,
                                order->holder,
                                order->ttl,
                                order->fresh,
                                opts->image,
                                opts->gpus == NULL ? "" : opts->gpus,
                                sbi_spec_as(opts),
                                NULL};
    const struct sbi_computer_call call = {.action = verb,
                                           .verb = verb,
                                           .name = order->name,
                                           .words = told,
                                           .engine_words = words,
                                           .why = why,
                                           .goes_on = true,
                                           .opts = opts};
    int rc = sbi_computer_call(session, &call, &result, err);

    return rc != SBX_OK ? rc
                        : read_made(session, making, result->output,
                                    result->output_length, true, out, err);
}

static int run_making(sbx_session *session, struct making *making, const char *verb,
                      sbx_computer **out, sbx_error *err)
{
    const struct sbi_order order = {.name = making->asking.name,
                                    .instance = making->instance,
                                    .life = making->life,
                                    .holder = making->holder,
                                    .ttl = making->ttl,
                                    .fresh = making->fresh ? "1" : "0",
                                    .opts = &making->asking.opts};
    SBI_CLEANUP(sbi_direct_clear)
    struct sbi_direct direct = {.session = session, .opts = order.opts};
    SBI_AUTO_STRV words = NULL;
    int rc = sbi_order_words(&order, &words, err);

    if (rc < 0)
        return rc;
    if (strcmp(verb, "create") == 0 && sbi_direct_create(&direct, &order, words))
        return read_made(session, making, direct.text.data, direct.text.length, false,
                         out, err);
    return run_script(session, making, verb, &order, words, direct.why, out, err);
}

static int prepare(struct making *making, sbx_error *err)
{
    sbx_computer_opts *opts = &making->asking.opts;
    bool permanent = (opts->flags & SBX_COMPUTER_PERMANENT) != 0;
    int64_t ttl = opts->ttl_s;
    int rc = sbi_spec_check(opts, err);

    if (ttl == 0 && !permanent)
        ttl = SBI_ASKING_DAY_S;
    making->life = permanent ? "permanent" : "temporary";
    (void)snprintf(making->ttl, sizeof(making->ttl), "%lld",
                   ttl < 0 ? 0LL : (long long)ttl);
    return rc < 0 ? rc : sbi_random_hex(making->instance, INSTANCE_BYTES, err);
}

/* Draws names until one is free. */
static int run_named(sbx_session *session, struct making *making, sbx_computer **out,
                     sbx_error *err)
{
    char drawn[SBI_NAME_SIZE];
    int rc = SBI_CALL_CLASH, i;

    making->fresh = making->asking.name == NULL;
    if (!making->fresh)
        return run_making(session, making, "create", out, err);
    for (i = 0; rc == SBI_CALL_CLASH && i < TRIES; i++) {
        rc = sbi_name_draw(drawn, err);
        making->asking.name = drawn;
        if (rc == SBX_OK)
            rc = run_making(session, making, "create", out, err);
    }
    return rc == SBI_CALL_CLASH ? sbi_fail(err, SBX_ERR_CONFLICT,
                                           "create computer: no free name was found")
                                : rc;
}

int sbx_computer_create(sbx_session *session, const char *name,
                        const sbx_computer_opts *opts, sbx_computer **out, sbx_error *err)
{
    struct making making = {.asking = {.action = "create", .name = name, .pulls = true}};
    SBI_AUTOFREE char *holder = NULL;
    sbx_computer *computer = NULL;
    int64_t pid;
    int rc;

    rc = sbi_asking_read(&making.asking, session, opts, err);
    if (rc < 0)
        return rc;
    pid = making.asking.opts.holder;
    rc = prepare(&making, err);
    if (rc == SBX_OK && pid >= 0)
        rc = sbi_holder_text(pid == 0 ? (int64_t)getpid() : pid, &holder, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "create computer");
    making.holder = (making.asking.opts.flags & SBX_COMPUTER_PERMANENT) != 0 ? "-"
                    : holder == NULL                                         ? "none"
                                                                             : holder;
    rc = run_named(session, &making, &computer, err);
    if (rc < 0)
        return rc;
    computer->made = strcmp(computer->instance, making.instance) == 0;
    *out = computer;
    return SBX_OK;
}

/* Its settings as they were checked when it was made, its life and its end. */
static int take_over(const sbx_computer *old, struct making *making,
                     struct sbi_spec_lists *lists, sbx_error *err)
{
    const struct sbi_record *record = sbi_record_of(old);
    sbx_computer_opts *opts = &making->asking.opts;
    int rc = sbi_spec_read(record->settings, opts, lists, err);

    if (rc == SBX_OK && opts->image == NULL)
        rc = sbi_fail(err, SBX_ERR_REMOTE, "its labels do not tell its image");
    making->life = old->permanent ? "permanent" : "temporary";
    making->holder = record->holder;
    (void)snprintf(making->ttl, sizeof(making->ttl),
                   old->expires_at_s == 0 ? "%lld" : "@%lld",
                   (long long)old->expires_at_s);
    return rc < 0 ? rc : sbi_random_hex(making->instance, INSTANCE_BYTES, err);
}

int sbx_computer_reset(sbx_session *session, const char *name,
                       const sbx_computer_opts *opts, sbx_computer **out, sbx_error *err)
{
    struct making making = {.asking = {.action = "reset", .name = name, .pulls = true}};
    SBI_CLEANUP(sbi_spec_lists_clear) struct sbi_spec_lists lists = {0};
    sbx_computer *old = NULL, *fresh = NULL;
    int rc = sbi_asking_read(&making.asking, session, opts, err);

    if (rc == SBX_OK)
        rc = sbx_computer_show(session, name, &making.asking.opts, &old, err);
    if (rc < 0)
        return rc;
    rc = take_over(old, &making, &lists, err);
    if (rc == SBX_OK)
        rc = run_making(session, &making, "reset", &fresh, err);
    else
        (void)sbi_wrap(err, rc, "reset computer '%s'", old->address);
    sbx_computer_free(old);
    if (rc == SBX_OK && out != NULL)
        *out = fresh;
    else
        sbx_computer_free(fresh);
    return rc;
}
