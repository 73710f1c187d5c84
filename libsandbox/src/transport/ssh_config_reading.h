/*
 * ssh_config_reading.h - one reading of ssh_config(5): its state, and the parts it is
 * cut into. Only ssh_config*.c and their tests include it.
 *
 * The parts, from the text up: lex (lines, words), values (numbers, times, hops),
 * tokens (% ~ ${}), match (patterns, Match), exec (Match exec), keywords (the table),
 * files (Include, permissions), result (tokens, defaults), canonical (names that the
 * resolver knows), resolve (the passes).
 */
#ifndef SANDBOX_TRANSPORT_SSH_CONFIG_READING_H
#define SANDBOX_TRANSPORT_SSH_CONFIG_READING_H

#include "transport/ssh_config.h"

#include <sys/types.h>

/* What the files said: the options as written, and what only the reader needs. */
struct sbi_ssh_said {
    struct sbi_ssh_options options;
    char *ignore_unknown;
    char **canonical_domains;
    int canonicalize; /* 0 no, 1 yes, 2 always */
    int canonical_max_dots;
    char **permitted_cnames; /* "names:true names" */
    int canonical_fallback;  /* a name that is not found stays; 0: it is refused */
    int verify_host_key_dns;
    int rekey_seconds;
    int64_t rekey_bytes;
};

/* Who and where we are, for tokens and Match. */
struct sbi_ssh_self {
    char *user;
    char *home;
    uid_t uid;
    char host[256];
};

struct sbi_ssh_reading {
    struct sbi_ssh_said said;

    /* Byte N: the field of `said` at offset N has its value, and the first one wins. */
    bool given[sizeof(struct sbi_ssh_said)];

    struct sbi_ssh_self self;
    const char *original; /* the word that was asked for */
    const char *host;     /* what Host lines look at: in the final pass the real name */
    bool final_pass;
    bool wants_final; /* a Match asked for a final pass */
    bool text_only;   /* runs no command, opens no file */
    bool names_only;  /* collects names from Host lines, and nothing else */
    char **names;

    /* Where the reader stands. */
    const char *file;
    size_t line;
    int depth;
    bool of_user; /* in the user's file or below it: ~ is allowed, ~/.ssh is its folder */
    bool active;  /* the block we are in matches */
    bool never;   /* included from a block that does not match */
    size_t files_read;
    size_t bytes_read;
};

/* The pieces of one line; keyword and rest lie in the line, which is cut up. */
struct sbi_ssh_line {
    char *keyword; /* in lower case */
    char *rest;    /* what follows, without leading blanks; "" where nothing does */
    char **words;  /* rest as words without quotes; owned */
};

/* lex: true where the line says something. */
bool sbi_ssh_config_cut(char *text, struct sbi_ssh_line *line);
/* The next word of a text with ssh's oldest quoting ("..." or one '='), as Match has it.
 */
char *sbi_ssh_config_word(char **at);
/* The words of a text up to a '#', with quotes of both kinds and backslashes. */
int sbi_ssh_config_words(const char *text, char ***out, sbx_error *err);

/* values: false on what ssh would refuse too. */
void sbi_ssh_config_lower(char *text);
bool sbi_ssh_config_number(const char *text, int64_t most, int64_t *out);
bool sbi_ssh_config_port(const char *text, int *out);
bool sbi_ssh_config_time(const char *text, int *seconds);
bool sbi_ssh_config_size(const char *text, int64_t *bytes);
/* A ProxyJump list without its comment and ssh://, each hop checked. */
int sbi_ssh_config_hops(const char *text, char **out, sbx_error *err);

/* tokens: a list that ends in a letter of 0. */
struct sbi_ssh_token {
    char letter;
    const char *text;
};

/* tokens NULL: % means nothing; env: ${NAME} is replaced too. */
int sbi_ssh_config_expand(const char *text, const struct sbi_ssh_token *tokens, bool env,
                          char **out, sbx_error *err);
/* ~ and ~user at the start of a path. */
int sbi_ssh_config_tilde(const struct sbi_ssh_self *self, const char *path, char **out,
                         sbx_error *err);
/* What %C stands for: 40 hex digits and a NUL. */
int sbi_ssh_config_hash(const struct sbi_ssh_self *self, const char *host, int port,
                        const char *user, char out[41], sbx_error *err);

/* Room for the values of the full set of tokens; the texts are borrowed. */
struct sbi_ssh_tokens {
    struct sbi_ssh_token list[16];
    char hash[41];
    char port[16];
    char uid[24];
    char short_host[256];
};

int sbi_ssh_config_tokens(const struct sbi_ssh_reading *reading, const char *host,
                          int port, const char *user, const char *alias,
                          struct sbi_ssh_tokens *out, sbx_error *err);

/* match: * and ? only; a list is "a,!b,c*", and 1 yes, 0 no, -1 a negated one matched. */
bool sbi_ssh_config_pattern(const char *text, const char *pattern);
int sbi_ssh_config_pattern_list(const char *text, const char *list, bool lower);
/* Whether the criteria of a Match line hold; cuts up rest. */
int sbi_ssh_config_match(struct sbi_ssh_reading *reading, char *rest, bool *matches,
                         sbx_error *err);

/* exec: the exit code of a command of the user's shell, within 10 s, all else an error.
 */
int sbi_ssh_config_exec(const char *command, int64_t deadline, int *exit_code,
                        sbx_error *err);

/* keywords: one line of text, of which nothing is left whole. */
int sbi_ssh_config_take(struct sbi_ssh_reading *reading, char *text, sbx_error *err);

/* files */
enum sbi_ssh_config_file {
    SBI_SSH_CONFIG_MUST = 1,  /* it was named: missing is an error */
    SBI_SSH_CONFIG_CHECK = 2, /* refused where others may write it */
    SBI_SSH_CONFIG_USER = 4
};
int sbi_ssh_config_read_file(struct sbi_ssh_reading *reading, const char *path, int how,
                             sbx_error *err);
int sbi_ssh_config_read_text(struct sbi_ssh_reading *reading, char *text, size_t length,
                             sbx_error *err);
int sbi_ssh_config_include(struct sbi_ssh_reading *reading, char **words, sbx_error *err);

/* values: letters, digits, '-', '_' and single dots; a dot at its end is taken off. */
bool sbi_ssh_config_domain(char *text);

/* canonical: hostname becomes the name that the resolver knows, if that is wanted. */
int sbi_ssh_config_canonicalize(struct sbi_ssh_reading *reading, sbx_error *err);

/* A warning that names the line we stand in; said once. */
void sbi_ssh_config_warn(struct sbi_ssh_reading *reading, const char *format, ...)
    SBI_PRINTF(2, 3);

/* The user's file is this text, and there is no other; runs and opens nothing. */
int sbi_ssh_config_resolve_text(const char *text, size_t length, const char *host,
                                struct sbi_ssh_options **out, sbx_error *err);

#endif
