/* methods.c - what a client may ask for, and which versions of the protocol know it. */
#include "methods.h"

#include "rpc.h"

const struct method method_all[] = {
    {"initialize", ERA_HANDSHAKE, METHOD_QUICK, method_initialize},
    {"ping", ERA_HANDSHAKE, METHOD_QUICK, method_ping},
    {"logging/setLevel", ERA_HANDSHAKE, METHOD_QUICK, method_set_level},
    {"server/discover", ERA_STATELESS, METHOD_QUICK | METHOD_CACHEABLE | METHOD_FIRST,
     method_discover},
    {"tools/list", ERA_ALL, METHOD_QUICK | METHOD_CACHEABLE, method_tools_list},
    {"tools/call", ERA_ALL, METHOD_TOOL, method_tools_call},
    {"resources/list", ERA_ALL, METHOD_QUICK | METHOD_CACHEABLE, method_resources_list},
    {"resources/templates/list", ERA_ALL, METHOD_QUICK | METHOD_CACHEABLE,
     method_resources_templates},
    {"resources/read", ERA_ALL, METHOD_CACHEABLE, method_resources_read},
    {"resources/subscribe", ERA_HANDSHAKE, 0, method_subscribe},
    {"resources/unsubscribe", ERA_HANDSHAKE, METHOD_QUICK, method_unsubscribe},
    {"subscriptions/listen", ERA_STATELESS, 0, method_listen},
    {"prompts/list", ERA_ALL, METHOD_QUICK | METHOD_CACHEABLE, method_prompts_list},
    {"prompts/get", ERA_ALL, METHOD_QUICK, method_prompts_get},
    {"completion/complete", ERA_ALL, METHOD_QUICK, method_complete},
    {NULL, 0, 0, NULL},
};
