/*
 * computer.c - the life of computers: each call is a few requests to the engine's API, or
 * one run of the script over there.
 */
#include <sandbox/computer.h>

#include "base/json.h"
#include "base/opts.h"
#include "base/strv.h"
#include "base/who.h"
#include "computer/asking.h"
#include "computer/call.h"
#include "computer/collect.h"
#include "computer/direct.h"
#include "computer/holder.h"
#include "computer/record.h"

#include <stdio.h>
#include <string.h>

/* What is printed as one computer. */
static int read_one(const struct sbi_asking *asking, const char *text, size_t length,
                    sbx_computer **out, sbx_error *err)
{
    sbx_computer_list *list = NULL;
    int rc = sbi_record_read(text, length, asking->place, asking->opts.owner, &list, err);

    return rc < 0 ? rc : sbi_record_first(list, out, err);
}

static int run_script(sbx_session *session, const struct sbi_asking *asking,
                      const char *verb, const char *const *words, const char *why,
                      sbx_computer **out, sbx_error *err)
{
    SBI_AUTO_COMPUTER_RESULT result = NULL;
    const struct sbi_computer_call call = {.action = asking->action,
                                           .verb = verb,
                                           .name = asking->name,
                                           .words = words,
                                           .why = why,
                                           .goes_on = true,
                                           .opts = &asking->opts};
    int rc = sbi_computer_call(session, &call, &result, err);

    return rc < 0 || out == NULL
               ? rc
               : read_one(asking, result->output, result->output_length, out, err);
}

/* A call on one that is there; out may be NULL. */
static int change(sbx_session *session, const char *name, const char *verb,
                  const char *const *words, const sbx_computer_opts *theirs,
                  sbx_computer **out, sbx_error *err)
{
    const char *told = strcmp(verb, "remove") == 0 ? "rm" : verb;
    struct sbi_asking asking = {.action = verb, .name = name};
    SBI_CLEANUP(sbi_direct_clear)
    struct sbi_direct direct = {.session = session, .opts = &asking.opts};
    int rc = sbi_asking_read(&asking, session, theirs, err);

    if (rc < 0)
        return rc;
    if (!sbi_direct_change(&direct, name, told))
        return run_script(session, &asking, told, words, direct.why, out, err);
    return out == NULL
               ? SBX_OK
               : read_one(&asking, direct.text.data, direct.text.length, out, err);
}

int sbx_computer_show(sbx_session *session, const char *name,
                      const sbx_computer_opts *opts, sbx_computer **out, sbx_error *err)
{
    return change(session, name, "show", NULL, opts, out, err);
}

int sbx_computer_restart(sbx_session *session, const char *name,
                         const sbx_computer_opts *opts, sbx_computer **out,
                         sbx_error *err)
{
    return change(session, name, "restart", NULL, opts, out, err);
}

int sbx_computer_pause(sbx_session *session, const char *name,
                       const sbx_computer_opts *opts, sbx_computer **out, sbx_error *err)
{
    return change(session, name, "pause", NULL, opts, out, err);
}

int sbx_computer_resume(sbx_session *session, const char *name,
                        const sbx_computer_opts *opts, sbx_computer **out, sbx_error *err)
{
    return change(session, name, "resume", NULL, opts, out, err);
}

int sbx_computer_remove(sbx_session *session, const char *name,
                        const sbx_computer_opts *opts, sbx_error *err)
{
    return change(session, name, "remove", NULL, opts, NULL, err);
}

int sbx_computer_renew(sbx_session *session, const char *name,
                       const sbx_computer_opts *opts, sbx_computer **out, sbx_error *err)
{
    char seconds[24];
    const char *words[] = {seconds, "-", NULL};
    sbx_computer_opts ours;
    int rc = sbi_opts_read(&ours, sizeof(ours), opts, err);

    if (rc < 0)
        return rc;
    (void)snprintf(seconds, sizeof(seconds), "%lld",
                   ours.ttl_s < 0    ? 0LL
                   : ours.ttl_s == 0 ? (long long)SBI_ASKING_DAY_S
                                     : (long long)ours.ttl_s);
    return change(session, name, "renew", words, opts, out, err);
}

int sbx_computer_snapshot(sbx_session *session, const char *name, const char *image,
                          const sbx_computer_opts *opts, sbx_error *err)
{
    const char *const words[] = {image, NULL};

    if (image == NULL || image[0] == '\0' || image[0] == '-' || strlen(image) > 512 ||
        strpbrk(image, " \t\n") != NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "'%.80s' is no name of an image",
                        image == NULL ? "" : image);
    return change(session, name, "snapshot", words, opts, NULL, err);
}

static int list_of(struct sbi_asking *asking, sbx_session *session,
                   sbx_computer_list **out, sbx_error *err)
{
    SBI_AUTO_COMPUTER_RESULT result = NULL;
    struct sbi_computer_call call = {
        .action = "list the computers", .verb = "ls", .name = "", .opts = &asking->opts};
    int rc = sbi_computer_call(session, &call, &result, err);

    return rc < 0 ? rc
                  : sbi_record_read(result->output, result->output_length, asking->place,
                                    asking->opts.owner, out, err);
}

static bool stands(const sbx_computer *computer, void *userdata)
{
    (void)userdata;
    return !sbi_record_of(computer)->aside;
}

int sbx_computer_all(sbx_session *session, const sbx_computer_opts *opts,
                     sbx_computer_list **out, sbx_error *err)
{
    struct sbi_asking asking = {.action = "list"};
    sbx_computer_list *list = NULL;
    int rc = sbi_asking_read(&asking, session, opts, err);

    if (rc == SBX_OK)
        rc = list_of(&asking, session, &list, err);
    if (rc < 0)
        return rc;
    sbi_record_filter(list, stands, NULL);
    *out = list;
    return SBX_OK;
}

int sbx_computer_collect(sbx_session *session, const sbx_computer_opts *opts,
                         sbx_computer_list **out, sbx_error *err)
{
    struct sbi_asking asking = {.action = "collect"};
    sbx_computer_list *list = NULL;
    int rc = sbi_asking_read(&asking, session, opts, err);

    if (rc == SBX_OK)
        rc = list_of(&asking, session, &list, err);
    if (rc == SBX_OK)
        rc = sbi_collect_drop(session, &asking.opts, list, err);
    if (rc < 0) {
        sbx_computer_list_free(list);
        return rc;
    }
    *out = list;
    return SBX_OK;
}
