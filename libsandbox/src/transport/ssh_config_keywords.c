/* ssh_config_keywords.c - the table of keywords, and what becomes of one line. */
#include "transport/ssh_config_take.h"

#include <string.h>
#include <sys/socket.h>

static const struct sbi_ssh_choice yes_no[] = {
    {"yes", 1}, {"true", 1}, {"no", 0}, {"false", 0}, {NULL, 0}};

static const struct sbi_ssh_choice families[] = {
    {"any", AF_UNSPEC}, {"inet", AF_INET}, {"inet6", AF_INET6}, {NULL, 0}};

static const struct sbi_ssh_choice strictness[] = {
    {"yes", SBI_STRICT_YES}, {"true", SBI_STRICT_YES},
    {"ask", SBI_STRICT_ASK}, {"accept-new", SBI_STRICT_ACCEPT_NEW},
    {"no", SBI_STRICT_NO},   {"false", SBI_STRICT_NO},
    {"off", SBI_STRICT_NO},  {NULL, 0},
};

/* Nobody is asked for each key of a server: "ask" is a no. */
static const struct sbi_ssh_choice yes_no_ask[] = {{"yes", 1},   {"true", 1}, {"no", 0},
                                                   {"false", 0}, {"ask", 0},  {NULL, 0}};

/* DNS: an answer that has to be confirmed counts as one that is wanted. */
static const struct sbi_ssh_choice dns[] = {{"yes", 1},   {"true", 1}, {"no", 0},
                                            {"false", 0}, {"ask", 1},  {NULL, 0}};

static const struct sbi_ssh_choice pubkey[] = {
    {"yes", 1},     {"true", 1},       {"no", 0}, {"false", 0},
    {"unbound", 1}, {"host-bound", 1}, {NULL, 0}};

static const struct sbi_ssh_choice tty[] = {{"yes", 0},   {"true", 0}, {"no", 0},
                                            {"false", 0}, {"auto", 0}, {"force", 1},
                                            {NULL, 0}};

static const struct sbi_ssh_choice canonicalize[] = {
    {"yes", 1}, {"true", 1}, {"no", 0}, {"false", 0}, {"always", 2}, {NULL, 0}};

/* clang-format off */
#define FLAG(name, field, choices) \
    {name, sbi_ssh_take_flag, SBI_SSH_ONE, SBI_SSH_OPTION(field), choices}
#define NUMBER(name, field) \
    {name, sbi_ssh_take_number, SBI_SSH_ONE, SBI_SSH_OPTION(field), NULL}
#define TIME(name, field) \
    {name, sbi_ssh_take_time, SBI_SSH_ONE, SBI_SSH_OPTION(field), NULL}
#define TEXT(name, field) \
    {name, sbi_ssh_take_text, SBI_SSH_ONE, SBI_SSH_OPTION(field), NULL}

