/*
 * transport_ssh_config.c - the reader of ssh_config, rule by rule.
 *
 * What ssh -G would say of whole files is asked in tests/integration/ssh_config_oracle.
 */
#include "support/unit.h"

#include "base/clock.h"
#include "base/str.h"
#include "transport/ssh_config.h"
#include "transport/ssh_config_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- helpers ---- */

/* Opens no file and runs no command. */
static int resolve_text(const char *text, size_t length, const char *host,
                        struct sbi_ssh_options **out, sbx_error *err)
{
    const struct sbi_ssh_asked asked = {.host = host};
    SBI_CLEANUP(sbi_ssh_files_release) struct sbi_ssh_files *files = NULL;
    int rc = sbi_ssh_files_of_text(text, length, &files, err);

    return rc < 0 ? rc : sbi_ssh_files_resolve(files, &asked, out, err);
}

static struct sbi_ssh_options *read_text(const char *text, const char *host)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};
    int rc = resolve_text(text, strlen(text), host, &options, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return options;
}

static void refused(const char *text, const char *part)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};
    int rc = resolve_text(text, strlen(text), "h", &options, &err);

    ck_assert_msg(rc == SBX_ERR_CONFIG, "accepted: %s", text);
    ck_assert_msg(strstr(err.text, part) != NULL, "'%s' is not in: %s", part, err.text);
    ck_assert_ptr_null(options);
}

static void user_is(const char *text, const char *host, const char *user)
{
    struct sbi_ssh_options *options = read_text(text, host);

    ck_assert_msg(strcmp(options->user, user) == 0, "user '%s' for '%s' from: %s",
                  options->user, host, text);
    sbi_ssh_options_free(options);
}

static void has_warning(const struct sbi_ssh_options *options, const char *part)
{
    char **warning;

    for (warning = options->warnings; warning != NULL && *warning != NULL; warning++)
        if (strstr(*warning, part) != NULL)
            return;
    ck_abort_msg("no warning says '%s'", part);
}

static void words_are(char **words, const char *joined)
{
    SBI_AUTO_STR text = {0};

    sbi_str_add(&text, "");
    for (; words != NULL && *words != NULL; words++)
        sbi_str_addf(&text, "[%s]", *words);
    ck_assert_str_eq(text.data, joined);
}

/* A folder of its own, which is $HOME too. */
static char folder[64];

static void make_folder(void)
{
    char path[128];

    (void)snprintf(folder, sizeof(folder), "/tmp/ssh_config.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/.ssh", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(setenv("HOME", folder, 1), 0);
    ck_assert_int_eq(setenv("SHELL", "/bin/sh", 1), 0);
}

static void remove_folder(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *in_folder(const char *name)
{
    static char path[8][256];
    static unsigned turn;
    char *at = path[turn++ % 8];

    (void)snprintf(at, sizeof(path[0]), "%s/%s", folder, name);
    return at;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(in_folder(name), 0600), 0);
}

static void free_config(struct sbi_ssh_config **config)
{
    sbi_ssh_config_free(*config);
}

#define AUTO_CONFIG SBI_CLEANUP(free_config) struct sbi_ssh_config *

static struct sbi_ssh_config *config_of(const char *path)
{
    struct sbi_ssh_config *config = NULL;

    ck_assert_int_eq(sbi_ssh_config_new(path, NULL, &config, NULL), SBX_OK);
    return config;
}

static int read_path(const char *path, const struct sbi_ssh_asked *asked,
                     struct sbi_ssh_options **out, sbx_error *err)
{
    AUTO_CONFIG config = config_of(path);

    return sbi_ssh_config_resolve(config, asked, out, err);
}

static int read_file(const char *name, const char *host, struct sbi_ssh_options **out,
                     sbx_error *err)
{
    return read_path(in_folder(name), &(struct sbi_ssh_asked){.host = host}, out, err);
}

static struct sbi_ssh_options *must_read(const char *name, const char *host)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};
    int rc = read_file(name, host, &options, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return options;
}

/* ---- words and values ---- */

START_TEST(words_lose_their_quotes_and_backslashes_as_in_ssh)
{
    static const struct {
        const char *text;
        const char *words;
    } rows[] = {
        {"a b\tc", "[a][b][c]"},
        {"\"a b\" c", "[a b][c]"},
        {"'a \"b' c", "[a \"b][c]"},
        {"a\\ b", "[a b]"},
        {"\"a\\ b\"", "[a\\ b]"},
        {"a\\\"b \\\\ \\x", "[a\"b][\\][\\x]"},
        {"a\"b c\"d", "[ab cd]"},
        {"a #b", "[a]"},
        {"a#b", "[a#b]"},
        {"\"\" x", "[][x]"},
        {"# all", ""},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SBI_AUTO_STRV words = NULL;

        ck_assert_int_eq(sbi_ssh_config_words(rows[i].text, &words, NULL), SBX_OK);
        words_are(words, rows[i].words);
    }
}
END_TEST

