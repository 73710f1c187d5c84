/*
 * ssh_config_dump.c - prints what our reader of ssh_config says, under the keys of ssh
 * -G.
 *
 * Each line of standard input is a question, its words apart by a tab:
 * HOME [-F FILE] [-l USER] [-p PORT] HOST. Lists come one line an item; a warning is a
 * line "warning"; a configuration that is refused is one line "refused". The answer ends
 * with a line "end".
 */
#include "transport/ssh_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void print_text(const char *key, const char *text)
{
    if (text != NULL)
        printf("%s %s\n", key, text);
}

static void print_list(const char *key, char **list)
{
    for (; list != NULL && *list != NULL; list++)
        printf("%s %s\n", key, *list);
}

static void print_flag(const char *key, bool value)
{
    printf("%s %s\n", key, value ? "yes" : "no");
}

static void print_number(const char *key, int value)
{
    printf("%s %d\n", key, value);
}

static const char *family_name(int family)
{
    return family == AF_INET ? "inet" : family == AF_INET6 ? "inet6" : "any";
}

static void print_texts(const struct sbi_ssh_options *options)
{
    static const char *const strict[] = {"", "yes", "ask", "accept-new", "no"};

    print_text("host", options->original_host);
    print_text("hostname", options->hostname);
    print_text("user", options->user);
    print_text("hostkeyalias", options->host_key_alias);
    print_text("identityagent", options->identity_agent);
    print_text("forwardagent", options->forward_agent_path);
    print_text("proxyjump", options->proxy_jump);
    print_text("proxycommand", options->proxy_command);
    print_text("hostkeyalgorithms", options->host_key_algorithms);
    print_text("kexalgorithms", options->kex_algorithms);
    print_text("ciphers", options->ciphers);
    print_text("macs", options->macs);
    print_text("pubkeyacceptedalgorithms", options->pubkey_algorithms);
    print_text("preferredauthentications", options->preferred_authentications);
    print_text("bindaddress", options->bind_address);
    print_text("controlpath", options->control_path);
    print_text("rekeylimit", options->rekey_limit);
    print_text("remotecommand", options->remote_command);
    print_text("tag", options->tag);
    print_text("addressfamily", family_name(options->address_family));
    print_text("stricthostkeychecking", strict[options->strict_host_key]);
}

static void print_lists(const struct sbi_ssh_options *options)
{
    print_list("identityfile", options->identity_files);
    print_list("certificatefile", options->certificate_files);
    print_list("userknownhostsfile", options->user_known_hosts);
    print_list("globalknownhostsfile", options->global_known_hosts);
    print_list("sendenv", options->send_env);
    print_list("setenv", options->set_env);
    print_list("warning", options->warnings);
}

static void print_flags(const struct sbi_ssh_options *options)
{
    print_flag("identitiesonly", options->identities_only);
    if (options->forward_agent_path == NULL)
        print_flag("forwardagent", options->forward_agent);
    print_flag("hashknownhosts", options->hash_known_hosts);
    print_flag("updatehostkeys", options->update_host_keys);
    print_flag("passwordauthentication", options->password_authentication);
    print_flag("kbdinteractiveauthentication", options->kbd_interactive_authentication);
    print_flag("pubkeyauthentication", options->pubkey_authentication);
    print_flag("batchmode", options->batch_mode);
    print_flag("tcpkeepalive", options->tcp_keepalive);
    print_flag("compression", options->compression);
    print_flag("requesttty", options->request_tty_force);
}

static void print_numbers(const struct sbi_ssh_options *options)
{
    print_number("port", options->port);
    print_number("numberofpasswordprompts", options->password_prompts);
    print_number("connecttimeout", options->connect_timeout_s);
    print_number("connectionattempts", options->connection_attempts);
    print_number("serveraliveinterval", options->alive_interval_s);
    print_number("serveralivecountmax", options->alive_count_max);
}

static bool read_words(char *line, const char **file, struct sbi_ssh_asked *asked)
{
    char *home = strsep(&line, "\t\n");
    char *word;

    while ((word = strsep(&line, "\t\n")) != NULL && *word == '-') {
        if (strcmp(word, "-F") == 0)
            *file = strsep(&line, "\t\n");
        else if (strcmp(word, "-l") == 0)
            asked->user = strsep(&line, "\t\n");
        else if (strcmp(word, "-p") == 0 && line != NULL)
            asked->port = (int)strtol(strsep(&line, "\t\n"), NULL, 10);
        else
            return false;
    }
    asked->host = word;
    return word != NULL && setenv("HOME", home, 1) == 0;
}

/* Asks of another host first: what was read is as it was, whoever asked before. */
static int ask(const char *file, const struct sbi_ssh_asked *asked,
               struct sbi_ssh_options **out, sbx_error *err)
{
    const struct sbi_ssh_asked other = {.host = "asked.before"};
    struct sbi_ssh_options *options = NULL;
    struct sbi_ssh_config *config = NULL;
    int rc = sbi_ssh_config_new(file, NULL, &config, err);

    if (rc == SBX_OK && sbi_ssh_config_resolve(config, &other, &options, NULL) == SBX_OK)
        sbi_ssh_options_free(options);
    if (rc == SBX_OK)
        rc = sbi_ssh_config_resolve(config, asked, out, err);
    sbi_ssh_config_free(config);
    return rc;
}

static bool answer(char *line)
{
    struct sbi_ssh_asked asked = {0};
    struct sbi_ssh_options *options = NULL;
    const char *file = NULL;
    sbx_error err = {0};

    if (!read_words(line, &file, &asked))
        return false;
    if (ask(file, &asked, &options, &err) < 0) {
        printf("refused %s\n", err.text);
    } else {
        print_texts(options);
        print_lists(options);
        print_flags(options);
        print_numbers(options);
        sbi_ssh_options_free(options);
    }
    puts("end");
    (void)fflush(stdout);
    return true;
}

int main(void)
{
    char line[4096];

    while (fgets(line, sizeof(line), stdin) != NULL)
        if (!answer(line)) {
            fputs("ssh_config_dump: not a question\n", stderr);
            return 2;
        }
    return 0;
}