static const struct sbi_ssh_keyword keywords[] = {
    {"host", sbi_ssh_take_host, SBI_SSH_SOME, 0, NULL},
    {"match", sbi_ssh_take_match, SBI_SSH_RAW, 0, NULL},
    {"include", sbi_ssh_take_include, SBI_SSH_SOME, 0, NULL},
    {"ignoreunknown", sbi_ssh_take_text, SBI_SSH_ONE, SBI_SSH_SAID(ignore_unknown), NULL},

    TEXT("hostname", hostname),
    TEXT("user", user),
    {"port", sbi_ssh_take_port, SBI_SSH_ONE, SBI_SSH_OPTION(port), NULL},
    TEXT("hostkeyalias", host_key_alias),
    TEXT("tag", tag),

    {"identityfile", sbi_ssh_take_key_file, SBI_SSH_ONE, SBI_SSH_OPTION(identity_files), NULL},
    {"identityfile2", sbi_ssh_take_key_file, SBI_SSH_ONE, SBI_SSH_OPTION(identity_files), NULL},
    {"certificatefile", sbi_ssh_take_key_file, SBI_SSH_ONE, SBI_SSH_OPTION(certificate_files), NULL},
    FLAG("identitiesonly", identities_only, yes_no),
    TEXT("identityagent", identity_agent),
    {"forwardagent", sbi_ssh_take_forward_agent, SBI_SSH_ONE, SBI_SSH_OPTION(forward_agent), yes_no},

    {"proxyjump", sbi_ssh_take_proxy_jump, SBI_SSH_RAW, SBI_SSH_OPTION(proxy_jump), NULL},
    {"proxycommand", sbi_ssh_take_proxy_command, SBI_SSH_RAW, SBI_SSH_OPTION(proxy_command), NULL},
    {"canonicalizehostname", sbi_ssh_take_choice, SBI_SSH_ONE, SBI_SSH_SAID(canonicalize), canonicalize},
    {"canonicaldomains", sbi_ssh_take_domains, SBI_SSH_SOME, SBI_SSH_SAID(canonical_domains), NULL},
    {"canonicalizepermittedcnames", sbi_ssh_take_cnames, SBI_SSH_SOME, SBI_SSH_SAID(permitted_cnames), NULL},
    {"canonicalizefallbacklocal", sbi_ssh_take_choice, SBI_SSH_ONE, SBI_SSH_SAID(canonical_fallback), yes_no},
    {"canonicalizemaxdots", sbi_ssh_take_number, SBI_SSH_ONE, SBI_SSH_SAID(canonical_max_dots), NULL},

    {"userknownhostsfile", sbi_ssh_take_files, SBI_SSH_SOME, SBI_SSH_OPTION(user_known_hosts), NULL},
    {"globalknownhostsfile", sbi_ssh_take_files, SBI_SSH_SOME, SBI_SSH_OPTION(global_known_hosts), NULL},
    {"stricthostkeychecking", sbi_ssh_take_choice, SBI_SSH_ONE, SBI_SSH_OPTION(strict_host_key), strictness},
    FLAG("hashknownhosts", hash_known_hosts, yes_no),
    FLAG("updatehostkeys", update_host_keys, yes_no_ask),
    {"verifyhostkeydns", sbi_ssh_take_choice, SBI_SSH_ONE, SBI_SSH_SAID(verify_host_key_dns), dns},

    TEXT("hostkeyalgorithms", host_key_algorithms),
    TEXT("kexalgorithms", kex_algorithms),
    TEXT("ciphers", ciphers),
    TEXT("macs", macs),
    TEXT("pubkeyacceptedalgorithms", pubkey_algorithms),
    TEXT("pubkeyacceptedkeytypes", pubkey_algorithms),
    TEXT("preferredauthentications", preferred_authentications),
    NUMBER("numberofpasswordprompts", password_prompts),
    FLAG("passwordauthentication", password_authentication, yes_no),
    FLAG("kbdinteractiveauthentication", kbd_interactive_authentication, yes_no),
    FLAG("challengeresponseauthentication", kbd_interactive_authentication, yes_no),
    FLAG("skeyauthentication", kbd_interactive_authentication, yes_no),
    FLAG("tisauthentication", kbd_interactive_authentication, yes_no),
    FLAG("pubkeyauthentication", pubkey_authentication, pubkey),
    FLAG("dsaauthentication", pubkey_authentication, pubkey),
    FLAG("batchmode", batch_mode, yes_no),

    TIME("connecttimeout", connect_timeout_s),
    NUMBER("connectionattempts", connection_attempts),
    TIME("serveraliveinterval", alive_interval_s),
    TIME("protocolkeepalives", alive_interval_s),
    TIME("setuptimeout", alive_interval_s),
    NUMBER("serveralivecountmax", alive_count_max),
    {"addressfamily", sbi_ssh_take_choice, SBI_SSH_ONE, SBI_SSH_OPTION(address_family), families},
    TEXT("bindaddress", bind_address),
    FLAG("tcpkeepalive", tcp_keepalive, yes_no),
    FLAG("keepalive", tcp_keepalive, yes_no),
    FLAG("compression", compression, yes_no),
    {"sendenv", sbi_ssh_take_send_env, SBI_SSH_SOME, SBI_SSH_OPTION(send_env), NULL},
    {"setenv", sbi_ssh_take_set_env, SBI_SSH_SOME, SBI_SSH_OPTION(set_env), NULL},
    TEXT("controlpath", control_path),
    {"rekeylimit", sbi_ssh_take_rekey, SBI_SSH_UP_TO_TWO, SBI_SSH_SAID(rekey_bytes), NULL},
    FLAG("requesttty", request_tty_force, tty),
    {"remotecommand", sbi_ssh_take_command, SBI_SSH_RAW, SBI_SSH_OPTION(remote_command), NULL},
};
/* clang-format on */

/* Keywords of ssh, old ones and newer ones too, that mean nothing to us. */
static const char *const passed_over[] = {"addkeystoagent",
                                          "afstokenpassing",
                                          "applemultipath",
                                          "bindinterface",
                                          "casignaturealgorithms",
                                          "channeltimeout",
                                          "checkhostip",
                                          "cipher",
                                          "clearallforwardings",
                                          "compressionlevel",
                                          "controlmaster",
                                          "controlpersist",
                                          "dynamicforward",
                                          "enableescapecommandline",
                                          "enablesshkeysign",
                                          "escapechar",
                                          "exitonforwardfailure",
                                          "fallbacktorsh",
                                          "fingerprinthash",
                                          "forkafterauthentication",
                                          "forwardx11",
                                          "forwardx11timeout",
                                          "forwardx11trusted",
                                          "gatewayports",
                                          "globalknownhostsfile2",
                                          "gssapiauthentication",
                                          "gssapiclientidentity",
                                          "gssapidelegatecredentials",
                                          "gssapikexalgorithms",
                                          "gssapikeyexchange",
                                          "gssapirenewalforcesrekey",
                                          "gssapiserveridentity",
                                          "gssapitrustdns",
                                          "hostbasedacceptedalgorithms",
                                          "hostbasedauthentication",
                                          "hostbasedkeytypes",
                                          "ipqos",
                                          "kbdinteractivedevices",
                                          "kerberosauthentication",
                                          "kerberostgtpassing",
                                          "knownhostscommand",
                                          "localcommand",
                                          "localforward",
                                          "loglevel",
                                          "logverbose",
                                          "nohostauthenticationforlocalhost",
                                          "obscurekeystroketiming",
                                          "permitlocalcommand",
                                          "permitremoteopen",
                                          "pkcs11provider",
                                          "protocol",
                                          "proxyusefdpass",
                                          "refuseconnection",
                                          "remoteforward",
                                          "requiredrsasize",
                                          "revokedhostkeys",
                                          "rhostsauthentication",
                                          "rhostsrsaauthentication",
                                          "rsaauthentication",
                                          "rsaminsize",
                                          "securitykeyprovider",
                                          "sessiontype",
                                          "smartcarddevice",
                                          "stdinnull",
                                          "streamlocalbindmask",
                                          "streamlocalbindunlink",
                                          "syslogfacility",
                                          "tunnel",
                                          "tunneldevice",
                                          "useblacklistedkeys",
                                          "usekeychain",
                                          "useprivilegedport",
                                          "userknownhostsfile2",
                                          "useroaming",
                                          "usersh",
                                          "versionaddendum",
                                          "visualhostkey",
                                          "warnweakcrypto",
                                          "xauthlocation",
                                          NULL};

