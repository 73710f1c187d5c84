/*
 * exec_terminal_test.c - a command's terminal follows the size it is told, and hangs
 * up when it is let go of.
 */
#include "support/ask.h"
#include "support/places.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* A window that is another as soon as the command prints "ready"; then Enter is hit. */
struct window {
    char seen[4096];
    size_t length;
    int bell;
    int64_t rows;
    int64_t columns;
    int keyboard;
    int asked;
};

static int ring_when_ready(int stream, const void *data, size_t length, void *userdata)
{
    const uint64_t one = 1;
    struct window *window = userdata;
    size_t room = sizeof(window->seen) - 1 - window->length;

    ck_assert_int_eq(stream, SBX_EXEC_STDOUT);
    ck_assert_uint_lt(length, room);
    memcpy(window->seen + window->length, data, length);
    window->length += length;
    if (window->bell >= 0 && strstr(window->seen, "ready") != NULL) {
        ck_assert_int_eq(write(window->bell, &one, sizeof(one)), sizeof(one));
        memset(window->seen, '-', window->length);
    }
    return 0;
}

static void tell_size(int64_t *rows, int64_t *columns, void *userdata)
{
    struct window *window = userdata;

    window->asked++;
    *rows = window->rows;
    *columns = window->columns;
    ck_assert_int_eq(write(window->keyboard, "\n", 1), 1);
}

static sbx_exec_result *ask_in_window(int place, struct window *window,
                                      const char *command)
{
    sbx_session *session = place_open(place);
    sbx_exec_result *result;
    int keys[2];

    ck_assert_int_eq(pipe(keys), 0);
    window->keyboard = keys[1];
    result = ask(session, command,
                 &SBX_OPTS(sbx_exec_opts,
                           .flags = SBX_EXEC_PTY | SBX_EXEC_RESIZE_FD | SBX_EXEC_INPUT_FD,
                           .pty_rows = 20, .pty_columns = 90, .timeout_ms = 30000,
                           .input_fd = keys[0], .on_output = ring_when_ready,
                           .userdata = window, .resize_fd = window->bell,
                           .terminal_size = tell_size));
    (void)close(keys[0]);
    (void)close(keys[1]);
    sbx_session_free(session);
    return result;
}

/* The key is sent behind the size: who reads it has the new one. */
static const char across_a_change[] =
    "trap 'echo told' WINCH; stty size; echo ready; read -r x; stty size";

START_TEST(the_terminal_becomes_as_large_as_it_is_told)
{
    struct window window = {.bell = eventfd(0, EFD_CLOEXEC), .rows = 50, .columns = 132};
    sbx_exec_result *result = ask_in_window(_i, &window, across_a_change);

    expect_exit(result, 0);
    ck_assert_ptr_nonnull(strstr(result->output, "20 90"));
    ck_assert_ptr_nonnull(strstr(result->output, "told"));
    ck_assert_ptr_nonnull(strstr(result->output, "50 132"));
    ck_assert_int_eq(window.asked, 1);
    sbx_exec_result_free(result);
    (void)close(window.bell);
}
END_TEST

START_TEST(a_size_that_cannot_be_changes_nothing)
{
    static const int64_t sizes[][2] = {{0, 0}, {-1, 80}, {70000, 80}, {24, 65536}};
    size_t i;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct window window = {
            .bell = eventfd(0, EFD_CLOEXEC), .rows = sizes[i][0], .columns = sizes[i][1]};
        sbx_exec_result *result =
            ask_in_window(_i, &window, "echo ready; read -r x; stty size");

        expect_exit(result, 0);
        ck_assert_int_eq(window.asked, 1);
        ck_assert_ptr_nonnull(strstr(result->output, "20 90"));
        sbx_exec_result_free(result);
        (void)close(window.bell);
    }
}
END_TEST

START_TEST(a_window_that_is_closed_is_not_asked_again)
{
    struct window window = {.rows = 50, .columns = 132};
    sbx_exec_result *result;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    (void)close(ends[1]);
    window.bell = ends[0];
    result = ask_in_window(_i, &window, "stty size");
    expect_exit(result, 0);
    ck_assert_int_eq(window.asked, 0);
    ck_assert_ptr_nonnull(strstr(result->output, "20 90"));
    sbx_exec_result_free(result);
    (void)close(ends[0]);
}
END_TEST

