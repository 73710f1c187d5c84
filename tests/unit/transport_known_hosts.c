/* Lines, searches and additions, with OpenSSH (ssh-keygen -F, -H, -l) as the oracle. */
#include "support/unit.h"

#include "base/digest.h"
#include "base/path.h"
#include "base/str.h"
#include "transport/known_hosts.h"
#include "transport/known_hosts_line.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define BLOB_ROOM 128

static char folder[64];
static char file[96];

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/sbx-known-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(file, sizeof(file), "%s/known_hosts", folder);
}

static void remove_folder(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *const types[] = {"ssh-ed25519", "ssh-ed25519", "ssh-ed25519",
                                    "ssh-rsa"};

/* Key 0 to 3, each of the type above and unlike the others. */
static size_t blob_of(int key, unsigned char blob[BLOB_ROOM])
{
    size_t length = strlen(types[key]);

    memset(blob, 0, BLOB_ROOM);
    blob[3] = (unsigned char)length;
    memcpy(blob + 4, types[key], length);
    blob[4 + length + 3] = 32;
    memset(blob + 4 + length + 4, 'a' + key, 32);
    return 4 + length + 4 + 32;
}

/* "%0" in a text becomes "TYPE BASE64" of key 0. */
static char *expand(const char *text)
{
    SBI_AUTO_STR out = {0};
    char *result = NULL;

    for (; *text != '\0'; text++) {
        SBI_AUTOFREE char *base64 = NULL;
        unsigned char blob[BLOB_ROOM];
        int key = text[1] - '0';

        if (*text != '%') {
            sbi_str_add_bytes(&out, text, 1);
            continue;
        }
        ck_assert_int_eq(sbi_base64_encode(blob, blob_of(key, blob), &base64, NULL), 0);
        sbi_str_addf(&out, "%s %s", types[key], base64);
        text++;
    }
    ck_assert_int_eq(sbi_str_take(&out, &result, NULL), SBX_OK);
    return result;
}

static void write_text(const char *path, const char *text)
{
    SBI_AUTOFREE char *whole = expand(text);

    ck_assert_int_eq(sbi_path_write(path, whole, strlen(whole), 0600, NULL), SBX_OK);
}

static struct sbi_known_match look(const char *const *files, const char *host, int port,
                                   int key)
{
    struct sbi_known_match match = {0};
    unsigned char blob[BLOB_ROOM];
    size_t length = blob_of(key, blob);
    sbx_error err = {0};

    ck_assert_msg(sbi_known_hosts_check(files, host, port, types[key], blob, length,
                                        &match, &err) == SBX_OK,
                  "%s", err.text);
    return match;
}

static int add(const char *host, int port, int key, bool hashed, sbx_error *err)
{
    unsigned char blob[BLOB_ROOM];
    size_t length = blob_of(key, blob);

    return sbi_known_hosts_add(file, host, port, types[key], blob, length, hashed, err);
}

static char *run(const char *command, const char *argument)
{
    SBI_AUTO_STR out = {0};
    char *result = NULL, text[512];
    FILE *pipe;

    (void)snprintf(text, sizeof(text), command, argument, file);
    pipe = popen(text, "r");
    ck_assert_ptr_nonnull(pipe);
    while (fgets(text, sizeof(text), pipe) != NULL)
        sbi_str_add(&out, text);
    (void)pclose(pipe);
    ck_assert_int_eq(sbi_str_take(&out, &result, NULL), SBX_OK);
    return result;
}

/* Key 0 (ed25519) of `host` is looked for. */
static const struct {
    const char *text, *host;
    int port, known;
    int64_t line;
} cases[] = {
    {"", "a", 22, SBI_KNOWN_NOT, 0},
    {"a %0\n", "a", 22, SBI_KNOWN_OK, 1},
    {"a %0", "a", 22, SBI_KNOWN_OK, 1},
    {"a %0 comment of many words\r\n", "a", 22, SBI_KNOWN_OK, 1},
    {"a\t %0\r\n", "a", 22, SBI_KNOWN_OK, 1},
    {"\n# a %0\n  \t\n \ta %0\n", "a", 22, SBI_KNOWN_OK, 4},
    {"x,a,y %0\n", "a", 22, SBI_KNOWN_OK, 1},
    {"A.Example %0\n", "a.example", 22, SBI_KNOWN_OK, 1},
    {"a.* %0\n", "a.example", 22, SBI_KNOWN_OK, 1},
    {"*.e?ample %0\n", "a.example", 22, SBI_KNOWN_OK, 1},
    {"*.example,!a.example %0\n", "a.example", 22, SBI_KNOWN_NOT, 0},
    {"!a.example,*.example %0\n", "b.example", 22, SBI_KNOWN_OK, 1},
    {"!a %0\n", "b", 22, SBI_KNOWN_NOT, 0},
    {"[a]:22 %0\n", "a", 22, SBI_KNOWN_OK, 1},
    {"*,!a %0\n", "a", 22, SBI_KNOWN_NOT, 0},
    {"a %0\n", "a", 2222, SBI_KNOWN_NOT, 0},
    {"[a]:2222 %0\n", "a", 2222, SBI_KNOWN_OK, 1},
    {"[a]:2222 %0\n", "a", 22, SBI_KNOWN_NOT, 0},
    {"[*]:2222 %0\n", "a", 2222, SBI_KNOWN_OK, 1},
    {"* %0\n", "a", 2222, SBI_KNOWN_OK, 1},
    {"[::1]:2222,::1 %0\n", "::1", 22, SBI_KNOWN_OK, 1},
    {"a %1\n", "a", 22, SBI_KNOWN_CHANGED, 1},
    {"a %3\na %1\na %2\n", "a", 22, SBI_KNOWN_CHANGED, 2},
    {"a %1\na %0\n", "a", 22, SBI_KNOWN_OK, 2},
    {"a %3\n", "a", 22, SBI_KNOWN_OTHER, 1},
    {"@cert-authority * %1\n", "a", 22, SBI_KNOWN_CA, 1},
    {"@cert-authority * %0\n", "a", 22, SBI_KNOWN_CA, 1},
    {"@cert-authority *.x %1\n", "a", 22, SBI_KNOWN_NOT, 0},
    {"@cert-authority * %1\na %3\n", "a", 22, SBI_KNOWN_OTHER, 2},
    {"a %0\n@revoked a %0\n", "a", 22, SBI_KNOWN_REVOKED, 2},
    {"@revoked\t* %0\na %0\n", "a", 22, SBI_KNOWN_REVOKED, 1},
    {"a %0\n@revoked a %1\n", "a", 22, SBI_KNOWN_OK, 1},
    {"@revoked a %1\n", "a", 22, SBI_KNOWN_NOT, 0},
    {"@other a %0\n", "a", 22, SBI_KNOWN_NOT, 0},
    {"@revoked @cert-authority a %0\n", "a", 22, SBI_KNOWN_NOT, 0},
    {"a\na ssh-ed25519\na ssh-ed25519 AAAA\na ssh-ed25519 !!\n", "a", 22, SBI_KNOWN_NOT,
     0},
    {"|1|\n|1|a|b %0\n|1|| %0\n|2|x %0\n|1|YQ==|YQ== %0\na %0\n", "a", 22, SBI_KNOWN_OK,
     6},
    {",,a,, %0\n", "a", 22, SBI_KNOWN_OK, 1},
};

START_TEST(each_form_of_line_says_what_it_says_to_ssh)
{
    const char *files[] = {file, NULL};
    struct sbi_known_match match;

    make_folder();
    write_text(file, cases[_i].text);
    match = look(files, cases[_i].host, cases[_i].port, 0);
    ck_assert_msg(match.known == cases[_i].known, "%s -> %d", cases[_i].text,
                  match.known);
    ck_assert_int_eq(match.line, cases[_i].line);
    ck_assert((match.file == NULL) == (match.known == SBI_KNOWN_NOT));
    ck_assert((match.fingerprint == NULL) == (match.known == SBI_KNOWN_NOT));
    sbi_known_match_clear(&match);
    remove_folder();
}
END_TEST

START_TEST(a_missing_file_a_folder_and_a_fifo_say_nothing)
{
    char fifo[112];
    const char *files[] = {"/nonexistent/x", "/dev/null", folder, fifo, file, NULL};
    struct sbi_known_match match;

    make_folder();
    (void)snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    write_text(file, "a %0\n");
    match = look(files, "a", 22, 0);
    ck_assert_int_eq(match.known, SBI_KNOWN_OK);
    ck_assert_str_eq(match.file, file);
    sbi_known_match_clear(&match);
    match = look(NULL, "a", 22, 0);
    ck_assert_int_eq(match.known, SBI_KNOWN_NOT);
    remove_folder();
}
END_TEST

START_TEST(a_revocation_in_a_later_file_outweighs_a_match_in_an_earlier_one)
{
    char second[112];
    const char *files[] = {file, second, NULL};
    struct sbi_known_match match;

    make_folder();
    (void)snprintf(second, sizeof(second), "%s/second", folder);
    write_text(file, "a %1\n");
    write_text(second, "b %0\na %0\n");
    match = look(files, "a", 22, 0);
    ck_assert_int_eq(match.known, SBI_KNOWN_OK);
    ck_assert_str_eq(match.file, second);
    sbi_known_match_clear(&match);
    write_text(second, "@revoked a %0\n");
    write_text(file, "a %0\n");
    match = look(files, "a", 22, 0);
    ck_assert_int_eq(match.known, SBI_KNOWN_REVOKED);
    sbi_known_match_clear(&match);
    remove_folder();
}
END_TEST

START_TEST(a_line_over_64_kib_is_passed_over_and_a_file_over_8_mib_refused)
{
    const char *files[] = {file, NULL};
    SBI_AUTO_STR text = {0};
    struct sbi_known_match match = {0};
    unsigned char blob[BLOB_ROOM];
    size_t length = blob_of(0, blob);
    sbx_error err = {0};
    int i;

    make_folder();
    for (i = 0; i < 40000; i++)
        sbi_str_add(&text, "a,");
    sbi_str_add(&text, "a %0\n\na %0\n");
    write_text(file, text.data);
    match = look(files, "a", 22, 0);
    ck_assert_int_eq(match.line, 3);
    sbi_known_match_clear(&match);
    ck_assert_int_eq(truncate(file, 8 * 1024 * 1024 + 1), 0);
    ck_assert_int_eq(
        sbi_known_hosts_check(files, "a", 22, types[0], blob, length, &match, &err),
        SBX_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.text, file));
    ck_assert_ptr_null(match.file);
    remove_folder();
}
END_TEST

