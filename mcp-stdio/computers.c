#include "computers.h"

#include "fault.h"
#include "opt.h"
#include "owning.h"
#include "reaper.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_IMAGE "debian:stable-slim"

bool computers_offered(const struct serve_opts *opts)
{
    return opts->computers.offered || computers_lifecycle();
}

bool computers_lifecycle(void)
{
    const char *asked = getenv("ENABLE_LIFECYCLE_TOOLS");

    return asked != NULL && (strcmp(asked, "true") == 0 || strcmp(asked, "1") == 0);
}

int64_t computers_timeout(const struct serve_opts *opts)
{
    int64_t seconds = opts->computers.timeout_ms / 1000;

    return seconds > 0 ? seconds : COMPUTERS_TIMEOUT_S;
}

void computers_tell(const struct serve_opts *opts, struct text *out)
{
    const struct serve_computers *given = &opts->computers;
    int64_t memory = given->memory > 0 ? given->memory >> 20 : 4096;

    text_addf(out,
              "a Linux container of %s on %s: image %s, shell %s, %lld MiB of memory, ",
              given->engine == NULL ? "docker or podman" : given->engine,
              opts->sandbox == NULL ? "this machine" : opts->sandbox,
              given->image == NULL ? DEFAULT_IMAGE : given->image,
              given->shell == NULL ? "bash, else sh" : given->shell, (long long)memory);
    if (given->cpus == NULL)
        text_add(out, "all CPUs, ");
    else
        text_addf(out, "%s CPUs, ", given->cpus);
    text_add(out, given->no_network ? "no network" : "with network");
}

void computers_clear(struct computers *computers)
{
    sbx_session_free(computers->session);
    sbx_computer_free(computers->computer);
    free(computers->handle);
    free(computers->owner);
    free(computers->address);
}

const char *computers_id(const struct computers *computers)
{
    return strrchr(computers->address, '/') + 1;
}

static const char *place_name(const struct call *call, const tree *args)
{
    const sbx_host *selected = fleet_selected(call->server->fleet);
    const char *name = args_text(args, "sandbox");

    if (name != NULL)
        return name;
    if ((call->era->has & ERA_STATELESS) == 0 && selected != NULL &&
        strchr(selected->name, '/') == NULL)
        return selected->name;
    return call->server->opts->sandbox == NULL ? "local" : call->server->opts->sandbox;
}

/* A computer on this machine is not this machine: it needs no --local. */
int computers_open(struct computers *computers, struct call *call, const tree *args,
                   sbx_error *err)
{
    const char *name = place_name(call, args);
    int rc;

    computers->call = call;
    computers->args = args;
    if (strchr(name, '/') != NULL)
        return fault_fix(
            err, fault(err, SBX_ERR_INVALID, "'%.100s' is a computer itself", name),
            "sandbox is the machine it stands on, computer_id its name");
    if (strcmp(name, "local") == 0)
        rc = fleet_any(call->server->fleet, name, &computers->place, err);
    else
        rc = fleet_named(call->server->fleet, name, &computers->place, err);
    if (rc == SBX_OK)
        rc = fleet_session(call, computers->place, &computers->session, err);
    return rc;
}

static void tell_line(const char *line, void *userdata)
{
    call_doing(userdata, "%.110s", line);
}

sbx_computer_opts computers_opts(const struct computers *computers)
{
    return (sbx_computer_opts){.size = sizeof(sbx_computer_opts),
                               .engine = computers->call->server->opts->computers.engine,
                               .owner = computers->owner,
                               .progress = tell_line,
                               .userdata = computers->call,
                               .cancel = computers->call->cancel};
}

static void replace(char **text, const char *other)
{
    char *copy = own_copy(other, strlen(other));

    free(*text);
    *text = copy;
}

static void set(struct computers *computers, const char *address, const char *owner,
                bool permanent)
{
    replace(&computers->address, address);
    replace(&computers->owner, owner);
    computers->permanent = permanent;
    free(computers->handle);
    computers->handle = owning_handle_of(computers->call, owner);
}

