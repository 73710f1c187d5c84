/*
 * ssh_config_reading.h - ssh_config(5) inside: the files as they were read, what their
 * lines say of one host, and the parts this is cut into. Only ssh_config*.c and their
 * tests include it.
 *
 * A file is read once. Its lines are cut, and each is checked, whether or not a host will
 * ever need it; a question then walks over them and takes those that are for its host.
 * Nobody changes what was read, so any number of threads may ask at once.
 *
 * The parts, from the text up: lex (lines, words), values (numbers, times, hops),
 * tokens (% ~ ${}), match (patterns, Match), exec (Match exec), take (kinds of values),
 * keywords (the table), lines (a text as lines), open (a file, permissions), files
 * (Include, changes), walk (the lines for one host), result (tokens, defaults), canonical
 * (names that the resolver knows), resolve (the passes).
 */
#ifndef SANDBOX_TRANSPORT_SSH_CONFIG_READING_H
#define SANDBOX_TRANSPORT_SSH_CONFIG_READING_H

#include "base/names.h"
#include "transport/ssh_config_options.h"

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

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

/* keyword and rest lie in the file's text. */
struct sbi_ssh_line {
    const struct sbi_ssh_keyword *known; /* NULL: nobody knows the keyword */
    char *keyword;                       /* in lower case */
    char *rest;   /* what follows, without leading blanks; "" where nothing does */
    char **words; /* rest as words without quotes; owned; NULL: none */
    size_t number;
    bool wrong;  /* ssh would refuse it */
    size_t next; /* the first from here on that counts for every host */
    struct sbi_ssh_file **included; /* by this line; owned, NULL at the end; or NULL */
};

/* What tells a file from what it becomes later. */
struct sbi_ssh_stamp {
    bool missing;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
};

struct sbi_ssh_file {
    char *path;
    char *text; /* cut up */
    struct sbi_ssh_line *lines;
    size_t count;
    size_t includes;        /* how many of them are an Include */
    struct sbi_names hosts; /* the lines of Host without a pattern, the first one first */
    bool of_user; /* the user's, or below it: ~ is allowed, ~/.ssh is its folder */
    struct sbi_ssh_stamp stamp;
};

struct sbi_ssh_files {
    atomic_int holders;
    struct sbi_ssh_self self;
    struct sbi_ssh_file *top[3]; /* the user's, the system's, and a NULL; owned */
    bool text_only;              /* asking runs no command, opens no file */
    bool young; /* one changed so shortly before that it could change again unseen */
};

/* What the lines say of one host, as far as they were asked. */
struct sbi_ssh_reading {
    struct sbi_ssh_said said;

    /* Byte N: the field of `said` at offset N has its value, and the first one wins. */
    bool given[sizeof(struct sbi_ssh_said)];

    const struct sbi_ssh_self *self;
    const char *original; /* the word that was asked for */
    const char *host;     /* what Host lines look at: in the final pass the real name */
    bool final_pass;
    bool wants_final; /* a Match asked for a final pass */
    bool text_only;   /* runs no command, opens no file */

    /* Where the walk stands. */
    const char *file;
    size_t line;
    bool active; /* the block we are in matches */
    bool never;  /* included from a block that does not match */
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
/* Whether a word of a Host line may mean more than the one host of that name, or less. */
bool sbi_ssh_config_is_pattern(const char *word);
int sbi_ssh_config_pattern_list(const char *text, const char *list, bool lower);
/* Whether the criteria of a Match line hold; cuts up rest. */
int sbi_ssh_config_match(struct sbi_ssh_reading *reading, char *rest, bool *matches,
                         sbx_error *err);

/* exec: the exit code of a command of the user's shell, within 10 s, all else an error.
 */
int sbi_ssh_config_exec(const char *command, int64_t deadline, int *exit_code,
                        sbx_error *err);

/* keywords: sets what is known of the line's keyword; false: it means nothing to us. */
bool sbi_ssh_config_know(struct sbi_ssh_line *line);
/* Cuts the words of a line, and says if it is wrong; the error is one of memory. */
int sbi_ssh_config_check(struct sbi_ssh_line *line, sbx_error *err);
/* Whether a block that does not match leaves the line out. */
bool sbi_ssh_config_is_setting(const struct sbi_ssh_line *line);
/* Whether it brings files. */
bool sbi_ssh_config_is_include(const struct sbi_ssh_line *line);
/* Takes one line. One that is wrong says so here. */
int sbi_ssh_config_take(struct sbi_ssh_reading *reading, const struct sbi_ssh_line *line,
                        sbx_error *err);

/* lines: file->text, of that length, is cut up. */
int sbi_ssh_file_cut(struct sbi_ssh_file *file, size_t length, sbx_error *err);

/* open */
enum sbi_ssh_file_how {
    SBI_SSH_FILE_MUST = 1, /* it was named: missing is an error, else an empty text */
    SBI_SSH_FILE_CHECK = 2 /* refused where others may write it */
};
/* Fills in text and stamp of the file at file->path. */
int sbi_ssh_file_open(struct sbi_ssh_file *file, int how, size_t *length, sbx_error *err);
/* Whether it still is what was read, by its stamp. */
bool sbi_ssh_file_is_current(const struct sbi_ssh_file *file);
/* Whether it changed just now, so that another change could bear the same stamp. */
bool sbi_ssh_file_is_young(const struct sbi_ssh_file *file);

/*
 * files: user_file and system_file as in sbi_ssh_config_new; *out is to be released.
 * Fails on a file that cannot be had; a line that ssh would refuse is kept, for those who
 * ask.
 */
int sbi_ssh_files_read(const char *user_file, const char *system_file,
                       struct sbi_ssh_files **out, sbx_error *err);
/* The user's file is this text, and there is no other. */
int sbi_ssh_files_of_text(const char *text, size_t length, struct sbi_ssh_files **out,
                          sbx_error *err);
/* Whether to read now would give the same. */
bool sbi_ssh_files_are_current(const struct sbi_ssh_files *files);
struct sbi_ssh_files *sbi_ssh_files_hold(struct sbi_ssh_files *files);
/* *files is then NULL. */
void sbi_ssh_files_release(struct sbi_ssh_files **files);

/* walk: takes the lines of a file, those of blocks that do not match apart. */
int sbi_ssh_config_walk(struct sbi_ssh_reading *reading, const struct sbi_ssh_file *file,
                        sbx_error *err);
/* The files that a line included. */
int sbi_ssh_config_walk_included(struct sbi_ssh_reading *reading,
                                 const struct sbi_ssh_line *line, sbx_error *err);
/* As sbi_ssh_config_names. */
int sbi_ssh_files_names(const struct sbi_ssh_files *files, char ***out, sbx_error *err);

/* resolve: as sbi_ssh_config_resolve. */
int sbi_ssh_files_resolve(const struct sbi_ssh_files *files,
                          const struct sbi_ssh_asked *asked, struct sbi_ssh_options **out,
                          sbx_error *err);

/* values: letters, digits, '-', '_' and single dots; a dot at its end is taken off. */
bool sbi_ssh_config_domain(char *text);

/* canonical: hostname becomes the name that the resolver knows, if that is wanted. */
int sbi_ssh_config_canonicalize(struct sbi_ssh_reading *reading, sbx_error *err);

/* A warning that names the line we stand in; said once. */
void sbi_ssh_config_warn(struct sbi_ssh_reading *reading, const char *format, ...)
    SBI_PRINTF(2, 3);

#endif
