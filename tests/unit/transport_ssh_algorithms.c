/* Lists of algorithms; what ssh -G prints for the same words is the pattern. */
#include "support/unit.h"

#include "transport/ssh_algorithms.h"

#include <libssh/libssh.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *said, *list; /* list NULL: nothing is left */
} rows[] = {
    {NULL, "a,b1,b2"},   {"x", "x"},
    {"x,y", "x,y"},      {"x,x", "x"},
    {"+x", "a,b1,b2,x"}, {"+a,x", "a,b1,b2,x"},
    {"^b2", "b2,a,b1"},  {"^x,a", "x,a,b1,b2"},
    {"-a", "b1,b2"},     {"-b*", "a"},
    {"-b?,x", "a"},      {"-z", "a,b1,b2"},
    {"-*", NULL},        {"+", "a,b1,b2"},
    {"x, y", "x,y"},     {",,x,,", "x"},
    {",", NULL},
};

START_TEST(a_list_is_laid_over_the_defaults)
{
    char *list = NULL;
    sbx_error err = {0};
    int rc = sbi_ssh_algorithms(rows[_i].said, "a,b1,b2", &list, &err);

    if (rows[_i].list == NULL) {
        ck_assert_int_eq(rc, SBX_ERR_CONFIG);
        ck_assert_ptr_null(list);
    } else {
        ck_assert_int_eq(rc, SBX_OK);
        ck_assert_str_eq(list, rows[_i].list);
    }
    free(list);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_passed_over)
{
    char said[600];
    char *list = NULL;

    memset(said, 'x', sizeof(said));
    memcpy(said + sizeof(said) - 3, ",y", 3);
    ck_assert_int_eq(sbi_ssh_algorithms(said, "a", &list, NULL), SBX_OK);
    ck_assert_str_eq(list, "y");
    free(list);
}
END_TEST

START_TEST(libssh_knows_all_our_defaults)
{
    static const struct {
        enum ssh_options_e option;
        const char *list;
    } lists[] = {
        {SSH_OPTIONS_CIPHERS_C_S, SBI_DEFAULT_CIPHERS},
        {SSH_OPTIONS_HMAC_C_S, SBI_DEFAULT_MACS},
        {SSH_OPTIONS_KEY_EXCHANGE, SBI_DEFAULT_KEX},
        {SSH_OPTIONS_HOSTKEYS, SBI_DEFAULT_HOST_KEYS},
        {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, SBI_DEFAULT_PUBKEY},
    };
    char *copy = strdup(lists[_i].list), *rest = copy, *name;
    ssh_session session = ssh_new();

    while ((name = strsep(&rest, ",")) != NULL)
        ck_assert_msg(ssh_options_set(session, lists[_i].option, name) == SSH_OK, "%s",
                      name);
    ssh_free(session);
    free(copy);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, a_list_is_laid_over_the_defaults, 0,
                        (int)(sizeof(rows) / sizeof(rows[0])));
    tcase_add_test(tests, a_name_that_is_too_long_is_passed_over);
    tcase_add_loop_test(tests, libssh_knows_all_our_defaults, 0, 5);
}
