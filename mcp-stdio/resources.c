/* resources.c - what can be read by its address: cards of hosts, stored outputs, logs of
 * jobs. */
#include "resources.h"
#include "fault.h"
#include "fleet.h"
#include "guard.h"
#include "methods.h"
#include "page.h"
#include "recent.h"
#include "shown.h"
#include "survey.h"

#include <sandbox/job.h>
#include <sandbox/output.h>

#include <stdlib.h>
#include <string.h>

#define HOST "sbx://host/"
#define OUTPUT "sbx://output/"
#define JOB "sbx://job/"

static void add_one(tree *list, const char *prefix, const char *name, const char *title,
                    const char *about)
{
    tree *one = tree_add_object(list, NULL);
    AUTO_TEXT uri = {0};

    text_addf(&uri, "%s%s", prefix, name);
    tree_add_text(one, "uri", uri.data);
    tree_add_text(one, "name", title);
    tree_add_text(one, "description", about);
    tree_add_text(one, "mimeType", "text/plain");
}

/* All there are, in pieces of a page. */
struct shelf {
    const sbx_host **hosts;
    size_t host_count;
    struct recent outputs[RECENT_MOST];
    size_t output_count;
    struct recent jobs[RECENT_MOST];
    size_t job_count;
};

static void add_nth(const struct shelf *shelf, size_t n, tree *list)
{
    AUTO_TEXT path = {0};

    if (n < shelf->host_count) {
        add_one(list, HOST, shelf->hosts[n]->name, shelf->hosts[n]->name,
                "System, free CPUs, memory and GPUs, as they are now");
        return;
    }
    n -= shelf->host_count;
    if (n < shelf->output_count) {
        add_one(list, OUTPUT, shelf->outputs[n].id, shelf->outputs[n].place,
                "What a command printed there");
        return;
    }
    n -= shelf->output_count;
    text_addf(&path, "%s/%s", shelf->jobs[n].place, shelf->jobs[n].id);
    add_one(list, JOB, path.data, shelf->jobs[n].id, "The end of a job's log");
}

/* Hosts first, then what this server's calls were about; no host is no failure here. */
tree *method_resources_list(struct call *call, struct rpc_fault *fault)
{
    const struct words no_tags = {0};
    AUTOFREE struct shelf *shelf = own_zeroed(1, sizeof(*shelf));
    sbx_error err;
    size_t count;
    size_t start;
    size_t i;
    tree *result = NULL;
    tree *list;

    shelf->output_count = recent_list(RECENT_OUTPUT, shelf->outputs);
    shelf->job_count = recent_list(RECENT_JOB, shelf->jobs);
    (void)fleet_all(call->server->fleet, &no_tags, &shelf->hosts, &shelf->host_count,
                    &err);
    count = shelf->host_count + shelf->output_count + shelf->job_count;
    if (page_start(call, count, &start, fault)) {
        result = tree_object();
        list = tree_add_array(result, "resources");
        for (i = start; i < start + PAGE_ITEMS && i < count; i++)
            add_nth(shelf, i, list);
        page_end(result, start, count);
    }
    free(shelf->hosts);
    return result;
}

static void add_template(tree *list, const char *uri, const char *name, const char *about)
{
    tree *one = tree_add_object(list, NULL);

    tree_add_text(one, "uriTemplate", uri);
    tree_add_text(one, "name", name);
    tree_add_text(one, "description", about);
    tree_add_text(one, "mimeType", "text/plain");
}

tree *method_resources_templates(struct call *call, struct rpc_fault *fault)
{
    tree *result;
    tree *list;
    size_t start;

    if (!page_start(call, 3, &start, fault))
        return NULL;
    result = tree_object();
    list = tree_add_array(result, "resourceTemplates");
    add_template(list, HOST "{sandbox}", "host",
                 "System, free CPUs, memory and GPUs of a sandbox");
    add_template(list, OUTPUT "{output_id}", "output",
                 "What a command printed, by the output_id that exec_bash told");
    add_template(list, JOB "{sandbox}/{job_id}", "job", "The end of a job's log");
    return result;
}

