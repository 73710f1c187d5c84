/* Passwords, questions and chains of proofs, against a server of libssh's that plays
 * them. */
#include "support/ask.h"
#include "support/helper.h"

#include "base/clock.h"

#include <sandbox/session.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINES 64

static struct {
    struct helper helper;
    int port;
    char folder[64];
} server;

static char heard[MOST_LINES][40];
static size_t heard_count;

static void start_server(void)
{
    const char *argv[] = {helper_program("prog_ssh_server"), NULL};
    char line[32];

    (void)snprintf(server.folder, sizeof(server.folder), "/tmp/sbx-auth-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(server.folder));
    helper_start(&server.helper, argv);
    helper_hear(&server.helper, line, sizeof(line));
    server.port = (int)strtol(line, NULL, 10);
    heard_count = 0;
    (void)unsetenv("SSH_AUTH_SOCK");
}

static void stop_server(void)
{
    char command[128];

    helper_end(&server.helper);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", server.folder);
    ck_assert_int_eq(system(command), 0);
}

static void hear(void)
{
    heard_count = 0;
    while (heard_count < MOST_LINES && helper_has_said(&server.helper))
        helper_hear(&server.helper, heard[heard_count++], sizeof(heard[0]));
}

static size_t times(const char *method)
{
    size_t i, count = 0;

    for (i = 0; i < heard_count; i++)
        count += strcmp(heard[i], method) == 0;
    return count;
}

/* Logs in as user by an entry with these further keys, under these lines of ssh_config.
 */
static int log_in(const char *user, const char *keys, const char *config,
                  sbx_prompt_fn prompt, void *userdata, sbx_error *err)
{
    char file[96], json[4096];
    sbx_session *session = NULL;
    sbx_hosts *hosts = NULL;
    FILE *text;
    int rc;

    (void)snprintf(file, sizeof(file), "%s/config", server.folder);
    text = fopen(file, "we");
    ck_assert_ptr_nonnull(text);
    (void)fprintf(text,
                  "%s\nIdentityFile none\nUserKnownHostsFile /dev/null\n"
                  "GlobalKnownHostsFile /dev/null\nStrictHostKeyChecking no\n",
                  config);
    (void)fclose(text);
    (void)snprintf(
        json, sizeof(json),
        "{\"name\":\"h\",\"host\":\"127.0.0.1\",\"port\":%d,\"user\":\"%s\"%s}",
        server.port, user, keys);
    memset(err, 0, sizeof(*err));
    rc = sbx_hosts_parse(json, strlen(json),
                         &SBX_OPTS(sbx_hosts_opts, .ssh_config = file), &hosts, err);
    ck_assert_msg(rc == SBX_OK, "%s", err->text);
    rc = sbx_session_open(hosts, "h",
                          &SBX_OPTS(sbx_session_opts, .connect_timeout_ms = 20000,
                                    .prompt = prompt, .userdata = userdata),
                          &session, err);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
    hear();
    return rc;
}

static void must_log_in(const char *user, const char *keys, const char *config)
{
    sbx_error err;

    ck_assert_msg(log_in(user, keys, config, NULL, NULL, &err) == SBX_OK, "%s: %s", user,
                  err.text);
}

static void must_fail(const char *user, const char *keys, const char *config,
                      const char *words, const char *fix)
{
    sbx_error err;

    ck_assert_int_eq(log_in(user, keys, config, NULL, NULL, &err), SBX_ERR_AUTH);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
    ck_assert_msg(strstr(err.fix, fix) != NULL, "%s", err.fix);
}

static const char *user_of(const char *password)
{
    static char user[600];
    size_t length = 1;

    user[0] = 'p';
    for (; *password != '\0'; password++, length += 2)
        (void)snprintf(user + length, sizeof(user) - length, "%02x",
                       (unsigned char)*password);
    return user;
}

/* The entry's key with that value, escaped for JSON. */
static const char *key_of(const char *key, const char *value)
{
    static char text[1400];
    size_t length;

    length = (size_t)snprintf(text, sizeof(text), ",\"%s\":\"", key);
    for (; *value != '\0'; value++)
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length,
                             *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
    (void)snprintf(text + length, sizeof(text) - length, "\"");
    return text;
}

START_TEST(passwords_of_any_bytes_let_in)
{
    static const char *const passwords[] = {
        "x",
        " ",
        "'",
        "\"",
        "$HOME",
        "#no comment",
        "-leading",
        "`id`",
        "\\",
        "a\\nb",
        "%s%n",
        "*",
        "?",
        "~",
        "!",
        "{}",
        "Gr\xc3\xbc\xc3\x9f"
        "e",
        "\xf0\x9f\x94\x91",
        "  blanks at both ends  ",
        "of seventy-two characters and then some: 34567890123456789012345678901234567890"
        "1234567890",
    };
    size_t i;

    for (i = 0; i < sizeof(passwords) / sizeof(passwords[0]); i++)
        must_log_in(user_of(passwords[i]), key_of("password", passwords[i]), "");
}
END_TEST

static void random_password(unsigned *seed, char *password)
{
    static const char *const letters[] = {
        "a",  "Z", "0", "9", "'", "\"", "$", "#",        "-",
        "\\", "`", "!", "%", "&", "*",  "(", ")",        " ",
        ";",  "<", ">", "|", "~", "?",  "/", "\xc3\xa4", "\xe2\x82\xac"};
    unsigned length = 1 + (unsigned)rand_r(seed) % 80;
    char *end = password;

    for (*end = '\0'; length > 0; length--)
        end = stpcpy(
            end,
            letters[(unsigned)rand_r(seed) % (sizeof(letters) / sizeof(letters[0]))]);
}

START_TEST(two_hundred_random_passwords_let_in)
{
    unsigned seed = (unsigned)_i + 1;
    char password[256];
    int i;

    for (i = 0; i < 50; i++) {
        random_password(&seed, password);
        must_log_in(user_of(password), key_of("password", password), "");
        ck_assert_uint_eq(times("password"), 1);
    }
}
END_TEST

START_TEST(a_password_comes_from_a_file_or_a_command)
{
    const char *password = "it's -$1 \\ \"x\" #";
    char file[96], command[256];
    FILE *text;

    (void)snprintf(file, sizeof(file), "%s/password", server.folder);
    text = fopen(file, "we");
    ck_assert_ptr_nonnull(text);
    (void)fprintf(text, "%s\r\nsecond line\n", password);
    (void)fclose(text);
    ck_assert_int_eq(chmod(file, 0640), 0);
    must_fail(user_of(password), key_of("password_file", file), "",
              "it holds secrets, and is open to others (0640)", "chmod 600 ");
    ck_assert_uint_eq(times("password"), 0);
    ck_assert_int_eq(chmod(file, 0600), 0);
    must_log_in(user_of(password), key_of("password_file", file), "");
    (void)snprintf(command, sizeof(command), "cat '%s'", file);
    must_log_in(user_of(password), key_of("password_command", command), "");
    ck_assert_uint_eq(times("password"), 1);
}
END_TEST

START_TEST(a_password_command_that_fails_is_told)
{
    must_fail("p00", key_of("password_command", "exit 3"), "", "password_command", "");
    must_fail("p00", key_of("password_command", "echo half; exit 3"), "", "status 3", "");
    ck_assert_uint_eq(times("password"), 0);
    must_fail("p00", key_of("password_file", "/nowhere"), "", "'/nowhere'", "");
}
END_TEST

START_TEST(a_password_command_that_hangs_costs_the_deadline_and_no_more)
{
    sbx_error err;
    int64_t begin = sbi_now_ms();
    char pid_file[96], keys[400], text[32] = "";
    pid_t pid;
    FILE *file;

    (void)snprintf(pid_file, sizeof(pid_file), "%s/pid", server.folder);
    (void)snprintf(keys, sizeof(keys),
                   ",\"connect_timeout\":1,\"password_command\":\"echo $$ >'%s'; exec "
                   "sleep 1000\"",
                   pid_file);
    /* The timeout of the call is longer, and the entry's own does not count beside it. */
    (void)log_in("p00", keys, "", NULL, NULL, &err);
    ck_assert_int_ne(err.code, SBX_OK);
    ck_assert_int_lt(sbi_now_ms() - begin, 25000);
    file = fopen(pid_file, "re");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
    (void)fclose(file);
    pid = (pid_t)strtol(text, NULL, 10);
    ck_assert_int_gt(pid, 0);
    ck_assert(is_gone_within(pid, 15000));
}
END_TEST

START_TEST(a_refused_password_of_the_list_is_sent_once)
{
    must_fail("p00", ",\"password\":\"wrong\"", "", "password", "refused");
    ck_assert_uint_eq(times("password"), 1);
    must_fail("ask1", ",\"password\":\"wrong\"", "", "keyboard-interactive", "refused");
    ck_assert_uint_eq(times("keyboard-interactive"), 1);
}
END_TEST

START_TEST(without_a_password_the_error_says_what_to_set)
{
    must_fail("p00", "", "", "takes: password", "password_command");
    ck_assert_uint_eq(times("password"), 0);
}
END_TEST

START_TEST(a_server_that_asks_nothing_lets_in)
{
    must_log_in("ask0", "", "");
}
END_TEST

START_TEST(the_password_of_the_list_answers_a_hidden_question)
{
    must_log_in("ask1", ",\"password\":\"secret\"", "");
}
END_TEST

START_TEST(a_question_that_nobody_answers_is_told)
{
    must_fail("code", ",\"password\":\"secret\"", "", "Verification code", "terminal");
    must_fail("ask2", ",\"password\":\"secret\"", "", "Your name", "terminal");
}
END_TEST

struct person {
    const char *const *says; /* NULL-ended */
    int asked;
    char questions[8][400];
    int echoes[8];
};

static int answer(const char *question, int echo, char *text, size_t room, void *userdata)
{
    struct person *person = userdata;

    if (person->asked == 8 || person->says[person->asked] == NULL)
        return -1;
    (void)snprintf(person->questions[person->asked], sizeof(person->questions[0]), "%s",
                   question);
    person->echoes[person->asked] = echo;
    (void)snprintf(text, room, "%s", person->says[person->asked++]);
    return 0;
}

static int ask_person(struct person *person, const char *user, const char *keys,
                      const char *config, sbx_error *err)
{
    person->asked = 0;
    return log_in(user, keys, config, answer, person, err);
}

START_TEST(a_person_answers_several_questions)
{
    struct person person = {.says = (const char *const[]){"secret", "ada", NULL}};
    sbx_error err;

    ck_assert_msg(ask_person(&person, "ask2", "", "", &err) == SBX_OK, "%s", err.text);
    ck_assert_int_eq(person.asked, 2);
    ck_assert_str_eq(person.questions[0], "The server\nasks\nPassword: ");
    ck_assert_int_eq(person.echoes[0], 0);
    ck_assert_str_eq(person.questions[1], "Your name: ");
    ck_assert_int_ne(person.echoes[1], 0);
}
END_TEST

START_TEST(the_list_knows_the_password_and_the_person_the_code)
{
    struct person person = {.says = (const char *const[]){"123456", NULL}};
    sbx_error err;

    ck_assert_msg(ask_person(&person, "rounds", ",\"password\":\"secret\"", "", &err) ==
                      SBX_OK,
                  "%s", err.text);
    ck_assert_int_eq(person.asked, 1);
    ck_assert_ptr_nonnull(strstr(person.questions[0], "Verification code"));
}
END_TEST

START_TEST(a_person_may_try_a_password_as_often_as_ssh_config_says)
{
    struct person person = {
        .says = (const char *const[]){"wrong", "wrong too", "x", "x", "x", "x", NULL}};
    sbx_error err;

    ck_assert_msg(ask_person(&person, user_of("x"), "", "", &err) == SBX_OK, "%s",
                  err.text);
    ck_assert_int_eq(person.asked, 3);
    ck_assert_ptr_nonnull(strstr(person.questions[0], "@127.0.0.1: "));
    ck_assert_int_eq(
        ask_person(&person, user_of("x"), "", "NumberOfPasswordPrompts 2", &err),
        SBX_ERR_AUTH);
    ck_assert_int_eq(person.asked, 2);
}
END_TEST

START_TEST(behind_a_refused_password_of_the_list_a_person_is_asked)
{
    struct person person = {.says = (const char *const[]){"x", NULL}};
    sbx_error err;

    ck_assert_msg(
        ask_person(&person, user_of("x"), ",\"password\":\"wrong\"", "", &err) == SBX_OK,
        "%s", err.text);
    ck_assert_int_eq(person.asked, 1);
    ck_assert_uint_eq(times("password"), 2);
}
END_TEST

START_TEST(in_batch_mode_nobody_is_asked)
{
    struct person person = {.says = (const char *const[]){"x", NULL}};
    sbx_error err;

    ck_assert_int_eq(ask_person(&person, user_of("x"), "", "BatchMode yes", &err),
                     SBX_ERR_AUTH);
    ck_assert_int_eq(ask_person(&person, "ask1", "", "BatchMode yes", &err),
                     SBX_ERR_AUTH);
    ck_assert_int_eq(person.asked, 0);
}
END_TEST

static const char *make_key(void)
{
    static char keys[160];
    char command[256];

    (void)snprintf(command, sizeof(command), "ssh-keygen -q -t ed25519 -N '' -f '%s/key'",
                   server.folder);
    ck_assert_int_eq(system(command), 0);
    (void)snprintf(keys, sizeof(keys), ",\"key_file\":\"%s/key\",\"password\":\"secret\"",
                   server.folder);
    return keys;
}

START_TEST(chains_of_proofs_let_in)
{
    static const char *const plans[] = {"key+p736563726574", "key+ask1",
                                        "p736563726574+key", "ask1+key", "key+ask0+key"};
    const char *keys = make_key();
    size_t i;

    for (i = 0; i < 4; i++)
        must_log_in(plans[i], keys, "");
    must_fail(plans[4], keys, "", "still wants: publickey", "");
    ck_assert_uint_eq(times("publickey"), 1);
}
END_TEST

START_TEST(half_a_chain_says_what_is_missing)
{
    const char *keys = make_key();

    must_fail("key+code", keys, "", "still wants: keyboard-interactive", "terminal");
    must_fail("key+p00", keys, "", "still wants: password", "refused");
}
END_TEST

START_TEST(what_ssh_config_switches_off_is_not_tried)
{
    const char *keys = make_key();

    must_fail("key", keys, "PubkeyAuthentication no", "takes: publickey", "");
    ck_assert_uint_eq(times("publickey"), 0);
    must_fail("key", keys, "PreferredAuthentications password", "takes: publickey", "");
    must_fail("p736563726574", keys, "PasswordAuthentication no", "takes: password", "");
    must_fail("ask1", keys, "KbdInteractiveAuthentication no", "keyboard-interactive",
              "");
    must_log_in("ask1", keys, "PreferredAuthentications keyboard-interactive");
    ck_assert_uint_eq(times("none"), 1);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, start_server, stop_server);
    tcase_add_test(tests, passwords_of_any_bytes_let_in);
    tcase_add_loop_test(tests, two_hundred_random_passwords_let_in, 0, 4);
    tcase_add_test(tests, a_password_comes_from_a_file_or_a_command);
    tcase_add_test(tests, a_password_command_that_fails_is_told);
    tcase_add_test(tests, a_password_command_that_hangs_costs_the_deadline_and_no_more);
    tcase_add_test(tests, a_refused_password_of_the_list_is_sent_once);
    tcase_add_test(tests, without_a_password_the_error_says_what_to_set);
    tcase_add_test(tests, a_server_that_asks_nothing_lets_in);
    tcase_add_test(tests, the_password_of_the_list_answers_a_hidden_question);
    tcase_add_test(tests, a_question_that_nobody_answers_is_told);
    tcase_add_test(tests, a_person_answers_several_questions);
    tcase_add_test(tests, the_list_knows_the_password_and_the_person_the_code);
    tcase_add_test(tests, a_person_may_try_a_password_as_often_as_ssh_config_says);
    tcase_add_test(tests, behind_a_refused_password_of_the_list_a_person_is_asked);
    tcase_add_test(tests, in_batch_mode_nobody_is_asked);
    tcase_add_test(tests, chains_of_proofs_let_in);
    tcase_add_test(tests, half_a_chain_says_what_is_missing);
    tcase_add_test(tests, what_ssh_config_switches_off_is_not_tried);
}
