/* transport_mux_frame.c - tests of the frames of the multiplexing protocol. */
#include "support/unit.h"

#include "transport/mux_frame.h"

#include <string.h>

#define BYTES(text) text, sizeof(text) - 1

static bool is(struct sbi_mux_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.data, word, text.length) == 0;
}

START_TEST(what_is_added_is_as_the_protocol_has_it)
{
    static const char hello[] = "\0\0\0\x08\0\0\0\x01\0\0\0\x04";
    const uint32_t version = SBI_MUX_VERSION;
    SBI_AUTO_STR text = {0};

    sbi_mux_add(&text, SBI_MUX_HELLO, &version, 1, NULL);
    ck_assert_uint_eq(text.length, sizeof(hello) - 1);
    ck_assert_mem_eq(text.data, hello, text.length);
}
END_TEST

START_TEST(a_session_comes_out_as_it_went_in)
{
    const struct sbi_mux_session session = {.id = 7,
                                            .terminal = true,
                                            .term = "xterm",
                                            .command = "a b",
                                            .env = {"A=x", "B=y"}};
    struct sbi_mux_message message;
    struct sbi_mux_text one;
    SBI_AUTO_STR text = {0};
    size_t used;

    sbi_mux_add_session(&text, &session);
    ck_assert_int_eq(sbi_mux_parse(text.data, text.length, &message, &used),
                     SBI_MUX_WHOLE);
    ck_assert_uint_eq(used, text.length);
    ck_assert_int_eq(message.type, SBI_MUX_NEW_SESSION);
    ck_assert_uint_eq(message.id, 7);
    ck_assert(message.terminal && !message.subsystem);
    ck_assert(is(message.term, "xterm") && is(message.command, "a b"));
    ck_assert(sbi_mux_next_env(&message.env, &one) && is(one, "A=x"));
    ck_assert(sbi_mux_next_env(&message.env, &one) && is(one, "B=y"));
    ck_assert(!sbi_mux_next_env(&message.env, &one));
}
END_TEST

START_TEST(every_cut_of_a_frame_is_a_part)
{
    SBI_AUTO_STR text = {0};
    struct sbi_mux_message message;
    size_t length, used;

    sbi_mux_add_forward(&text, "host", 22);
    for (length = 0; length < text.length; length++)
        ck_assert_int_eq(sbi_mux_parse(text.data, length, &message, &used), SBI_MUX_PART);
    ck_assert_int_eq(sbi_mux_parse(text.data, length, &message, &used), SBI_MUX_WHOLE);
    ck_assert(is(message.command, "host") && message.value == 22);
}
END_TEST

START_TEST(frames_that_lie_are_broken)
{
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {
        {BYTES("\0\0\0\x03\0\0\0")},     /* no room for a type */
        {BYTES("\x7f\xff\xff\xff")},     /* longer than any */
        {BYTES("\0\0\0\x04\0\0\0\x01")}, /* a hello without its version */
        {BYTES("\0\0\0\x0c\x80\0\0\x03\0\0\0\0\0\0\0\x01")},   /* a reason that is cut */
        {BYTES("\0\0\0\x0d\x80\0\0\x03\0\0\0\0\0\0\0\x01\0")}, /* a NUL in one */
    };
    struct sbi_mux_message message;
    size_t i, used;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ck_assert_msg(sbi_mux_parse(cases[i].bytes, cases[i].length, &message, &used) ==
                          SBI_MUX_BROKEN,
                      "case %zu", i);
}
END_TEST

START_TEST(a_type_that_is_not_known_can_be_refused)
{
    struct sbi_mux_message message;
    size_t used;

    ck_assert_int_eq(
        sbi_mux_parse(BYTES("\0\0\0\x0a\x10\0\0\x0f\0\0\0\x09xx"), &message, &used),
        SBI_MUX_WHOLE);
    ck_assert_int_eq(message.type, 0x1000000f);
    ck_assert_uint_eq(message.id, 9);
}
END_TEST

START_TEST(a_command_over_the_limit_makes_no_frame)
{
    SBI_AUTO_STR text = {0};
    struct sbi_mux_session session = {.term = ""};
    SBI_AUTOFREE char *command = malloc(SBI_MUX_LONGEST + 1);

    ck_assert_ptr_nonnull(command);
    memset(command, 'x', SBI_MUX_LONGEST);
    command[SBI_MUX_LONGEST] = '\0';
    session.command = command;
    sbi_mux_add_session(&text, &session);
    ck_assert_int_eq(text.status, SBX_ERR_LIMIT);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, what_is_added_is_as_the_protocol_has_it);
    tcase_add_test(tests, a_session_comes_out_as_it_went_in);
    tcase_add_test(tests, every_cut_of_a_frame_is_a_part);
    tcase_add_test(tests, frames_that_lie_are_broken);
    tcase_add_test(tests, a_type_that_is_not_known_can_be_refused);
    tcase_add_test(tests, a_command_over_the_limit_makes_no_frame);
}