static int read_host(struct call *call, const char *name, struct text *out,
                     sbx_error *err)
{
    const sbx_host *host = NULL;
    struct survey *one;
    int rc = fleet_named(call->server->fleet, name, &host, err);

    if (rc < 0)
        return rc;
    one = survey_run(call, &host, 1);
    if (one->report != NULL)
        survey_card(out, one->report);
    else
        text_addf(out, "%s: not reached: %s\n", name, one->error.text);
    survey_free(one, 1);
    return SBX_OK;
}

static int read_output(struct call *call, const char *id, struct text *out,
                       sbx_error *err)
{
    const struct shown opts = {.limit = SHOWN_MOST, .how = "read_output reads them"};
    const sbx_output_opts output_opts = {.size = sizeof(output_opts)};
    sbx_output *output = NULL;
    int rc = sbx_output_range(id, 0, -1, &output_opts, &output, err);

    (void)call;
    if (rc < 0)
        return rc;
    (void)shown_add(out, output->data, output->length, &opts);
    sbx_output_free(output);
    return SBX_OK;
}

/* "gpu1/train-1f0c22ab" */
static bool split_job(const char *path, char **place, char **id)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return false;
    *place = own_copy(path, (size_t)(slash - path));
    *id = own_copy(slash + 1, strlen(slash + 1));
    return true;
}

bool resources_job(const char *uri, char **place, char **id)
{
    return strncmp(uri, JOB, strlen(JOB)) == 0 && split_job(uri + strlen(JOB), place, id);
}

static int no_address(sbx_error *err)
{
    return fault(err, SBX_ERR_NOT_FOUND, "no resource has this address");
}

static int read_job(struct call *call, const char *path, struct text *out, sbx_error *err)
{
    AUTOFREE char *place = NULL;
    AUTOFREE char *id = NULL;
    const sbx_job_log_opts opts = {
        .size = sizeof(opts), .offset = -SHOWN_MOST, .cancel = call->cancel};
    const struct shown shown = {.limit = SHOWN_MOST};
    const sbx_host *host = NULL;
    AUTO_SESSION session = NULL;
    sbx_job_log *log = NULL;
    int rc;

    if (!split_job(path, &place, &id))
        return no_address(err);
    rc = fleet_named(call->server->fleet, place, &host, err);
    if (rc == SBX_OK)
        rc = fleet_session(call, host, &session, err);
    if (rc == SBX_OK)
        rc = sbx_job_log_read(session, id, &opts, &log, err);
    if (rc < 0)
        return rc;
    (void)shown_add(out, log->data, log->length, &shown);
    sbx_job_log_free(log);
    return SBX_OK;
}

static int read_uri(struct call *call, const char *uri, struct text *out, sbx_error *err)
{
    static const struct {
        const char *prefix;
        int (*read)(struct call *call, const char *name, struct text *out,
                    sbx_error *err);
    } kinds[] = {{HOST, read_host}, {OUTPUT, read_output}, {JOB, read_job}};
    size_t i;

    text_add(out, "");
    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncmp(uri, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return kinds[i].read(call, uri + strlen(kinds[i].prefix), out, err);
    return no_address(err);
}

tree *method_resources_read(struct call *call, struct rpc_fault *fault)
{
    const char *uri = tree_text(call->params, "uri");
    bool old = (call->era->has & ERA_HANDSHAKE) != 0;
    AUTO_TEXT text = {0};
    sbx_error err = {0};
    tree *result;
    tree *one;

    if (uri == NULL)
        return rpc_fail(fault, RPC_PARAMS, "resources/read: 'uri' is missing");
    if (read_uri(call, uri, &text, &err) < 0) {
        (void)rpc_fail(fault, old ? -32002 : RPC_PARAMS, "read '%.100s': %s", uri,
                       err.text);
        fault->data = tree_object();
        tree_add_text(fault->data, "uri", uri);
        return NULL;
    }
    result = tree_object();
    one = tree_add_object(tree_add_array(result, "contents"), NULL);
    tree_add_text(one, "uri", uri);
    tree_add_text(one, "mimeType", "text/plain");
    tree_add_text(one, "text", text.data);
    guard_mask_tree(call->server->guard, one);
    return result;
}
