/* exclude_set.c - reads "[a-z]", with the classes and the corner cases of git. */
#include "sync/exclude_token.h"

#include <string.h>

#define BYTES 256

/* git's own idea of ASCII, which has neither \v nor \f among the spaces. */
static bool is_lower(int c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_alpha(int c)
{
    return is_lower(c) || is_upper(c);
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(int c)
{
    return is_alpha(c) || is_digit(c);
}

static bool is_xdigit(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

static bool is_space(int c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

static bool is_print(int c)
{
    return c >= 0x20 && c <= 0x7e;
}

static bool is_graph(int c)
{
    return is_print(c) && !is_space(c);
}

static bool is_punct(int c)
{
    return is_graph(c) && !is_alnum(c);
}

static bool is_cntrl(int c)
{
    return c < 0x20 || c == 0x7f;
}

static const struct {
    const char *name;
    bool (*holds)(int c);
} classes[] = {
    {"alnum", is_alnum}, {"alpha", is_alpha}, {"blank", is_blank}, {"cntrl", is_cntrl},
    {"digit", is_digit}, {"graph", is_graph}, {"lower", is_lower}, {"print", is_print},
    {"punct", is_punct}, {"space", is_space}, {"upper", is_upper}, {"xdigit", is_xdigit},
};

static void add(struct sbi_rule_set *set, int c)
{
    set->bits[c / 8] = (uint8_t)(set->bits[c / 8] | 1u << c % 8);
}

static bool add_class(struct sbi_rule_set *set, const char *name, size_t length)
{
    size_t i;
    int c;

    for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strlen(classes[i].name) != length ||
            memcmp(classes[i].name, name, length) != 0)
            continue;
        for (c = 1; c < BYTES; c++)
            if (classes[i].holds(c))
                add(set, c);
        return true;
    }
    return false;
}

/* Where the reading of a set stands; last is the byte that a '-' would start from. */
struct reading {
    const char *at;
    const char *end;
    struct sbi_rule_set *set;
    int last;
};

static int peek(const struct reading *reading, size_t ahead)
{
    return (size_t)(reading->end - reading->at) > ahead
               ? (unsigned char)reading->at[ahead]
               : 0;
}

/* A byte, or the one behind a backslash. */
static bool read_byte(struct reading *reading, int *out)
{
    if (peek(reading, 0) == '\\')
        reading->at++;
    *out = peek(reading, 0);
    if (*out == 0)
        return false;
    reading->at++;
    return true;
}

static bool read_range(struct reading *reading)
{
    int c, to;

    reading->at++;
    if (!read_byte(reading, &to))
        return false;
    for (c = reading->last; c <= to; c++)
        add(reading->set, c);
    reading->last = 0;
    return true;
}

/* "[:name:]". What does not end in ":]" is the byte '[', and is read on behind it. */
static bool read_class(struct reading *reading)
{
    const char *name = reading->at + 2;
    const char *close = memchr(name, ']', (size_t)(reading->end - name));

    if (close == NULL)
        return false;
    if (close == name || close[-1] != ':') {
        add(reading->set, '[');
        reading->last = '[';
        reading->at++;
        return true;
    }
    reading->last = 0;
    reading->at = close + 1;
    return add_class(reading->set, name, (size_t)(close - 1 - name));
}

static bool read_one(struct reading *reading)
{
    int c = peek(reading, 0);
    int next = peek(reading, 1);

    if (c == '-' && reading->last != 0 && next != 0 && next != ']')
        return read_range(reading);
    if (c == '[' && next == ':')
        return read_class(reading);
    if (!read_byte(reading, &c))
        return false;
    add(reading->set, c);
    reading->last = c;
    return true;
}

const char *sbi_rule_read_set(const char *at, const char *end, struct sbi_rule_set *set)
{
    struct reading reading = {.at = at, .end = end, .set = set};
    bool is_negated = at < end && (*at == '!' || *at == '^');
    size_t i;

    *set = (struct sbi_rule_set){{0}};
    if (is_negated)
        reading.at++;
    do { /* a ']' at the start is a byte like any other */
        if (!read_one(&reading))
            return NULL;
    } while (peek(&reading, 0) != ']');

    for (i = 0; is_negated && i < sizeof(set->bits); i++)
        set->bits[i] = (uint8_t)~set->bits[i];
    set->bits['/' / 8] = (uint8_t)(set->bits['/' / 8] & ~(1u << '/' % 8));
    return reading.at + 1;
}
