/* host_add.c - `host add`: writes an entry to the list of hosts. */
#include "cmd.h"
#include "keyring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    const char *host;
    const char *user;
    int64_t port;
    const char *key_file;
    const char *jump;
    struct words tags;
    const char *cwd;
    const char *shell;
    const char *password_command;
    const char *password_file;
    int64_t password_stdin;
    int64_t keyring;
    const char *host_key;
    const char *host_key_policy;
    const char *transport;
    struct words env;
    const char *on;
    const char *prefix;
    const char *prefix_pty;
};

static int check_policy(const char *value, sbx_error *err)
{
    const char *items[] = {"strict", "accept-new", "ask"};
    const struct words known = {.items = items, .count = 3};

    if (words_have(&known, value))
        return SBX_OK;
    return fault(err, SBX_ERR_INVALID, "not 'strict', 'accept-new' or 'ask'");
}

static int check_transport(const char *value, sbx_error *err)
{
    return strcmp(value, "libssh") == 0 || strcmp(value, "openssh") == 0
               ? SBX_OK
               : fault(err, SBX_ERR_INVALID, "not 'libssh' or 'openssh'");
}

#define ROW(letter, name, argument, kind, field, help, ...)                              \
    {                                                                                    \
        letter, name, argument, kind, offsetof(struct values, field), help, __VA_ARGS__  \
    }

static const struct opt options[] = {
    ROW(0, "host", "H", OPT_TEXT, host, "Name or address to connect to, default NAME",
        opt_check_filled, 0, 0, NULL),
    ROW(0, "user", "U", OPT_TEXT, user, "User to log in as", opt_check_filled, 0, 0,
        NULL),
    ROW(0, "port", "N", OPT_INT, port, "Port of its SSH server", NULL, 1, 65535, NULL),
    ROW(0, "key-file", "F", OPT_TEXT, key_file, "Private key to log in with",
        opt_check_filled, 0, 0, "file"),
    ROW(0, "jump", "J", OPT_TEXT, jump, "Go through these hosts, with commas between",
        opt_check_filled, 0, 0, NULL),
    ROW(0, "tag", "T", OPT_LIST, tags, "Name a group that it is in; may be repeated",
        opt_check_filled, 0, 0, NULL),
    ROW(0, "cwd", "D", OPT_TEXT, cwd, "Folder that commands start in", opt_check_filled,
        0, 0, NULL),
    ROW(0, "shell", "S", OPT_TEXT, shell, "Shell for commands given as text",
        opt_check_filled, 0, 0, NULL),
    ROW(0, "password-command", "CMD", OPT_TEXT, password_command,
        "Command that prints the password", opt_check_filled, 0, 0, NULL),
    ROW(0, "password-file", "F", OPT_TEXT, password_file, "File that holds the password",
        opt_check_filled, 0, 0, "file"),
    ROW(0, "password-stdin", NULL, OPT_FLAG, password_stdin,
        "Read the password from standard input, one line, and store it in the list", NULL,
        0, 0, NULL),
    ROW(0, "keyring", NULL, OPT_FLAG, keyring,
        "Ask for the password, or read it from standard input, and store it in this "
        "desktop's keyring",
        NULL, 0, 0, NULL),
    ROW(0, "host-key", "K", OPT_TEXT, host_key, "The only host key to accept",
        opt_check_filled, 0, 0, NULL),
    ROW(0, "host-key-policy", "P", OPT_TEXT, host_key_policy,
        "What to do about a host key that is not known: strict, accept-new or ask",
        check_policy, 0, 0, "strict accept-new ask"),
    ROW(0, "transport", "T", OPT_TEXT, transport,
        "What connects: libssh, or the installed ssh for what that cannot (openssh)",
        check_transport, 0, 0, "libssh openssh"),
    ROW('e', "env", "N=V", OPT_LIST, env,
        "Variable in the environment of its commands; may be repeated",
        opt_check_variable, 0, 0, NULL),
    ROW(0, "on", "PLACE", OPT_TEXT, on,
        "With --prefix: the place that it stands on, default local", opt_check_filled, 0,
        0, "place"),
    ROW(0, "prefix", "WORDS", OPT_TEXT, prefix,
        "Words before each command, in place of SSH; see docs/hosts.md", opt_check_filled,
        0, 0, NULL),
    ROW(0, "prefix-pty", "WORDS", OPT_TEXT, prefix_pty,
        "The same before a command that has a terminal, default --prefix",
        opt_check_filled, 0, 0, NULL),
    {0, "password", "--password-stdin, or --password-command", OPT_REFUSED, 0,
     "other users could see a password on the command line", NULL, 0, 0, NULL},
    OPT_END,
};