START_TEST(types_come_in_the_order_to_ask_for_and_marked_lines_give_none)
{
    const char *files[] = {file, NULL};
    SBI_AUTO_STRV found = NULL;

    make_folder();
    write_text(file, "a %3\nb %0\na x-new AAAABXgtbmV3YQ==\na %1\na %2\n"
                     "@cert-authority * %3\n");
    ck_assert_int_eq(sbi_known_hosts_types(files, "a", 22, &found, NULL), SBX_OK);
    ck_assert_uint_eq(sbi_strv_count((const char *const *)found), 3);
    ck_assert_str_eq(found[0], "ssh-ed25519");
    ck_assert_str_eq(found[1], "ssh-rsa");
    ck_assert_str_eq(found[2], "x-new");
    sbi_strv_clear(&found);
    ck_assert_int_eq(sbi_known_hosts_types(files, "c", 22, &found, NULL), SBX_OK);
    ck_assert_uint_eq(sbi_strv_count((const char *const *)found), 0);
    remove_folder();
}
END_TEST

static bool line_covers(const char *text, int64_t number, const char *host, int port)
{
    SBI_CLEANUP(sbi_known_name_clear) struct sbi_known_name name = {0};
    struct sbi_known_line line = {0};
    size_t offset = 0;
    bool covers = false;

    ck_assert_int_eq(sbi_known_name_set(&name, host, port, NULL), SBX_OK);
    while (sbi_known_line_next(text, strlen(text), &offset, &line))
        if (line.number == number)
            ck_assert_int_eq(sbi_known_line_covers(&line, &name, &covers, NULL), SBX_OK);
    return covers;
}