START_TEST(a_quote_that_stays_open_is_refused)
{
    SBI_AUTO_STRV words = NULL;

    ck_assert_int_eq(sbi_ssh_config_words("a 'b", &words, NULL), SBX_ERR_CONFIG);
    ck_assert_int_eq(sbi_ssh_config_words("\"a\\\"", &words, NULL), SBX_ERR_CONFIG);
    ck_assert_ptr_null(words);
}
END_TEST

START_TEST(keyword_and_value_part_at_blanks_or_one_equals_sign)
{
    static const char *const lines[] = {
        "User x",     "user=x",   "USER = x",   "  User\tx  ",    "\"User\" x",
        "User  =  x", "User x\r", "User x\f\n", "User \"x\" # c", "\tuser 'x'"};
    size_t i;

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        user_is(lines[i], "h", "x");
}
END_TEST

START_TEST(times_are_sums_of_numbers_with_units)
{
    static const struct {
        const char *text;
        int seconds; /* -1: refused */
    } rows[] = {{"0", 0},
                {"90", 90},
                {"1h30m", 5400},
                {"1W2d3H", 788400},
                {"10s5", 15},
                {"", -1},
                {"5x", -1},
                {"-1", -1},
                {"h", -1},
                {"99999w", -1},
                {"2147483647", 2147483647},
                {"2147483648", -1}};
    size_t i;
    int seconds;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        seconds = -1;
        (void)sbi_ssh_config_time(rows[i].text, &seconds);
        ck_assert_msg(seconds == rows[i].seconds, "'%s' is %d", rows[i].text, seconds);
    }
}
END_TEST

START_TEST(sizes_have_scales)
{
    int64_t bytes = 0;

    ck_assert(sbi_ssh_config_size("1G", &bytes));
    ck_assert_int_eq(bytes, 1073741824);
    ck_assert(sbi_ssh_config_size("1.5k", &bytes));
    ck_assert_int_eq(bytes, 1536);
    ck_assert(!sbi_ssh_config_size("1X", &bytes));
    ck_assert(!sbi_ssh_config_size("1Gb", &bytes));
    ck_assert(!sbi_ssh_config_size("", &bytes));
    ck_assert(!sbi_ssh_config_size("9223372036854775807k", &bytes));
}
END_TEST

START_TEST(a_port_is_a_number_or_a_service)
{
    int port = 0;

    ck_assert(sbi_ssh_config_port("65535", &port));
    ck_assert_int_eq(port, 65535);
    ck_assert(!sbi_ssh_config_port("0", &port));
    ck_assert(!sbi_ssh_config_port("65536", &port));
    ck_assert(!sbi_ssh_config_port("no-such-service", &port));
}
END_TEST

