/* ask.h - asks the person at the client before something is done that cannot be undone.
 */
#ifndef MCP_ASK_H
#define MCP_ASK_H

#include "server.h"

enum ask_answer {
    ASK_NOBODY = 0, /* the client can ask nobody */
    ASK_YES,
    ASK_NO,
    ASK_LATER /* the question is the call's result: it comes again with the answer */
};

/* Waits for the answer, five minutes at most, where the era has requests of ours. */
enum ask_answer ask_person(struct call *call, const char *question);

/* The result of a call that asks, or NULL. */
tree *ask_result(struct call *call);

/* Takes a message that answers one of ours; false: it is none. */
bool ask_hears(struct server *server, struct raw id, const tree *message);

#endif
