#include "ask.h"

#include "text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LONGEST_MS = 300000, LOOK_MS = 200 };

/* What waits for an answer, on the stack of its own thread. */
struct waiting {
    struct waiting *next;
    char id[32]; /* the text of a JSON string */
    enum ask_answer answer;
    bool answered;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t heard = PTHREAD_COND_INITIALIZER;
static struct waiting *all;

static enum ask_answer read_answer(const tree *result)
{
    const char *action = tree_text(result, "action");
    const tree *confirmed = tree_at(tree_at(result, "content"), "confirm");

    return action != NULL && strcmp(action, "accept") == 0 && cJSON_IsTrue(confirmed)
               ? ASK_YES
               : ASK_NO;
}

bool ask_hears(struct server *server, struct raw id, const tree *message)
{
    const tree *result = tree_at(message, "result");
    struct waiting *one;

    (void)server;
    if (tree_at(message, "method") != NULL ||
        (result == NULL && tree_at(message, "error") == NULL))
        return false;
    (void)pthread_mutex_lock(&lock);
    for (one = all; one != NULL; one = one->next)
        if (raw_equal(id, one->id)) {
            one->answer = result == NULL ? ASK_NOBODY : read_answer(result);
            one->answered = true;
        }
    (void)pthread_cond_broadcast(&heard);
    (void)pthread_mutex_unlock(&lock);
    return true;
}

/* The question in the form that clients show: a text, and one box to tick. */
static void add_question(tree *params, const char *question)
{
    tree *schema;
    tree *box;

    tree_add_text(params, "message", question);
    schema = tree_add_object(params, "requestedSchema");
    tree_add_text(schema, "type", "object");
    box = tree_add_object(tree_add_object(schema, "properties"), "confirm");
    tree_add_text(box, "type", "boolean");
    tree_add_text(box, "title", "Do it");
    tree_add_text(tree_add_array(schema, "required"), NULL, "confirm");
}

static void send_question(struct call *call, const struct waiting *one,
                          const char *question)
{
    AUTO_TREE params = tree_object();
    AUTO_TEXT line = {0};
    AUTOFREE char *text = NULL;

    add_question(params, question);
    text = tree_print(params);
    text_addf(&line,
              "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"elicitation/create\","
              "\"params\":%s}",
              one->id, text);
    server_send(call->server, line.data, line.length);
}

static void wait_a_moment(void)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&heard, &lock, &until);
}

static void forget_locked(const struct waiting *one)
{
    struct waiting **at = &all;

    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
}

static enum ask_answer ask_now(struct call *call, const char *question)
{
    struct waiting one = {.answer = ASK_NO};
    int64_t end = now_ms() + LONGEST_MS;

    (void)snprintf(one.id, sizeof(one.id), "\"sbx-%d\"",
                   atomic_fetch_add(&call->server->asked, 1) + 1);
    (void)pthread_mutex_lock(&lock);
    one.next = all;
    all = &one;
    (void)pthread_mutex_unlock(&lock);
    send_question(call, &one, question);
    (void)pthread_mutex_lock(&lock);
    while (!one.answered && !sbx_cancel_fired(call->cancel) && now_ms() < end)
        wait_a_moment();
    forget_locked(&one);
    (void)pthread_mutex_unlock(&lock);
    return one.answer;
}

static bool can_ask(const struct call *call)
{
    const tree *meta = tree_at(call->params, "_meta");

    if ((call->era->has & ERA_STATELESS) == 0)
        return (call->era->has & ERA_STRUCTURED) != 0 && atomic_load(&call->server->asks);
    return tree_at(tree_at(meta, "io.modelcontextprotocol/clientCapabilities"),
                   "elicitation") != NULL;
}

enum ask_answer ask_person(struct call *call, const char *question)
{
    const tree *answers = tree_at(call->params, "inputResponses");

    if (!can_ask(call))
        return ASK_NOBODY;
    if ((call->era->has & ERA_STATELESS) == 0)
        return ask_now(call, question);
    if (tree_at(answers, "confirm") != NULL)
        return read_answer(tree_at(answers, "confirm"));
    call->question = own_copy(question, strlen(question));
    return ASK_LATER;
}

tree *ask_result(struct call *call)
{
    tree *result;
    tree *request;

    if (call->question == NULL)
        return NULL;
    result = tree_object();
    tree_add_text(result, "resultType", "input_required");
    request = tree_add_object(tree_add_object(result, "inputRequests"), "confirm");
    tree_add_text(request, "method", "elicitation/create");
    request = tree_add_object(request, "params");
    tree_add_text(request, "mode", "form");
    add_question(request, call->question);
    return result;
}
