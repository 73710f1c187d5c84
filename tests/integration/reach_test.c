/* reach_test.c - may connections go through a server, and does anything take them there?
 */
#include "support/bed.h"
#include "support/unit.h"

#include <stdio.h>
#include <string.h>

static void make(void)
{
    bed_make((const char *const[]){"PermitOpen 127.0.0.1:1 127.0.0.1:2", NULL});
}

START_TEST(a_port_that_nobody_listens_on_is_told_from_one_that_is_forbidden)
{
    sbx_session *session = bed_open_straight();
    sbx_error err = {0};
    char begin[128];

    ck_assert_int_eq(sbx_session_reach(session, "127.0.0.1", 1, 0, NULL, &err),
                     SBX_ERR_CONNECT);
    (void)snprintf(begin, sizeof(begin),
                   "reach '127.0.0.1' port 1 from '%s': ", sbx_session_place(session));
    ck_assert_msg(strncmp(err.text, begin, strlen(begin)) == 0, "%s", err.text);
    ck_assert_int_eq(sbx_session_reach(session, "127.0.0.1", 3, 0, NULL, &err),
                     SBX_ERR_UNSUPPORTED);
    ck_assert_str_eq(err.check, "tcp-forwarding");
    ck_assert_str_ne(err.fix, "");
    sbx_session_free(session);
}
END_TEST

START_TEST(a_port_that_is_listened_on_is_reached_and_let_go_of)
{
    sbx_session *session;
    sbx_error err = {0};
    int i;

    bed_unmake();
    bed_make(NULL);
    session = bed_open_straight();
    for (i = 0; i < 30; i++)
        ck_assert_msg(sbx_session_reach(session, "localhost", bed.port, 0, NULL, &err) ==
                          SBX_OK,
                      "%s", err.text);
    sbx_session_free(session);
    bed_unmake();
}
END_TEST

START_TEST(bad_arguments_and_this_machine_are_refused)
{
    sbx_session *session = NULL;
    sbx_hosts *hosts = NULL;

    ck_assert_int_eq(sbx_hosts_parse("[]", 2, NULL, &hosts, NULL), SBX_OK);
    ck_assert_int_eq(sbx_session_open(hosts, "local", NULL, &session, NULL), SBX_OK);
    ck_assert_int_eq(sbx_session_reach(session, "localhost", 22, 0, NULL, NULL),
                     SBX_ERR_UNSUPPORTED);
    ck_assert_int_eq(sbx_session_reach(session, "", 22, 0, NULL, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_session_reach(session, "a", 0, 0, NULL, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_session_reach(session, "a", 65536, 0, NULL, NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_session_reach(session, "a", 22, -1, NULL, NULL),
                     SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_session_reach(NULL, "a", 22, 0, NULL, NULL), SBX_ERR_INVALID);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_add_test(tests,
                   a_port_that_nobody_listens_on_is_told_from_one_that_is_forbidden);
    tcase_add_test(tests, a_port_that_is_listened_on_is_reached_and_let_go_of);
    tcase_add_test(tests, bad_arguments_and_this_machine_are_refused);
}
