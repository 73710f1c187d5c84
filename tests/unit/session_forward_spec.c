/* session_forward_spec.c - tests of the texts of forwards. */
#include "support/unit.h"

#include "session/forward_spec.h"

#include <string.h>

struct row {
    int kind;
    const char *text;
    const char *listen; /* NULL: it is refused */
    const char *target;
};

static const struct row rows[] = {
    {SBX_FORWARD_LOCAL, "8080:host:80", "localhost:8080", "host:80"},
    {SBX_FORWARD_LOCAL, "0:host:80", "localhost:0", "host:80"},
    {SBX_FORWARD_LOCAL, "*:8080:host:80", "*:8080", "host:80"},
    {SBX_FORWARD_LOCAL, ":8080:host:80", "*:8080", "host:80"},
    {SBX_FORWARD_LOCAL, "127.0.0.2:8080:host:80", "127.0.0.2:8080", "host:80"},
    {SBX_FORWARD_LOCAL, "[::1]:8080:[fe80::1%eth0]:80", "[::1]:8080",
     "[fe80::1%eth0]:80"},
    {SBX_FORWARD_LOCAL, "8080:/run/a", "localhost:8080", "/run/a"},
    {SBX_FORWARD_LOCAL, "h:8080:/run/a", "h:8080", "/run/a"},
    {SBX_FORWARD_LOCAL, "/run/b:host:80", "/run/b", "host:80"},
    {SBX_FORWARD_LOCAL, "/run/b:/run/a", "/run/b", "/run/a"},
    {SBX_FORWARD_LOCAL, "", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:80", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:host:", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080::80", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:host:0", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:host:65536", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:host:http", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:-host:80", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:ho st:80", NULL, NULL},
    {SBX_FORWARD_LOCAL, "8080:[::1:80", NULL, NULL},
    {SBX_FORWARD_LOCAL, "a:b:c:d:e", NULL, NULL},
    {SBX_FORWARD_LOCAL, "/run/b\n:host:80", NULL, NULL},
    {SBX_FORWARD_LOCAL, "/run/b:8080:host:80", NULL, NULL},
    {SBX_FORWARD_REMOTE, "9000:localhost:9000", "localhost:9000", "localhost:9000"},
    {SBX_FORWARD_REMOTE, "9000:/run/a", "localhost:9000", "/run/a"},
    {SBX_FORWARD_REMOTE, "/run/b:localhost:9000", NULL, NULL},
    {SBX_FORWARD_SOCKS, "1080", "localhost:1080", NULL},
    {SBX_FORWARD_SOCKS, "[::]:1080", "[::]:1080", NULL},
    {SBX_FORWARD_SOCKS, "/run/s", "/run/s", NULL},
    {SBX_FORWARD_SOCKS, "1080:host:80", NULL, NULL},
};

START_TEST(a_text_says_what_leads_where)
{
    SBI_CLEANUP(sbi_forward_spec_clear) struct sbi_forward_spec spec = {0};
    const struct row *row = &rows[_i];
    SBI_AUTO_STR listen = {0};
    SBI_AUTO_STR target = {0};
    sbx_error err = {0};
    int rc = sbi_forward_parse(row->kind, row->text, &spec, &err);

    if (row->listen == NULL) {
        ck_assert_int_eq(rc, SBX_ERR_INVALID);
        ck_assert_str_ne(err.fix, "");
        return;
    }
    ck_assert_msg(rc == SBX_OK, "%s: %s", row->text, err.text);
    sbi_forward_add_end(&listen, &spec.listen);
    ck_assert_str_eq(listen.data, row->listen);
    if (row->target != NULL) {
        sbi_forward_add_end(&target, &spec.target);
        ck_assert_str_eq(target.data, row->target);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, a_text_says_what_leads_where, 0,
                        (int)(sizeof(rows) / sizeof(rows[0])));
}