START_TEST(jump_hosts_are_checked_one_by_one)
{
    static const struct {
        const char *text;
        const char *hops; /* NULL: refused */
    } rows[] = {
        {"a", "a"},
        {"u@a:22,b # why", "u@a:22,b"},
        {"ssh://u@a:22/", "u@a:22"},
        {"[::1]:22,a@b@c", "[::1]:22,a@b@c"},
        {"NONE", "none"},
        {"a,,b", NULL},
        {"@a", NULL},
        {"a:0", NULL},
        {"::1", NULL},
        {"a/b", NULL},
        {"[::1", NULL},
        {"-oProxyCommand=x", NULL},
        {"", NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SBI_AUTOFREE char *hops = NULL;
        int rc = sbi_ssh_config_hops(rows[i].text, &hops, NULL);

        ck_assert_msg((rc == SBX_OK) == (rows[i].hops != NULL), "%s", rows[i].text);
        if (rc == SBX_OK)
            ck_assert_str_eq(hops, rows[i].hops);
    }
}
END_TEST

/* ---- patterns, Host, Match ---- */

START_TEST(patterns_know_star_and_question_mark_only)
{
    ck_assert(sbi_ssh_config_pattern("abc", "a*c"));
    ck_assert(sbi_ssh_config_pattern("abcbc", "a*bc"));
    ck_assert(sbi_ssh_config_pattern("", "*"));
    ck_assert(sbi_ssh_config_pattern("abc", "a?c**"));
    ck_assert(!sbi_ssh_config_pattern("abc", "ab"));
    ck_assert(!sbi_ssh_config_pattern("", "?"));
    ck_assert(!sbi_ssh_config_pattern("a", "[a]"));
    ck_assert(!sbi_ssh_config_pattern("Abc", "abc"));
}
END_TEST

START_TEST(a_pattern_of_many_stars_is_answered_at_once)
{
    char text[2001], pattern[1001];
    size_t i;

    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (i = 0; i + 1 < sizeof(pattern); i += 2)
        memcpy(pattern + i, "*a", 2);
    pattern[sizeof(pattern) - 2] = 'b';
    pattern[sizeof(pattern) - 1] = '\0';
    ck_assert(!sbi_ssh_config_pattern(text, pattern));
}
END_TEST

START_TEST(one_negated_pattern_that_matches_shuts_the_whole_list)
{
    ck_assert_int_eq(sbi_ssh_config_pattern_list("a", "*,!a", false), -1);
    ck_assert_int_eq(sbi_ssh_config_pattern_list("b", "*,!a", false), 1);
    ck_assert_int_eq(sbi_ssh_config_pattern_list("b", "!a", false), 0);
    user_is("Host * !web\nUser x\nHost *\nUser y", "web", "y");
    user_is("Host !web *\nUser x\nHost *\nUser y", "db", "x");
    user_is("Host !web\nUser x\nHost *\nUser y", "db", "y");
}
END_TEST

START_TEST(the_first_value_wins_and_lists_add_up)
{
    struct sbi_ssh_options *options =
        read_text("Port 1\nIdentityFile /a\nIdentityFile /b\nIdentityFile /a\n"
                  "SendEnv A B\nSetEnv X=1 X=2 Y=3\nHost *\nPort 2\nIdentityFile /c\n"
                  "SendEnv -A C\nSetEnv Z=1",
                  "h");

    ck_assert_int_eq(options->port, 1);
    words_are(options->identity_files, "[/a][/b][/c]");
    ck_assert(options->identity_files_named);
    words_are(options->send_env, "[B][C]");
    words_are(options->set_env, "[X=1][Y=3]");
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(match_criteria_must_all_hold)
{
    user_is("Match host a,b originalhost A\nUser x", "A", "x");
    user_is("HostName real\nMatch host real originalhost a\nUser x", "a", "x");
    user_is("User z\nMatch user y\nUser x", "a", "z");
    user_is("Match all\nUser x", "a", "x");
    user_is("Match !host b\nUser x", "a", "x");
    user_is("Match host \"a\" !originalhost=b # why\nUser x", "a", "x");
    user_is("Match !all\nUser x\nMatch all\nUser y", "a", "y");
    user_is("Match host a user nobody-here\nUser x\nMatch all\nUser y", "a", "y");
}
END_TEST

START_TEST(match_final_has_a_pass_of_its_own_which_sees_the_real_name)
{
    user_is("Match final\nUser last\nHost a\nHostName real", "a", "last");
    user_is("Match final host real\nUser x\nHost a\nHostName real", "a", "x");
    user_is("Host real\nUser x\nHost a\nHostName real\nMatch final", "a", "x");
    user_is("Host real\nUser x\nMatch all\nUser y\nHostName real", "a", "y");
    user_is("Match !final\nUser first\nMatch final\nUser last", "a", "first");
    user_is("Match canonical\nUser x\nMatch all\nUser y", "a", "y");
    user_is("Match canonical\nUser x\nMatch all\nCanonicalizeHostname yes", "a", "x");
}
END_TEST

START_TEST(match_tagged_looks_at_the_tag)
{
    user_is("Tag work\nMatch tagged work,x\nUser x", "a", "x");
    user_is("Tag home\nMatch tagged work\nUser x\nMatch all\nUser y", "a", "y");
    user_is("Match !tagged work\nUser x", "a", "x");
}
END_TEST

START_TEST(a_criterion_that_cannot_be_evaluated_does_not_match_and_warns)
{
    static const char *const lines[] = {
        "Match localnetwork 10.0.0.0/8", "Match !localnetwork 10.0.0.0/8",
        "Match host a sessiontype shell", "Match from-the-future", "Match exec true"};
    char text[256];
    size_t i;

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct sbi_ssh_options *options;

        (void)snprintf(text, sizeof(text), "%s\nPort 1\nMatch all\nPort 2\n", lines[i]);
        options = read_text(text, "a");
        ck_assert_int_eq(options->port, 2);
        has_warning(options, "line 1");
        sbi_ssh_options_free(options);
    }
}
END_TEST

/* ---- values that need more than themselves ---- */

START_TEST(what_is_set_in_the_address_wins)
{
    const struct sbi_ssh_asked asked = {.host = "h", .user = "me", .port = 99};
    struct sbi_ssh_options *options = NULL;

    write_file("c", "User x\nPort 1\nMatch user me\nHostName real\n");
    ck_assert_int_eq(read_path(in_folder("c"), &asked, &options, NULL), SBX_OK);
    ck_assert_str_eq(options->user, "me");
    ck_assert_int_eq(options->port, 99);
    ck_assert_str_eq(options->hostname, "real");
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(with_no_file_the_defaults_are_those_of_ssh)
{
    const struct sbi_ssh_asked asked = {.host = "Host.X"};
    struct sbi_ssh_options *options = NULL;

    ck_assert_int_eq(read_path("none", &asked, &options, NULL), SBX_OK);
    ck_assert_str_eq(options->original_host, "Host.X");
    ck_assert_str_eq(options->hostname, "host.x");
    ck_assert_int_eq(options->port, 22);
    ck_assert_int_eq(options->strict_host_key, SBI_STRICT_ASK);
    ck_assert_int_eq(options->password_prompts, 3);
    ck_assert_int_eq(options->alive_count_max, 3);
    ck_assert_int_eq(options->connection_attempts, 1);
    ck_assert_int_eq(options->address_family, AF_UNSPEC);
    ck_assert(options->update_host_keys && options->tcp_keepalive);
    ck_assert(options->pubkey_authentication && !options->identity_files_named);
    ck_assert_uint_eq(sbi_strv_count((const char *const *)options->identity_files), 7);
    ck_assert_ptr_null(options->warnings);
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(addresses_take_their_usual_form)
{
    static const char *const rows[][2] = {{"127.1", "127.0.0.1"},
                                          {"::0001", "::1"},
                                          {"10.0.0.7", "10.0.0.7"},
                                          {"FE80::1", "FE80::1"},
                                          {"UPPER", "upper"}};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_ssh_options *options = read_text("", rows[i][0]);

        ck_assert_str_eq(options->hostname, rows[i][1]);
        sbi_ssh_options_free(options);
    }
}
END_TEST

START_TEST(tokens_and_variables_are_replaced_where_ssh_does_it)
{
    struct sbi_ssh_options *options;

    ck_assert_int_eq(setenv("SSH_CONFIG_TEST", "/env", 1), 0);
    options = read_text("HostName %h.org\nUser u\nPort 7\nHostKeyAlias AL\n"
                        "IdentityFile ${SSH_CONFIG_TEST}/%h-%n-%p-%r-%k-%%\n"
                        "GlobalKnownHostsFile /etc/%h\nProxyCommand x %h %n %p %r %%\n"
                        "RemoteCommand ${SSH_CONFIG_TEST} %n\n",
                        "Box");
    words_are(options->identity_files, "[/env/box.org-Box-7-u-al-%]");
    words_are(options->global_known_hosts, "[/etc/%h]");
    ck_assert_str_eq(options->proxy_command, "x box.org Box 7 u %");
    ck_assert_str_eq(options->remote_command, "${SSH_CONFIG_TEST} Box");
    ck_assert_str_eq(options->host_key_alias, "al");
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(none_takes_a_value_away)
{
    struct sbi_ssh_options *options = read_text(
        "IdentityFile none\nControlPath none\nProxyJump none\nProxyCommand none\n"
        "UserKnownHostsFile none\nGlobalKnownHostsFile none\n"
        "RemoteCommand NONE\nConnectTimeout none\nIdentityAgent none\n"
        "ProxyJump a\nControlPath /x\nIdentityAgent /x\n",
        "h");

    words_are(options->identity_files, "");
    ck_assert(options->identity_files_named);
    words_are(options->user_known_hosts, "");
    words_are(options->global_known_hosts, "");
    ck_assert_ptr_null(options->control_path);
    ck_assert_ptr_null(options->proxy_jump);
    ck_assert_ptr_null(options->proxy_command);
    ck_assert_ptr_null(options->remote_command);
    ck_assert_str_eq(options->identity_agent, "none");
    ck_assert_int_eq(options->connect_timeout_s, 0);
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(the_agent_is_a_path_a_variable_or_the_usual_one)
{
    static const char *const rows[][2] = {{"SSH_AUTH_SOCK", NULL},
                                          {"$SSH_CONFIG_AGENT", "/agent"},
                                          {"${SSH_CONFIG_AGENT}", "/agent"},
                                          {"$SSH_CONFIG_UNSET", "none"},
                                          {"/run/%r", "/run/u"}};
    char text[128];
    size_t i;

    ck_assert_int_eq(setenv("SSH_CONFIG_AGENT", "/agent", 1), 0);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_ssh_options *options;

        (void)snprintf(text, sizeof(text), "User u\nIdentityAgent %s\n", rows[i][0]);
        options = read_text(text, "h");
        if (rows[i][1] == NULL)
            ck_assert_ptr_null(options->identity_agent);
        else
            ck_assert_str_eq(options->identity_agent, rows[i][1]);
        sbi_ssh_options_free(options);
    }
}
END_TEST

START_TEST(jump_and_proxy_command_shut_each_other_out)
{
    struct sbi_ssh_options *options =
        read_text("ProxyJump u@j-%h:2\nProxyCommand x", "h");

    ck_assert_str_eq(options->proxy_jump, "u@j-h:2");
    ck_assert_ptr_null(options->proxy_command);
    sbi_ssh_options_free(options);
    options = read_text("ProxyCommand x # y\nProxyJump j", "h");
    ck_assert_str_eq(options->proxy_command, "x # y");
    ck_assert_ptr_null(options->proxy_jump);
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(old_names_of_keywords_count)
{
    struct sbi_ssh_options *options =
        read_text("ChallengeResponseAuthentication no\nPubkeyAcceptedKeyTypes +ssh-rsa\n"
                  "KeepAlive no\nDSAAuthentication no\nIdentityFile2 /k\n",
                  "h");

    ck_assert(!options->kbd_interactive_authentication && !options->tcp_keepalive);
    ck_assert(!options->pubkey_authentication);
    ck_assert_str_eq(options->pubkey_algorithms, "+ssh-rsa");
    words_are(options->identity_files, "[/k]");
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(an_unknown_keyword_warns_and_is_passed_over)
{
    struct sbi_ssh_options *options =
        read_text("User u\nNoSuchThing \"open\nNaked\nHost *\nPort 7\n", "h");

    has_warning(options, "'text' line 2: unknown keyword 'nosuchthing'");
    has_warning(options, "naked");
    ck_assert_int_eq(options->port, 7);
    sbi_ssh_options_free(options);
    options = read_text("IgnoreUnknown No*,x\nNoSuchThing 1\nUseKeychain yes\n"
                        "ObscureKeystrokeTiming no\nGSSAPIKexAlgorithms x\n",
                        "h");
    ck_assert_ptr_null(options->warnings);
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(a_mistake_is_refused_even_in_a_block_that_does_not_match)
{
    static const char *const lines[] = {"Port 0",
                                        "BatchMode maybe",
                                        "User",
                                        "User a b",
                                        "User \"\"",
                                        "IdentityFile 'x",
                                        "SetEnv A",
                                        "SendEnv A=1",
                                        "ConnectTimeout x",
                                        "Match",
                                        "Match host",
                                        "Match all host x",
                                        "Host \"\"",
                                        "AddressFamily inet5",
                                        "RekeyLimit 3",
                                        "ProxyJump a,",
                                        "UserKnownHostsFile none a",
                                        "StrictHostKeyChecking perhaps"};
    char text[128];
    size_t i;

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        (void)snprintf(text, sizeof(text), "Host nobody\n%s\n", lines[i]);
        refused(text, "'text' line 2");
    }
}
END_TEST

START_TEST(a_token_or_variable_without_a_value_is_refused)
{
    refused("ControlPath /%z", "'%z'");
    refused("HostName %p", "'%p'");
    refused("IdentityFile /x%", "ends");
    refused("HostName x%", "ends");
    refused("IdentityFile ${SSH_CONFIG_NOT_SET}", "'SSH_CONFIG_NOT_SET'");
    refused("IdentityFile ${open", "bad variable");
    refused("IdentityFile ~no-such-user-here/k", "'no-such-user-here'");
}
END_TEST

START_TEST(a_word_that_a_shell_would_take_apart_is_no_host)
{
    static const char *const words[] = {"",    "-oX", "a b",  "a;b", "a$b", "`a`",
                                        "a|b", "a'b", "a\nb", "a\"", "(a)", "a\\b"};
    struct sbi_ssh_options *options = NULL;
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        ck_assert_int_eq(resolve_text("", 0, words[i], &options, NULL), SBX_ERR_INVALID);
}
END_TEST

START_TEST(canonical_names_need_dns_and_say_so)
{
    struct sbi_ssh_options *options =
        read_text("CanonicalizeHostname yes\nCanonicalDomains a.org b.org\n", "box");

    has_warning(options, "'CanonicalizeHostname'");
    ck_assert_str_eq(options->hostname, "box");
    sbi_ssh_options_free(options);
}
END_TEST

/* ---- files ---- */

START_TEST(include_is_relative_to_the_ssh_folder_sorted_and_conditional)
{
    struct sbi_ssh_options *options;

    write_file("c", "Include *.conf none.conf\nHost other\nInclude ~/no\n"
                    "Host *\nInclude yes\nPort 9\n");
    write_file(".ssh/b.conf", "IdentityFile /b\nHost nobody\n");
    write_file(".ssh/a.conf", "IdentityFile /a\n");
    write_file(".ssh/B.conf", "IdentityFile /B\n");
    write_file("no", "Host *\nIdentityFile /no\nMatch all\nIdentityFile /no\n");
    write_file(".ssh/yes", "Host x\nPort 5\n");
    options = must_read("c", "h");
    words_are(options->identity_files, "[/B][/a][/b]");
    ck_assert_int_eq(options->port, 9);
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(an_included_file_names_itself_in_an_error)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};

    write_file("c", "\nInclude sub\n");
    write_file(".ssh/sub", "User x\n\nPort none\n");
    ck_assert_int_eq(read_file("c", "h", &options, &err), SBX_ERR_CONFIG);
    ck_assert_ptr_nonnull(strstr(err.text, "/c' line 2: read '"));
    ck_assert_ptr_nonnull(strstr(err.text, "/.ssh/sub' line 3: bad value 'none'"));
}
END_TEST

static void write_chain(int depth)
{
    char name[32], text[64];
    int i;

    for (i = 0; i <= depth; i++) {
        (void)snprintf(name, sizeof(name), ".ssh/n%d", i);
        if (i == depth)
            (void)snprintf(text, sizeof(text), "User deep\n");
        else
            (void)snprintf(text, sizeof(text), "Include n%d\n", i + 1);
        write_file(name, text);
    }
}

START_TEST(include_goes_sixteen_deep_and_no_deeper)
{
    struct sbi_ssh_options *options;
    sbx_error err = {0};

    write_chain(16);
    options = must_read(".ssh/n0", "h");
    ck_assert_str_eq(options->user, "deep");
    sbi_ssh_options_free(options);
    write_chain(17);
    ck_assert_int_eq(read_file(".ssh/n0", "h", &options, &err), SBX_ERR_CONFIG);
}
END_TEST

START_TEST(files_that_include_each_other_end_at_a_limit)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};
    char **names = NULL;
    AUTO_CONFIG config = config_of(in_folder(".ssh/a"));

    write_file(".ssh/a", "Include ?\n");
    write_file(".ssh/b", "Include ?\n");
    ck_assert_int_lt(read_file(".ssh/a", "h", &options, &err), 0);
    ck_assert_int_lt(sbi_ssh_config_names(config, &names, &err), 0);
    ck_assert_ptr_null(names);
}
END_TEST

START_TEST(a_file_that_others_may_write_is_refused_with_the_mend)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};

    write_file("c", "Include sub\n");
    write_file(".ssh/sub", "User x\n");
    ck_assert_int_eq(chmod(in_folder(".ssh/sub"), 0602), 0);
    ck_assert_int_eq(read_file("c", "h", &options, &err), SBX_ERR_CONFIG);
    ck_assert_ptr_nonnull(strstr(err.text, "can be written by others"));
    ck_assert_ptr_nonnull(strstr(err.fix, "chmod go-w"));
}
END_TEST

