/* methods.h - one function for each method; the table of them is in methods.c. */
#ifndef MCP_METHODS_H
#define MCP_METHODS_H

#include "call.h"

struct rpc_fault;

tree *method_initialize(struct call *call, struct rpc_fault *fault);
tree *method_ping(struct call *call, struct rpc_fault *fault);
tree *method_set_level(struct call *call, struct rpc_fault *fault);
tree *method_discover(struct call *call, struct rpc_fault *fault);
tree *method_tools_list(struct call *call, struct rpc_fault *fault);
tree *method_tools_call(struct call *call, struct rpc_fault *fault);
tree *method_resources_list(struct call *call, struct rpc_fault *fault);
tree *method_resources_templates(struct call *call, struct rpc_fault *fault);
tree *method_resources_read(struct call *call, struct rpc_fault *fault);
tree *method_subscribe(struct call *call, struct rpc_fault *fault);
tree *method_unsubscribe(struct call *call, struct rpc_fault *fault);
tree *method_listen(struct call *call, struct rpc_fault *fault);
tree *method_prompts_list(struct call *call, struct rpc_fault *fault);
tree *method_prompts_get(struct call *call, struct rpc_fault *fault);
tree *method_complete(struct call *call, struct rpc_fault *fault);

#endif
