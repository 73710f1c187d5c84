#include "out.h"

#include "interrupt.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program = "sbx";

void out_set_program(const char *name)
{
    program = name;
}

/* After a failed write: 0 to write again, else the reason to stop. */
static int after_failure(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};

    if (errno == EINTR)
        return interrupt_came() ? EINTR : 0;
    if (errno != EAGAIN)
        return errno;
    if (poll(&ready, 1, -1) < 0 && errno == EINTR && interrupt_came())
        return EINTR;
    return 0;
}

int out_write(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;
    int failed;

    while (length > 0) {
        ssize_t n = write(fd, at, length);

        if (n < 0) {
            failed = after_failure(fd);
            if (failed != 0)
                return failed;
            continue;
        }
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

/* What a server said may hold codes that a terminal obeys. */
static void make_visible(struct text *text)
{
    size_t i;

    for (i = 0; i < text->length; i++)
        if ((unsigned char)text->data[i] < 0x20 || text->data[i] == 0x7f)
            text->data[i] = '?';
}

void out_note(const char *form, ...)
{
    AUTO_TEXT line = {0};
    char said[1200];
    va_list args;

    va_start(args, form);
    (void)vsnprintf(said, sizeof(said), form, args);
    va_end(args);

    text_addf(&line, "%s: %s", program, said);
    make_visible(&line);
    text_add(&line, "\n");
    (void)out_write(STDERR_FILENO, line.data, line.length);
}

/* Is this `sbx` the program, and not a part of a path, or of a longer word? */
static bool is_program(const char *text, const char *at)
{
    return (at == text || strchr(" \n`(", at[-1]) != NULL) &&
           (at[3] == '\0' || strchr(" \n,", at[3]) != NULL);
}

void out_add_named(struct text *out, const char *text)
{
    const char *from = text, *at = text;

    for (; (at = strpbrk(at, "s<")) != NULL; at++)
        if (strncmp(at, "<P>", 3) == 0 ||
            (strncmp(at, "sbx", 3) == 0 && is_program(text, at))) {
            text_add_bytes(out, from, (size_t)(at - from));
            text_add(out, program);
            from = at + 3;
        }
    text_add(out, from);
}

/* The library tells an option by its flag in C too: "-r (SBX_FILE_RECURSIVE)". */
static void add_without_flags(struct text *out, const char *fix)
{
    static const char flag[] = " (SBX_";
    const char *from = fix, *at = fix;

    while ((at = strstr(from, flag)) != NULL && strchr(at, ')') != NULL) {
        text_add_bytes(out, from, (size_t)(at - from));
        from = strchr(at, ')') + 1;
    }
    text_add(out, from);
}

void out_try(const sbx_error *err)
{
    AUTO_TEXT fix = {0};
    AUTO_TEXT line = {0};

    add_without_flags(&fix, err->fix);
    out_add_named(&line, fix.data);
    if (err->check[0] != '\0' && err->fix[0] != '\0')
        out_note("try: %s (`%s doctor` tells more: %s)", line.data, program, err->check);
    else if (err->check[0] != '\0')
        out_note("try: %s doctor, which tells more: %s", program, err->check);
    else if (err->fix[0] != '\0')
        out_note("try: %s", line.data);
}

void out_error(const sbx_error *err)
{
    out_note("%s", err->text);
    out_try(err);
}

void out_json(char *json)
{
    if (json == NULL)
        out_note("out of memory");
    else
        (void)printf("%s\n", json);
    sbx_free(json);
}

int out_status(int code)
{
    static const struct {
        int code;
        int status;
    } table[] = {
        {SBX_OK, 0},
        {SBX_ERR_INVALID, 2},
        {SBX_ERR_CONFIG, 2},
        {SBX_ERR_NOT_FOUND, 2},
        {SBX_ERR_EXISTS, 2},
        {SBX_ERR_CONFLICT, 2},
        {SBX_ERR_CANCELLED, 130},
    };
    size_t i;

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].code == code)
            return table[i].status;
    return 255;
}