START_TEST(ssh_keygen_finds_the_same_lines)
{
    static const char *const hosts[] = {"a", "ab.c", "b.c", "10.0.0.1", "x", "ab"};
    static const char text[] = "a %0\n*.c %0\n?b.c %0\n!ab.c,*.c %0\n*.c,!b.c %0\n"
                               "[a]:2222 %0\n[*]:2222 %0\n[a*:2222 %0\n10.0.*.1 %0\n"
                               "** %0\n*b*c %0\na,,b.c %0\nAB.C %0\n[a] %0\n*]:* %0\n"
                               "a*b %0\n*a*b*c %0\n?? %0\n";
    SBI_AUTOFREE char *whole = expand(text);
    SBI_AUTOFREE char *found = NULL;
    int port = _i < 6 ? 22 : 2222;
    const char *host = hosts[_i % 6];
    char mark[64], name[64];
    int64_t line;

    make_folder();
    write_text(file, text);
    (void)snprintf(name, sizeof(name), port == 22 ? "%s" : "[%s]:%d", host, port);
    found = run("ssh-keygen -F '%s' -f '%s'", name);
    ck_assert_ptr_nonnull(strstr(found, "found: line 10"));
    for (line = 1; line <= 18; line++) {
        (void)snprintf(mark, sizeof(mark), "found: line %d ", (int)line);
        ck_assert_msg((strstr(found, mark) != NULL) ==
                          line_covers(whole, line, host, port),
                      "%s:%d line %d", host, port, (int)line);
    }
    remove_folder();
}
END_TEST

