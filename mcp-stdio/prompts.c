/* prompts.c - two ways of working, written down for an agent to follow. */
#include "fault.h"
#include "methods.h"
#include "page.h"

#include <string.h>

struct prompt {
    const char *name;
    const char *about;
    const char *argument; /* its one argument besides the sandbox, which must be there */
    const char *argument_about;
    const char *text; /* %s: the sandbox; %s: the argument */
};

static const struct prompt prompts[] = {
    {"start_training", "Start a training on a remote machine safely", "command",
     "The command that trains",
     "Start this training on a remote machine, so that it can be picked up again: %2$s\n"
     "1. If no sandbox is named here (%1$s), find one: pick_sandbox with the GPUs, GPU "
     "memory and disk that it needs. Say why it was taken.\n"
     "2. sync the project there with direction push; leave data and checkpoints out by "
     "'exclude'.\n"
     "3. Check before it runs: python --version, nvidia-smi, df -h of the working folder; "
     "run the first steps with a small timeout_s and look at the loss.\n"
     "4. Make sure that it writes checkpoints, and that starting it again goes on from "
     "the last one. Do not start it before it does.\n"
     "5. start_job it, with a name, and tell me the job_id, the folder and how to stop it.\n"
     "6. check_job with wait_s and until_log for the first step, then now and then; when "
     "it has exited with 0, pull the results with sync."},
    {"why_host_fails", "Find out why a sandbox does not work", "symptom",
     "What goes wrong",
     "Find out why the sandbox '%1$s' does not work. What was seen: %2$s\n"
     "1. list_sandboxes with check_resources: is it reached, and what does 'why' say?\n"
     "2. If it is not reached, the sentence names the step (name, connection, host key, "
     "login) and what mends it: tell me that, and do not try around it.\n"
     "3. If it is reached, run with a timeout_s of 20: uptime; df -h; free -m; "
     "dmesg | tail -n 30; nvidia-smi. One of them that hangs is a finding.\n"
     "4. Change nothing. Tell me the cause, what shows it, and what would mend it."},
};

static void add_argument(tree *list, const char *name, const char *about, bool required)
{
    tree *one = tree_add_object(list, NULL);

    tree_add_text(one, "name", name);
    tree_add_text(one, "description", about);
    tree_add_bool(one, "required", required);
}

tree *method_prompts_list(struct call *call, struct rpc_fault *fault)
{
    size_t count = sizeof(prompts) / sizeof(prompts[0]);
    size_t start;
    size_t i;
    tree *result;
    tree *list;

    if (!page_start(call, count, &start, fault))
        return NULL;
    result = tree_object();
    list = tree_add_array(result, "prompts");
    for (i = 0; i < count; i++) {
        tree *one = tree_add_object(list, NULL);
        tree *arguments;

        tree_add_text(one, "name", prompts[i].name);
        tree_add_text(one, "description", prompts[i].about);
        arguments = tree_add_array(one, "arguments");
        add_argument(arguments, prompts[i].argument, prompts[i].argument_about, true);
        add_argument(arguments, "sandbox", "Name of a sandbox", false);
    }
    return result;
}

static tree *message_of(const struct prompt *prompt, const char *sandbox,
                        const char *argument)
{
    AUTO_TEXT text = {0};
    tree *result = tree_object();
    tree *one;

    text_addf(&text, prompt->text, sandbox == NULL ? "not named" : sandbox, argument);
    tree_add_text(result, "description", prompt->about);
    one = tree_add_object(tree_add_array(result, "messages"), NULL);
    tree_add_text(one, "role", "user");
    one = tree_add_object(one, "content");
    tree_add_text(one, "type", "text");
    tree_add_text(one, "text", text.data);
    return result;
}

tree *method_prompts_get(struct call *call, struct rpc_fault *fault)
{
    const char *name = tree_text(call->params, "name");
    const tree *arguments = tree_at(call->params, "arguments");
    size_t i;

    for (i = 0; name != NULL && i < sizeof(prompts) / sizeof(prompts[0]); i++) {
        const char *argument = tree_text(arguments, prompts[i].argument);

        if (strcmp(name, prompts[i].name) != 0)
            continue;
        if (argument == NULL)
            return rpc_fail(fault, RPC_PARAMS,
                            "prompts/get: '%s' needs the argument '%s'", name,
                            prompts[i].argument);
        return message_of(&prompts[i], tree_text(arguments, "sandbox"), argument);
    }
    return rpc_fail(fault, RPC_PARAMS, "prompts/get: there is no prompt '%.60s'",
                    name == NULL ? "" : name);
}