START_TEST(a_named_file_must_be_there_and_a_folder_is_empty)
{
    struct sbi_ssh_options *options = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(read_file("missing", "h", &options, &err), SBX_ERR_CONFIG);
    ck_assert_int_eq(err.sys_errno, ENOENT);
    write_file("c", "Include ~/*\nUser x\n");
    ck_assert_int_eq(mkdir(in_folder("d"), 0700), 0);
    ck_assert_int_eq(rename(in_folder("c"), in_folder(".ssh/c")), 0);
    options = must_read(".ssh/c", "h");
    ck_assert_str_eq(options->user, "x");
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(a_file_without_an_end_or_a_pipe_is_refused)
{
    struct sbi_ssh_options *options = NULL;
    const struct sbi_ssh_asked asked = {.host = "h"};

    ck_assert_int_eq(read_path("/dev/zero", &asked, &options, NULL), SBX_ERR_LIMIT);
    ck_assert_int_eq(mkfifo(in_folder("pipe"), 0600), 0);
    ck_assert_int_eq(read_file("pipe", "h", &options, NULL), SBX_ERR_CONFIG);
    ck_assert_int_eq(read_path("/dev/null", &asked, &options, NULL), SBX_OK);
    sbi_ssh_options_free(options);
}
END_TEST

/* The files that Fedora and RHEL ship, their paths apart. */
START_TEST(the_files_of_fedora_are_read_without_a_warning)
{
    struct sbi_ssh_options *options;
    char text[512];

    (void)snprintf(text, sizeof(text), "Include %s/ssh_config.d/*.conf\n", folder);
    ck_assert_int_eq(mkdir(in_folder("ssh_config.d"), 0755), 0);
    write_file("ssh_config", text);
    (void)snprintf(
        text, sizeof(text),
        "# The options here are in the \"Match final block\" to be applied as\n"
        "# the last options and could be potentially overwritten by the user\n"
        "Match final all\n"
        "\t# Follow system-wide Crypto Policy, if defined:\n"
        "\tInclude %s/openssh.config\n\n"
        "\tGSSAPIAuthentication yes\n\tForwardX11Trusted yes\n",
        folder);
    write_file("ssh_config.d/50-redhat.conf", text);
    write_file("openssh.config",
               "Ciphers aes256-gcm@openssh.com,aes256-ctr\nMACs hmac-sha2-256\n"
               "GSSAPIKexAlgorithms gss-curve25519-sha256-\n"
               "KexAlgorithms curve25519-sha256\nHostKeyAlgorithms ssh-ed25519\n"
               "PubkeyAcceptedAlgorithms ssh-ed25519,rsa-sha2-256\n"
               "HostbasedAcceptedAlgorithms ssh-ed25519\n"
               "CASignatureAlgorithms ssh-ed25519\nRequiredRSASize 2048\n");
    options = must_read("ssh_config", "h");
    ck_assert_ptr_null(options->warnings);
    ck_assert_str_eq(options->ciphers, "aes256-gcm@openssh.com,aes256-ctr");
    ck_assert_str_eq(options->pubkey_algorithms, "ssh-ed25519,rsa-sha2-256");
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(names_are_the_words_of_host_lines_that_are_no_patterns)
{
    AUTO_CONFIG config = config_of(in_folder("c"));
    SBI_AUTO_STRV names = NULL;

    write_file("c", "Host a b* !c \"d e\" a\nPort wrong\nMatch host x\nInclude sub\n"
                    "Host 'open\nHost=f # g\n");
    write_file(".ssh/sub", "Host sub a\n");
    ck_assert_int_eq(sbi_ssh_config_names(config, &names, NULL), SBX_OK);
    words_are(names, "[a][d e][sub][f]");
}
END_TEST

/* ---- Match exec ---- */

START_TEST(match_exec_asks_a_command)
{
    struct sbi_ssh_options *options;

    write_file("c", "Match exec \"test %n = box\"\nUser x\n"
                    "Match exec false\nPort 1\nMatch !exec 'false' user x\nPort 2\n"
                    "Match host nobody exec \"touch $HOME/ran\"\nPort 3\n"
                    "Host nobody\nInclude sub\n");
    write_file(".ssh/sub", "Match exec \"touch $HOME/ran\"\nPort 4\n");
    options = must_read("c", "box");
    ck_assert_str_eq(options->user, "x");
    ck_assert_int_eq(options->port, 2);
    ck_assert_int_ne(access(in_folder("ran"), F_OK), 0);
    sbi_ssh_options_free(options);
}
END_TEST

static int run(const char *command)
{
    sbx_error err = {0};
    int exit_code = -1;
    int rc = sbi_ssh_config_exec(command, sbi_deadline(20000), &exit_code, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return exit_code;
}

START_TEST(the_command_gets_no_input_no_descriptor_and_clean_signals)
{
    sigset_t all;

    ck_assert_int_eq(dup2(1, 57), 57);
    ck_assert_int_eq(run("test ! -e /proc/self/fd/57"), 0);
    ck_assert_int_eq(run("test -z \"$(cat)\""), 0);
    ck_assert_ptr_ne(signal(SIGPIPE, SIG_IGN), SIG_ERR);
    (void)sigfillset(&all);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &all, NULL), 0);
    ck_assert_int_eq(run("grep -q 'SigBlk:[^1-9a-f]*$' /proc/self/status"), 0);
    ck_assert_int_eq(run("grep -q 'SigIgn:.*0000000$' /proc/self/status"), 0);
    ck_assert_int_eq(run("exit 7"), 7);
}
END_TEST

START_TEST(a_command_over_its_time_is_killed_and_reaped)
{
    int64_t start = sbi_now_ms();
    sbx_error err = {0};
    int exit_code = -1;
    int rc = sbi_ssh_config_exec("sleep 60 & wait", sbi_deadline(200), &exit_code, &err);

    ck_assert_int_eq(rc, SBX_ERR_TIMEOUT);
    ck_assert_int_lt(sbi_now_ms() - start, 20000);
    ck_assert_int_eq(exit_code, -1);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(a_command_that_could_not_be_asked_does_not_match_and_warns)
{
    struct sbi_ssh_options *options;

    write_file("c",
               "Match exec \"kill -9 $$\"\nPort 1\nMatch !exec \"kill -9 $$\"\nPort 2\n");
    options = must_read("c", "h");
    ck_assert_int_eq(options->port, 22);
    has_warning(options, "signal 9");
    sbi_ssh_options_free(options);

    ck_assert_int_eq(setenv("SHELL", "/no/such/shell", 1), 0);
    options = must_read("c", "h");
    ck_assert_int_eq(options->port, 22);
    has_warning(options, "/no/such/shell");
    sbi_ssh_options_free(options);
}
END_TEST

START_TEST(a_process_that_ignores_its_children_gets_a_warning_and_no_hang)
{
    struct sbi_ssh_options *options;

    ck_assert_ptr_ne(signal(SIGCHLD, SIG_IGN), SIG_ERR);
    write_file("c", "Match exec true\nPort 1\n");
    options = must_read("c", "h");
    ck_assert_int_eq(options->port, 22);
    has_warning(options, "wait for 'true'");
    sbi_ssh_options_free(options);
    ck_assert_ptr_ne(signal(SIGCHLD, SIG_DFL), SIG_ERR);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, words_lose_their_quotes_and_backslashes_as_in_ssh);
    tcase_add_test(tests, a_quote_that_stays_open_is_refused);
    tcase_add_test(tests, keyword_and_value_part_at_blanks_or_one_equals_sign);
    tcase_add_test(tests, times_are_sums_of_numbers_with_units);
    tcase_add_test(tests, sizes_have_scales);
    tcase_add_test(tests, a_port_is_a_number_or_a_service);
    tcase_add_test(tests, jump_hosts_are_checked_one_by_one);
    tcase_add_test(tests, patterns_know_star_and_question_mark_only);
    tcase_add_test(tests, a_pattern_of_many_stars_is_answered_at_once);
    tcase_add_test(tests, one_negated_pattern_that_matches_shuts_the_whole_list);
    tcase_add_test(tests, the_first_value_wins_and_lists_add_up);
    tcase_add_test(tests, match_criteria_must_all_hold);
    tcase_add_test(tests, match_final_has_a_pass_of_its_own_which_sees_the_real_name);
    tcase_add_test(tests, match_tagged_looks_at_the_tag);
    tcase_add_test(tests, a_criterion_that_cannot_be_evaluated_does_not_match_and_warns);
    tcase_add_test(tests, what_is_set_in_the_address_wins);
    tcase_add_test(tests, with_no_file_the_defaults_are_those_of_ssh);
    tcase_add_test(tests, addresses_take_their_usual_form);
    tcase_add_test(tests, tokens_and_variables_are_replaced_where_ssh_does_it);
    tcase_add_test(tests, none_takes_a_value_away);
    tcase_add_test(tests, the_agent_is_a_path_a_variable_or_the_usual_one);
    tcase_add_test(tests, jump_and_proxy_command_shut_each_other_out);
    tcase_add_test(tests, old_names_of_keywords_count);
    tcase_add_test(tests, an_unknown_keyword_warns_and_is_passed_over);
    tcase_add_test(tests, a_mistake_is_refused_even_in_a_block_that_does_not_match);
    tcase_add_test(tests, a_token_or_variable_without_a_value_is_refused);
    tcase_add_test(tests, a_word_that_a_shell_would_take_apart_is_no_host);
    tcase_add_test(tests, canonical_names_need_dns_and_say_so);
    tcase_add_test(tests, include_is_relative_to_the_ssh_folder_sorted_and_conditional);
    tcase_add_test(tests, an_included_file_names_itself_in_an_error);
    tcase_add_test(tests, include_goes_sixteen_deep_and_no_deeper);
    tcase_add_test(tests, files_that_include_each_other_end_at_a_limit);
    tcase_add_test(tests, a_file_that_others_may_write_is_refused_with_the_mend);
    tcase_add_test(tests, a_named_file_must_be_there_and_a_folder_is_empty);
    tcase_add_test(tests, a_file_without_an_end_or_a_pipe_is_refused);
    tcase_add_test(tests, the_files_of_fedora_are_read_without_a_warning);
    tcase_add_test(tests, names_are_the_words_of_host_lines_that_are_no_patterns);
    tcase_add_test(tests, match_exec_asks_a_command);
    tcase_add_test(tests, the_command_gets_no_input_no_descriptor_and_clean_signals);
    tcase_add_test(tests, a_command_over_its_time_is_killed_and_reaped);
    tcase_add_test(tests, a_command_that_could_not_be_asked_does_not_match_and_warns);
    tcase_add_test(tests, a_process_that_ignores_its_children_gets_a_warning_and_no_hang);
}