START_TEST(what_ssh_keygen_hashed_is_found_and_the_other_way_round)
{
    const char *files[] = {file, NULL};
    struct sbi_known_match match;
    SBI_AUTOFREE char *output = NULL;

    make_folder();
    write_text(file, "a.example %0\n[a.example]:2222 %1\n");
    output = run("ssh-keygen -q -H%s -f '%s' 2>&1", "");
    match = look(files, "a.example", 22, 0);
    ck_assert_int_eq(match.known, SBI_KNOWN_OK);
    sbi_known_match_clear(&match);
    match = look(files, "a.example", 2222, 1);
    ck_assert_int_eq(match.known, SBI_KNOWN_OK);
    sbi_known_match_clear(&match);

    ck_assert_int_eq(add("new.example", 2200, 2, true, NULL), SBX_OK);
    free(SBI_STEAL(output));
    output = run("ssh-keygen -F '%s' -f '%s'", "[new.example]:2200");
    ck_assert_ptr_nonnull(strstr(output, "found: line 3"));
    ck_assert_ptr_nonnull(strstr(output, "|1|"));
    ck_assert_int_eq(add("new.example", 22, 2, true, NULL), SBX_OK);
    match = look(files, "new.example", 22, 2);
    ck_assert_int_eq(match.line, 4);
    sbi_known_match_clear(&match);
    remove_folder();
}
END_TEST

START_TEST(a_fingerprint_is_that_of_ssh_keygen)
{
    SBI_AUTOFREE char *output = NULL;
    SBI_AUTOFREE char *print = NULL;
    unsigned char blob[BLOB_ROOM];

    make_folder();
    write_text(file, "a %1\n");
    output = run("ssh-keygen -l%s -f '%s'", "");
    ck_assert_int_eq(sbi_key_fingerprint(blob, blob_of(1, blob), &print, NULL), SBX_OK);
    ck_assert_uint_eq(strlen(print), strlen("SHA256:") + 43);
    ck_assert_ptr_nonnull(strstr(output, print));
    remove_folder();
}
END_TEST

START_TEST(an_added_line_makes_folder_and_file_for_this_user_alone)
{
    struct stat info;
    SBI_AUTOFREE char *want = expand("a %0\n[a]:2222 %3\n");
    SBI_AUTOFREE char *text = NULL;
    size_t length;

    make_folder();
    (void)snprintf(file, sizeof(file), "%s/new/.ssh/known_hosts", folder);
    ck_assert_int_eq(add("a", 22, 0, false, NULL), SBX_OK);
    ck_assert_int_eq(add("a", 2222, 3, false, NULL), SBX_OK);
    ck_assert_int_eq(add("a", 22, 0, true, NULL), SBX_OK);
    ck_assert_int_eq(sbi_path_read(file, 4096, &text, &length, NULL), SBX_OK);
    ck_assert_str_eq(text, want);
    ck_assert_int_eq(stat(file, &info), 0);
    ck_assert_int_eq(info.st_mode & 07777, 0600);
    (void)snprintf(file, sizeof(file), "%s/new/.ssh", folder);
    ck_assert_int_eq(stat(file, &info), 0);
    ck_assert_int_eq(info.st_mode & 07777, 0700);
    remove_folder();
}
END_TEST

