/*
 * raw.h - looks into the text of a JSON message without reading all of it, so that an
 * id stays the very text that it came as. Nothing here goes deeper than one level at a
 * time, whatever the text is.
 */
#ifndef MCP_RAW_H
#define MCP_RAW_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of somebody else's text. */
struct raw {
    const char *at;
    size_t length;
};

/* What one look over a whole text finds. */
struct raw_look {
    bool whole; /* one object or array, its brackets and strings closed, nothing behind */
    bool is_text;  /* UTF-8 */
    bool has_nul;  /* a NUL, written out or as \u0000 */
    bool has_half; /* an escape that is half of a surrogate pair */
    size_t depth;  /* of brackets */
};

struct raw_look raw_look_over(struct raw text);

/* Without white space at both ends. */
struct raw raw_trim(struct raw text);

/* The value of an object's first member of that name. The object must be whole. */
bool raw_member(struct raw object, const char *name, struct raw *out);

/* Takes the next item off the inside of an array; *rest begins as raw_inside of it. */
struct raw raw_inside(struct raw array);
bool raw_next(struct raw *rest, struct raw *item);

/* A string, or an integer of any size. */
bool raw_is_id(struct raw value);

bool raw_equal(struct raw value, const char *text);

/* The length of the UTF-8 character that starts there, 0 where none does. */
size_t raw_character(const char *at, size_t left);

#endif
