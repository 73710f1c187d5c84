/* tree.h - the server's one door to cJSON: trees that are built and looked into. */
#ifndef MCP_TREE_H
#define MCP_TREE_H

#include "own.h"
#include "raw.h"

#include <cjson/cJSON.h>
#include <stdint.h>

typedef cJSON tree;

#define AUTO_TREE CLEANUP(tree_clear) tree *

/* NULL where the text is not JSON. */
tree *tree_parse(struct raw text);

/* In one line, for free(3). */
char *tree_print(const tree *value);

tree *tree_object(void);

/* A new object, or array, below that name; an array's item where name is NULL. */
tree *tree_add_object(tree *parent, const char *name);
tree *tree_add_array(tree *parent, const char *name);
void tree_add_text(tree *parent, const char *name, const char *text); /* NULL: nothing */
void tree_add_int(tree *parent, const char *name, int64_t number);
void tree_add_number(tree *parent, const char *name, double number);
void tree_add_bool(tree *parent, const char *name, bool value);

/* Makes value, which parent owns from here on, what stands below that name. */
void tree_put(tree *parent, const char *name, tree *value);

/* What stands there, or NULL; so it is where object is no object. */
const tree *tree_at(const tree *object, const char *name);

/* The string there, or NULL where there is none. */
const char *tree_text(const tree *object, const char *name);

void tree_clear(tree **value);

#endif