void computers_take(struct computers *computers, sbx_computer *computer, bool held)
{
    sbx_computer_free(computers->computer);
    computers->computer = computer;
    set(computers, computer->address, computer->owner, computer->permanent != 0);
    owning_note(computers->call, computer, held);
}

int computers_find(struct computers *computers, bool changes, sbx_error *err)
{
    const char *name = args_text(computers->args, "computer_id");
    const sbx_computer_opts opts = computers_opts(computers);
    sbx_computer *computer = NULL;
    int rc = changes ? fleet_check_writable(computers->place, err) : SBX_OK;

    if (rc == SBX_OK)
        rc = sbx_computer_show(computers->session, name, &opts, &computer, err);
    if (rc == SBX_ERR_NOT_FOUND)
        return fault_fix(err, rc,
                         "computer_id as it was told; a temporary one ends with its "
                         "session, and after a day");
    if (rc < 0)
        return rc;
    rc = owning_check(computers->call, computer, changes, err);
    if (rc == SBX_OK)
        computers_take(computers, computer, false);
    else
        sbx_computer_free(computer);
    return rc;
}

/* One that may be used, was there a moment ago, and nothing is asked of but that. */
static bool find_seen(struct computers *computers, const char *name)
{
    static const char *const asked[] = {"image", "memory", "cpus"};
    AUTO_TEXT address = {0};
    AUTOFREE char *owner = NULL;
    bool permanent = false;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
        if (tree_at(computers->args, asked[i]) != NULL)
            return false;
    text_addf(&address, "%s/%s", computers->place->name, name);
    owner = owning_seen(computers->call, address.data, &permanent);
    if (owner == NULL || owning_enter(computers->call, address.data, &err) < 0)
        return false;
    set(computers, address.data, owner, permanent);
    return true;
}

bool computers_was_seen(struct computers *computers)
{
    bool seen = computers->computer == NULL;

    if (seen)
        owning_forget(computers->call, computers->address);
    return seen;
}

static int read_memory(const tree *args, int64_t *out, sbx_error *err)
{
    static const struct opt row = {.kind = OPT_BYTES, .name = "memory"};
    const char *text = args_text(args, "memory");

    return text == NULL ? SBX_OK : opt_store(&row, "memory", text, out, err);
}

/* What a new one is to be like, by the call and by the server's start. */
struct wish {
    sbx_computer_opts opts;
    char cpus[32];
};

static int read_wish(const struct computers *computers, bool temporary, struct wish *wish,
                     sbx_error *err)
{
    const struct serve_computers *given = &computers->call->server->opts->computers;
    const tree *args = computers->args;
    const char *image = args_text(args, "image");
    bool stays =
        tree_at(args, "temporary") == NULL ? !temporary : !args_bool(args, "temporary");

    wish->opts = computers_opts(computers);
    wish->opts.flags = (stays ? SBX_COMPUTER_PERMANENT : 0) |
                       (given->no_network ? SBX_COMPUTER_NO_NETWORK : 0);
    wish->opts.image = image == NULL ? given->image : image;
    wish->opts.shell = given->shell;
    wish->opts.network = given->network;
    wish->opts.cpus = given->cpus;
    wish->opts.memory = given->memory;
    if (tree_at(args, "cpus") != NULL) {
        (void)snprintf(wish->cpus, sizeof(wish->cpus), "%.2f", args_number(args, "cpus"));
        wish->opts.cpus = wish->cpus;
    }
    return read_memory(args, &wish->opts.memory, err);
}

static int differs(const sbx_computer *computer, const char *what, sbx_error *err)
{
    return fault_fix(
        err,
        fault(err, SBX_ERR_CONFLICT, "computer '%s' is there, and its %s is another",
              computer->address, what),
        "leave %s out to go on in it as it is, or take another computer_id", what);
}