START_TEST(a_window_needs_a_terminal_an_open_descriptor_and_a_size)
{
    const sbx_exec_opts rows[] = {
        {.flags = SBX_EXEC_RESIZE_FD, .terminal_size = tell_size},
        {.flags = SBX_EXEC_RESIZE_FD | SBX_EXEC_PTY},
        {.flags = SBX_EXEC_RESIZE_FD | SBX_EXEC_PTY,
         .resize_fd = -1,
         .terminal_size = tell_size},
        {.flags = SBX_EXEC_RESIZE_FD | SBX_EXEC_PTY,
         .resize_fd = INT64_C(1) << 32,
         .terminal_size = tell_size},
    };
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = NULL;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sbx_exec_opts opts = rows[i];

        opts.size = sizeof(opts);
        ck_assert_int_eq(sbx_exec_shell(session, "true", &opts, &result, NULL),
                         SBX_ERR_INVALID);
    }
    ck_assert_ptr_null(result);
    sbx_session_free(session);
}
END_TEST

/* A caller of the time before resize_fd has a shorter struct. */
START_TEST(a_shorter_struct_of_an_older_caller_is_taken)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = {.size = offsetof(sbx_exec_opts, resize_fd),
                          .resize_fd = -7,
                          .flags = SBX_EXEC_PTY};
    sbx_exec_result *result = ask(session, "stty size", &opts);

    expect_exit(result, 0);
    ck_assert_ptr_nonnull(strstr(result->output, "24 80"));
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

struct call {
    sbx_cancel *cancel;
    char seen[4096];
    size_t length;
};

static int cancel_when_ready(int stream, const void *data, size_t length, void *userdata)
{
    struct call *call = userdata;

    (void)stream;
    ck_assert_uint_lt(call->length + length, sizeof(call->seen));
    memcpy(call->seen + call->length, data, length);
    call->length += length;
    if (strstr(call->seen, "ready") != NULL)
        sbx_cancel_fire(call->cancel);
    return 0;
}

/* What heeds no hangup is what a person left behind on purpose: tmux, nohup. */
START_TEST(a_cancel_that_hangs_up_ends_what_heeds_a_hangup_only)
{
    static const char command[] =
        "trap '' HUP; sleep 300 & echo leaves $!; trap - HUP; "
        "sleep 300 & echo takes $!; echo is $$; echo ready; wait";
    sbx_session *session = place_open(_i);
    struct call call = {0};
    sbx_exec_result *result;
    pid_t left;

    ck_assert_int_eq(sbx_cancel_new(&call.cancel, NULL), SBX_OK);
    result = ask(
        session, command,
        &SBX_OPTS(sbx_exec_opts,
                  .flags = SBX_EXEC_PTY | SBX_EXEC_HANG_UP | SBX_EXEC_DETACH_ON_HANGUP,
                  .on_output = cancel_when_ready, .userdata = &call,
                  .cancel = call.cancel));
    ck_assert_int_eq(result->end, SBX_EXEC_CANCELLED);
    ck_assert_int_eq(result->confirmed_dead, 0);
    ck_assert_uint_eq(result->survivor_count, 0);

    left = pid_after(call.seen, "leaves ");
    ck_assert_int_gt(left, 0);
    ck_assert(is_gone_within(pid_after(call.seen, "is "), 10000));
    ck_assert(is_gone_within(pid_after(call.seen, "takes "), 10000));
    sbx_session_free(session);
    ck_assert(!is_gone_within(left, 2500)); /* a watchdog would have looked by now */
    (void)kill(left, SIGKILL);
    sbx_exec_result_free(result);
    sbx_cancel_free(call.cancel);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, SH);
    tcase_add_loop_test(tests, the_terminal_becomes_as_large_as_it_is_told, LOCAL, SH);
    tcase_add_loop_test(tests, a_size_that_cannot_be_changes_nothing, LOCAL, CHROOT);
    tcase_add_loop_test(tests, a_window_that_is_closed_is_not_asked_again, LOCAL, CHROOT);
    tcase_add_loop_test(tests, a_window_needs_a_terminal_an_open_descriptor_and_a_size,
                        LOCAL, BASH);
    tcase_add_loop_test(tests, a_shorter_struct_of_an_older_caller_is_taken, LOCAL,
                        CHROOT);
    tcase_add_loop_test(tests, a_cancel_that_hangs_up_ends_what_heeds_a_hangup_only,
                        LOCAL, CHROOT);
}