#undef ROW

enum { SPLIT = -1 }; /* a text, as a list of what stands between its blanks */

/* How an option's value stands in the entry. */
static const struct {
    const char *key;
    int kind; /* OPT_TEXT, OPT_INT, OPT_LIST, or: */
    size_t at;
} keys[] = {
    {"host", OPT_TEXT, offsetof(struct values, host)},
    {"port", OPT_INT, offsetof(struct values, port)},
    {"user", OPT_TEXT, offsetof(struct values, user)},
    {"key_file", OPT_TEXT, offsetof(struct values, key_file)},
    {"password_command", OPT_TEXT, offsetof(struct values, password_command)},
    {"password_file", OPT_TEXT, offsetof(struct values, password_file)},
    {"host_key", OPT_TEXT, offsetof(struct values, host_key)},
    {"host_key_policy", OPT_TEXT, offsetof(struct values, host_key_policy)},
    {"transport", OPT_TEXT, offsetof(struct values, transport)},
    {"jump", OPT_TEXT, offsetof(struct values, jump)},
    {"tags", OPT_LIST, offsetof(struct values, tags)},
    {"cwd", OPT_TEXT, offsetof(struct values, cwd)},
    {"shell", OPT_TEXT, offsetof(struct values, shell)},
    {"on", OPT_TEXT, offsetof(struct values, on)},
    {"prefix", SPLIT, offsetof(struct values, prefix)},
    {"prefix_pty", SPLIT, offsetof(struct values, prefix_pty)},
};

static void add_text(struct text *entry, const char *key, const char *value)
{
    text_addf(entry, ", \"%s\": ", key);
    text_add_json(entry, value);
}

static void add_array(struct text *entry, const char *key, const struct words *words)
{
    size_t i;

    if (words->count == 0)
        return;
    text_addf(entry, ", \"%s\": [", key);
    for (i = 0; i < words->count; i++) {
        text_add(entry, i > 0 ? ", " : "");
        text_add_json(entry, words->items[i]);
    }
    text_add(entry, "]");
}

static void add_split(struct text *entry, const char *key, const char *value)
{
    size_t count = 0;

    text_addf(entry, ", \"%s\": [", key);
    for (value += strspn(value, " "); *value != '\0'; value += strspn(value, " ")) {
        size_t length = strcspn(value, " ");
        AUTOFREE char *word = own_copy(value, length);

        text_add(entry, count++ > 0 ? ", " : "");
        text_add_json(entry, word);
        value += length;
    }
    text_add(entry, "]");
}

/* Of a variable given twice the last one counts, as in a shell. */
static bool given_later(const struct words *env, size_t index, size_t name_length)
{
    size_t i;

    for (i = index + 1; i < env->count; i++)
        if (strncmp(env->items[i], env->items[index], name_length + 1) == 0)
            return true;
    return false;
}

static void add_env(struct text *entry, const struct words *env)
{
    bool first = true;
    size_t i;

    for (i = 0; i < env->count; i++) {
        size_t length = strcspn(env->items[i], "=");
        AUTOFREE char *name = own_copy(env->items[i], length);

        if (given_later(env, i, length))
            continue;
        text_add(entry, first ? ", \"env\": {" : ", ");
        text_add_json(entry, name);
        text_add(entry, ": ");
        text_add_json(entry, env->items[i] + length + 1);
        first = false;
    }
    text_add(entry, first ? "" : "}");
}