/* An existing one is taken as it is; what a call asks for besides has to be so. */
static int check_same(const struct computers *computers, sbx_error *err)
{
    const sbx_computer *computer = computers->computer;
    const tree *args = computers->args;
    const char *image = args_text(args, "image");
    double cpus = computer->cpus[0] == '\0' ? 0 : strtod(computer->cpus, NULL);
    int64_t memory = computer->memory;
    int rc = read_memory(args, &memory, err);

    if (rc < 0)
        return rc;
    if (image != NULL && strcmp(image, computer->image) != 0)
        return differs(computer, "image", err);
    if (memory != computer->memory)
        return differs(computer, "memory", err);
    if (tree_at(args, "cpus") != NULL && args_number(args, "cpus") != cpus)
        return differs(computer, "cpus", err);
    return SBX_OK;
}

static int create(struct computers *computers, const char *name,
                  const sbx_computer_opts *opts, sbx_error *err)
{
    struct call *call = computers->call;
    const char *place = computers->place->name;
    bool held = (opts->flags & SBX_COMPUTER_PERMANENT) == 0;
    sbx_computer *computer = NULL;
    int rc;

    call_doing(call, "making a computer on %.80s", place);
    if (held)
        reaper_add(call->server, place);
    rc = sbx_computer_create(computers->session, name, opts, &computer, err);
    if (rc < 0 && held && rc != SBX_ERR_CANCELLED && rc != SBX_ERR_TIMEOUT)
        reaper_remove(call->server, place);
    if (rc == SBX_OK)
        computers_take(computers, computer, true);
    return rc;
}

/* Held by this server from here on, if it is temporary, and awake. */
static int attach(struct computers *computers, sbx_error *err)
{
    sbx_computer_opts opts = computers_opts(computers);
    int rc = check_same(computers, err);

    if (rc < 0 || computers->handle == NULL ||
        (computers->computer->state == SBX_COMPUTER_RUNNING &&
         (computers->permanent || owning_is_held(computers->call, computers->computer))))
        return rc;
    opts.flags = computers->permanent ? SBX_COMPUTER_PERMANENT : 0;
    return create(computers, computers->computer->name, &opts, err);
}

int computers_make(struct computers *computers, bool temporary, sbx_error *err)
{
    const char *name = args_text(computers->args, "computer_id");
    struct wish wish = {0};
    int rc = fleet_check_writable(computers->place, err);

    if (rc == SBX_OK && name != NULL) {
        if (find_seen(computers, name))
            return SBX_OK;
        rc = computers_find(computers, false, err);
        if (rc != SBX_ERR_NOT_FOUND)
            return rc < 0 ? rc : attach(computers, err);
        rc = SBX_OK;
    }
    if (rc == SBX_OK)
        rc = owning_for_new(computers->call, &computers->handle, &computers->owner, err);
    if (rc == SBX_OK)
        rc = read_wish(computers, temporary, &wish, err);
    if (rc == SBX_OK)
        rc = create(computers, name, &wish.opts, err);
    return rc;
}

int computers_remove(struct computers *computers, sbx_error *err)
{
    const sbx_computer_opts opts = computers_opts(computers);
    int rc = sbx_computer_remove(computers->session, computers_id(computers), &opts, err);

    if (rc < 0)
        return rc;
    owning_forget(computers->call, computers->address);
    if (!computers->permanent)
        reaper_remove(computers->call->server, computers->place->name);
    return SBX_OK;
}

/* Where nothing is remembered the name of a sandbox brings the handle along. */
void computers_add(const struct computers *computers, tree *out)
{
    bool carries =
        (computers->call->era->has & ERA_STATELESS) != 0 && computers->handle != NULL;
    AUTO_TEXT sandbox = {0};

    text_addf(&sandbox, "%s%s%s", computers->address, carries ? "#" : "",
              carries ? computers->handle : "");
    tree_add_text(out, "computer_id", computers_id(computers));
    tree_add_text(out, "sandbox", sandbox.data);
    tree_add_bool(out, "temporary", !computers->permanent);
    tree_add_text(out, "sandbox_handle", computers->handle);
}
