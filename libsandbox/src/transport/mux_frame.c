#include "transport/mux_frame.h"

#include <string.h>

#define WORD 4

/* Each type's body, a letter a field: see take_field. What follows is passed over. */
static const struct {
    int type;
    const char *fields;
} forms[] = {
    {SBI_MUX_HELLO, "i"},
    {SBI_MUX_NEW_SESSION, "i-Tb bSb mcE"},
    {SBI_MUX_NEW_STDIO_FORWARD,
     "i-cv"}, /* the port is a number, whatever its text says */
    {SBI_MUX_ALIVE_CHECK, "i"},
    {SBI_MUX_TERMINATE, "i"},
    {SBI_MUX_STOP_LISTENING, "i"},
    {SBI_MUX_OK, "i"},
    {SBI_MUX_DENIED, "ir"},
    {SBI_MUX_FAILURE, "ir"},
    {SBI_MUX_EXIT, "iv"},
    {SBI_MUX_ALIVE, "iv"},
    {SBI_MUX_OPENED, "iv"},
    {SBI_MUX_TERMINAL_FAILED, "i"},
    {SBI_MUX_SIGNALED, "ir"},
    {SBI_MUX_TAG, "ir"},
};

static bool take_number(struct sbi_mux_text *rest, uint32_t *out)
{
    const unsigned char *at = (const unsigned char *)rest->data;

    if (rest->length < WORD)
        return false;
    *out = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    rest->data += WORD;
    rest->length -= WORD;
    return true;
}

static bool take_text(struct sbi_mux_text *rest, struct sbi_mux_text *out)
{
    struct sbi_mux_text left = *rest;
    uint32_t length;

    if (!take_number(&left, &length) || length > left.length ||
        memchr(left.data, '\0', length) != NULL)
        return false;
    *out = (struct sbi_mux_text){left.data, length};
    rest->data = left.data + length;
    rest->length = left.length - length;
    return true;
}

bool sbi_mux_next_env(struct sbi_mux_text *rest, struct sbi_mux_text *out)
{
    return rest->length > 0 && take_text(rest, out);
}

static bool take_env(struct sbi_mux_text *rest, struct sbi_mux_text *out)
{
    struct sbi_mux_text left = *rest, one;

    while (left.length > 0)
        if (!take_text(&left, &one))
            return false;
    *out = *rest;
    rest->length = 0;
    return true;
}

static bool take_field(char field, struct sbi_mux_text *rest, struct sbi_mux_message *out)
{
    struct sbi_mux_text text;
    uint32_t number;

    switch (field) {
    case 'i':
        return take_number(rest, &out->id);
    case 'v':
        return take_number(rest, &out->value);
    case 'r':
        return take_text(rest, &out->reason);
    case 'm':
        return take_text(rest, &out->term);
    case 'c':
        return take_text(rest, &out->command);
    case 'E':
        return take_env(rest, &out->env);
    case '-':
        return take_text(rest, &text);
    case 'b':
        return take_number(rest, &number);
    default:
        if (!take_number(rest, &number))
            return false;
        *(field == 'T' ? &out->terminal : &out->subsystem) = number != 0;
        return true;
    }
}

/* A type that is not known has at least a number, by which it can be refused. */
static const char *form_of(int type)
{
    size_t i;

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (forms[i].type == type)
            return forms[i].fields;
    return "i";
}

int sbi_mux_parse(const void *data, size_t length, struct sbi_mux_message *out,
                  size_t *used)
{
    struct sbi_mux_text rest = {data, length};
    struct sbi_mux_message message = {0};
    uint32_t size, type;
    const char *field;

    if (!take_number(&rest, &size))
        return SBI_MUX_PART;
    if (size < WORD || size > SBI_MUX_LONGEST)
        return SBI_MUX_BROKEN;
    if (size > rest.length)
        return SBI_MUX_PART;
    rest.length = size;
    (void)take_number(&rest, &type);
    message.type = (int)type;
    for (field = form_of(message.type); *field != '\0'; field++)
        if (*field != ' ' && !take_field(*field, &rest, &message))
            return SBI_MUX_BROKEN;
    *out = message;
    *used = WORD + size;
    return SBI_MUX_WHOLE;
}

static void add_number(struct sbi_str *out, uint32_t number)
{
    const unsigned char bytes[WORD] = {
        (unsigned char)(number >> 24), (unsigned char)(number >> 16),
        (unsigned char)(number >> 8), (unsigned char)number};

    sbi_str_add_bytes(out, bytes, sizeof(bytes));
}

static void add_text(struct sbi_str *out, const char *text)
{
    size_t length = strlen(text);

    if (length > SBI_MUX_LONGEST)
        out->status = SBX_ERR_LIMIT;
    add_number(out, (uint32_t)length);
    sbi_str_add_bytes(out, text, length);
}

static void add_body(struct sbi_str *out, const struct sbi_str *body)
{
    if (out->status == SBX_OK)
        out->status = body->status;
    add_number(out, (uint32_t)body->length);
    sbi_str_add_bytes(out, body->data, body->length);
}

void sbi_mux_add(struct sbi_str *out, int type, const uint32_t *numbers, size_t count,
                 const char *text)
{
    SBI_AUTO_STR body = {.limit = SBI_MUX_LONGEST};
    size_t i;

    add_number(&body, (uint32_t)type);
    for (i = 0; i < count; i++)
        add_number(&body, numbers[i]);
    if (text != NULL)
        add_text(&body, text);
    add_body(out, &body);
}

void sbi_mux_add_session(struct sbi_str *out, const struct sbi_mux_session *session)
{
    SBI_AUTO_STR body = {.limit = SBI_MUX_LONGEST};
    size_t i;

    add_number(&body, (uint32_t)SBI_MUX_NEW_SESSION);
    add_number(&body, session->id);
    add_text(&body, "");
    add_number(&body, session->terminal);
    add_number(&body, 0); /* X11 */
    add_number(&body, 0); /* the agent */
    add_number(&body, 0); /* a subsystem */
    add_number(&body, SBI_MUX_NO_ESCAPE);
    add_text(&body, session->term);
    add_text(&body, session->command);
    for (i = 0; i < 2; i++)
        if (session->env[i] != NULL)
            add_text(&body, session->env[i]);
    add_body(out, &body);
}

void sbi_mux_add_forward(struct sbi_str *out, const char *host, int port)
{
    SBI_AUTO_STR body = {.limit = SBI_MUX_LONGEST};

    add_number(&body, (uint32_t)SBI_MUX_NEW_STDIO_FORWARD);
    add_number(&body, 0);
    add_text(&body, "");
    add_text(&body, host);
    add_number(&body, (uint32_t)port);
    add_body(out, &body);
}