static void add_key(struct text *entry, const struct values *values, size_t row)
{
    const void *at = (const char *)values + keys[row].at;
    const char *text;
    int64_t number;

    if (keys[row].kind == OPT_LIST) {
        add_array(entry, keys[row].key, at);
    } else if (keys[row].kind == OPT_INT) {
        memcpy(&number, at, sizeof(number));
        if (number > 0)
            text_addf(entry, ", \"%s\": %lld", keys[row].key, (long long)number);
    } else {
        memcpy(&text, at, sizeof(text));
        if (text != NULL)
            (keys[row].kind == SPLIT ? add_split : add_text)(entry, keys[row].key, text);
    }
}

enum { LONGEST_PASSWORD = 1024 };

/* Byte by byte: what is behind the line end is not ours. */
static int read_password(char *line, sbx_error *err)
{
    size_t length = 0;
    ssize_t n;

    while ((n = read(STDIN_FILENO, line + length, 1)) != 0 && length < LONGEST_PASSWORD) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fault_errno(err, SBX_ERR_IO, "read the password from standard input");
        if (line[length] == '\n')
            break;
        length++;
    }
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    if (length == 0 || strlen(line) != length || length >= LONGEST_PASSWORD)
        return fault(err, SBX_ERR_INVALID,
                     "the password on standard input: not a line of 1 to %d bytes",
                     LONGEST_PASSWORD - 1);
    return SBX_OK;
}

static int make_entry(struct text *entry, const char *name, const struct values *values,
                      sbx_error *err)
{
    char password[LONGEST_PASSWORD + 1] = "";
    int rc = SBX_OK;
    size_t i;

    text_add(entry, "{\"name\": ");
    text_add_json(entry, name);
    for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        add_key(entry, values, i);
    add_env(entry, &values->env);
    if (values->password_stdin) {
        rc = read_password(password, err);
        if (rc == SBX_OK)
            add_text(entry, "password", password);
        explicit_bzero(password, sizeof(password));
    }
    text_add(entry, "}");
    return rc;
}

/* The entry stands by then, so its name is a place's; it goes where nothing is stored. */
static int store_in_keyring(const char *path, const char *name, sbx_error *err)
{
    int rc = keyring_store(name, err);

    if (rc < 0)
        (void)sbx_hosts_file_remove(path, name, NULL);
    return rc;
}

static int run_add(struct app *app, const void *given, const struct words *operands)
{
    struct values values = *(const struct values *)given;
    const char *name = operands->items[0];
    AUTO_TEXT command = {0};
    AUTO_TEXT path = {0};
    AUTO_TEXT entry = {0};
    sbx_error err = {0};
    int rc;

    if (!!values.password_stdin + !!values.keyring + (values.password_command != NULL) +
            (values.password_file != NULL) >
        1)
        return app_misused(app, "more than one way to get the password");

    if (values.keyring) {
        keyring_command(&command, name);
        values.password_command = command.data;
    }
    rc = app_list_file(app, &path, &err);
    if (rc == SBX_OK)
        rc = make_entry(&entry, name, &values, &err);
    if (rc == SBX_OK)
        rc = sbx_hosts_file_add(path.data, entry.data, &err);
    if (rc == SBX_OK && values.keyring)
        rc = store_in_keyring(path.data, name, &err);
    return rc < 0 ? app_failed(app, &err) : 0;
}

const struct cmd cmd_host_add = {
    .name = "host add",
    .usage = "[OPTION]... NAME",
    .help = "Add an entry to the list of hosts",
    .about = "What is not said here comes from ssh_config when the place is used. A "
             "password is never given on the command line, where others could see it.",
    .examples = "host add gpu1 --host 192.0.2.10 --user ubuntu --key-file ~/.ssh/lab "
                "--tag lab\n"
                "host add nas --user admin --password-command 'pass show nas'\n"
                "host add nas --user admin --keyring\n"
                "host add old --password-stdin < password.txt\n"
                "host add box --on gpu1 --prefix 'docker exec -i box' "
                "--prefix-pty 'docker exec -it box'",
    .options = options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = 1,
    .operand = "NAME",
    .run = run_add,
};
