/* compat.h - names and arguments of the older Python server, onto the tools of this. */
#ifndef MCP_COMPAT_H
#define MCP_COMPAT_H

#include "server.h"

struct compat {
    const char *name;
    const char *tool;    /* what does it here */
    const char *renames; /* "old=new old=new"; `-`: accepted, and of no use here */
    const char *added;   /* JSON of what is given besides */
    const char *about;   /* NULL: the name is one of this server's too */
};

/* NULL: there is no such name. */
const struct compat *compat_named(const char *name);

/* Whether a call is in the older form: by its name, or by an argument's. */
bool compat_applies(const char *name, const tree *args);

/* The arguments as that tool takes them. */
tree *compat_translate(const char *name, const tree *args);

/* Adds them to a list of tools where SBX_MCP_COMPAT=1 asks for that. */
void compat_add_listed(const struct call *call, tree *list);

#endif