START_TEST(a_last_line_without_its_end_is_ended_first)
{
    const char *files[] = {file, NULL};
    struct sbi_known_match match;

    make_folder();
    write_text(file, "a %0");
    ck_assert_int_eq(add("b", 22, 1, false, NULL), SBX_OK);
    match = look(files, "b", 22, 1);
    ck_assert_int_eq(match.line, 2);
    sbi_known_match_clear(&match);
    remove_folder();
}
END_TEST

START_TEST(a_changed_or_revoked_key_and_a_name_that_is_a_pattern_are_not_added)
{
    static const char *const names[] = {"",   "a b", "a,b",  "*",   "!a", "a?",
                                        "#a", "@a",  "|1|a", "a\n", "a\t"};
    sbx_error err = {0};
    size_t i;

    make_folder();
    write_text(file, "a %0\n@revoked b %0\n");
    ck_assert_int_eq(add("a", 22, 1, false, &err), SBX_ERR_HOST_KEY);
    ck_assert_ptr_nonnull(strstr(err.text, "line 1 has another key"));
    ck_assert_int_eq(add("b", 22, 0, false, &err), SBX_ERR_HOST_KEY);
    ck_assert_ptr_nonnull(strstr(err.text, "line 2 revokes this key"));
    ck_assert_int_eq(add("a", 22, 3, false, &err), SBX_OK);
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        ck_assert_int_eq(add(names[i], 22, 0, false, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(
        sbi_known_hosts_add(file, "c", 22, "ssh-rsa", "xxxx", 4, false, &err),
        SBX_ERR_INVALID);
    remove_folder();
}
END_TEST

START_TEST(fifty_first_contacts_at_once_leave_each_line_once_and_whole)
{
    static const char *const hosts[] = {"h0", "h1", "h2", "h3", "h4"};
    const char *files[] = {file, NULL};
    SBI_AUTOFREE char *text = NULL;
    size_t length, i, lines = 0;

    make_folder();
    (void)snprintf(file, sizeof(file), "%s/new/known_hosts", folder);
    for (i = 0; i < 50; i++)
        if (fork() == 0)
            _exit(-add(hosts[i % 5], 22, (int)(i % 5) % 4, i % 2 == 0, NULL));
    for (i = 0; i < 50; i++) {
        int status = -1;

        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(sbi_path_read(file, 65536, &text, &length, NULL), SBX_OK);
    for (i = 0; i < length; i++)
        lines += text[i] == '\n';
    ck_assert_uint_eq(lines, 5);
    for (i = 0; i < 5; i++) {
        struct sbi_known_match match = look(files, hosts[i], 22, (int)i % 4);

        ck_assert_int_eq(match.known, SBI_KNOWN_OK);
        sbi_known_match_clear(&match);
    }
    remove_folder();
}
END_TEST

void unit_add(TCase *tests)
{
    int count = (int)(sizeof(cases) / sizeof(cases[0]));

    tcase_add_loop_test(tests, each_form_of_line_says_what_it_says_to_ssh, 0, count);
    tcase_add_test(tests, a_missing_file_a_folder_and_a_fifo_say_nothing);
    tcase_add_test(tests,
                   a_revocation_in_a_later_file_outweighs_a_match_in_an_earlier_one);
    tcase_add_test(tests,
                   a_line_over_64_kib_is_passed_over_and_a_file_over_8_mib_refused);
    tcase_add_test(tests, types_come_in_the_order_to_ask_for_and_marked_lines_give_none);
    tcase_add_loop_test(tests, ssh_keygen_finds_the_same_lines, 0, 12);
    tcase_add_test(tests, what_ssh_keygen_hashed_is_found_and_the_other_way_round);
    tcase_add_test(tests, a_fingerprint_is_that_of_ssh_keygen);
    tcase_add_test(tests, an_added_line_makes_folder_and_file_for_this_user_alone);
    tcase_add_test(tests, a_last_line_without_its_end_is_ended_first);
    tcase_add_test(tests,
                   a_changed_or_revoked_key_and_a_name_that_is_a_pattern_are_not_added);
    tcase_add_test(tests, fifty_first_contacts_at_once_leave_each_line_once_and_whole);
}