static const struct sbi_ssh_keyword *find_keyword(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if (strcmp(keywords[i].name, name) == 0)
            return &keywords[i];
    return NULL;
}

bool sbi_ssh_config_know(struct sbi_ssh_line *line)
{
    line->known = find_keyword(line->keyword);
    return line->known != NULL || !sbi_strv_contains(passed_over, line->keyword);
}

static int check_words(const struct sbi_ssh_keyword *keyword, char **words,
                       sbx_error *err)
{
    size_t count = sbi_strv_count((const char *const *)words);
    size_t most = (size_t)keyword->words;

    if (keyword->words == SBI_SSH_RAW || keyword->words == SBI_SSH_SOME)
        return SBX_OK;
    if (count == 0 || words[0][0] == '\0')
        return sbi_fail(err, SBX_ERR_CONFIG, "nothing follows '%s'", keyword->name);
    if (count > most)
        return sbi_fail(err, SBX_ERR_CONFIG, "'%s' is too much for '%s'", words[most],
                        keyword->name);
    return SBX_OK;
}

static int cut_words(const struct sbi_ssh_line *line, char ***words, sbx_error *err)
{
    int rc;

    if (*line->rest == '\0')
        return sbi_fail(err, SBX_ERR_CONFIG, "nothing follows '%s'", line->known->name);
    rc = sbi_ssh_config_words(line->rest, words, err);
    return rc < 0 ? rc : check_words(line->known, *words, err);
}

static int take(struct sbi_ssh_reading *reading, const struct sbi_ssh_line *line,
                char **words, sbx_error *err)
{
    char *no_words[] = {NULL};
    struct sbi_ssh_line whole = *line;

    whole.words = words == NULL ? no_words : words;
    return line->known->take(reading, line->known, &whole, err);
}

/* Field 0 is the word that was asked for, which no line sets. */
bool sbi_ssh_config_is_setting(const struct sbi_ssh_line *line)
{
    return line->known != NULL && !line->wrong && line->known->field != 0;
}

bool sbi_ssh_config_is_include(const struct sbi_ssh_line *line)
{
    return line->known != NULL && !line->wrong &&
           line->known->take == sbi_ssh_take_include;
}

/* The value of a setting is checked by those who would take it, for nobody. */
int sbi_ssh_config_check(struct sbi_ssh_line *line, sbx_error *err)
{
    struct sbi_ssh_reading nobody = {0};
    sbx_error why = {0};
    int rc;

    if (line->known == NULL)
        return SBX_OK;
    rc = cut_words(line, &line->words, &why);
    if (rc == SBX_OK && sbi_ssh_config_is_setting(line))
        rc = take(&nobody, line, line->words, &why);
    if (rc == SBX_ERR_NO_MEMORY)
        return sbi_fail(err, rc, "%s", why.text);
    line->wrong = rc < 0;
    return SBX_OK;
}

static void warn_of_unknown(struct sbi_ssh_reading *reading, const char *keyword)
{
    const char *ignored = reading->said.ignore_unknown;

    if (ignored == NULL || sbi_ssh_config_pattern_list(keyword, ignored, true) != 1)
        sbi_ssh_config_warn(reading, "unknown keyword '%s'", keyword);
}

int sbi_ssh_config_take(struct sbi_ssh_reading *reading, const struct sbi_ssh_line *line,
                        sbx_error *err)
{
    SBI_AUTO_STRV words = NULL;
    int rc;

    if (line->known == NULL) {
        warn_of_unknown(reading, line->keyword);
        return SBX_OK;
    }
    if (!line->wrong)
        return take(reading, line, line->words, err);
    rc = cut_words(line, &words, err);
    return rc < 0 ? rc : take(reading, line, words, err);
}
