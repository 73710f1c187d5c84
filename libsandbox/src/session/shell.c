#include "session/shell.h"

#include "base/computer.h"
#include "base/far_kill.h"
#include "base/far_quote.h"
#include "session/shell_keep.h"
#include "session/shell_note.h"

#include <string.h>

#define TEXT_PIECE ((size_t)96 * 1024)
/* Longer headers are taken in pieces: what two processes cost is what 8 KiB of read cost.
 */
#define HEADER_LINE ((size_t)8 * 1024)

/*
 * Parts of the far-side scripts. Each becomes one line inside single quotes for
 * a login shell we do not know: no single quote, no backslash, no newline, and no '!'
 * but before a blank. Names begin with sbx_, so that no exported variable of the user's
 * is changed.
 */

/*
 * The watchdog lies outside of the command's streams, so it holds no call open (exec,
 * since a shell keeps copies of what it redirects for a function; and its number is known
 * when it has let go of standard output, the last, by an exec of its own: the copies of
 * one exec go in any order). It is no child of the command's, which may wait for
 * children whatever they are. It ends with the command; at the limit, or when the
 * server's process of this connection is gone, it kills the run first. It is asked about
 * the server before the command, since a command may end by the very loss of the
 * connection; a client that left after the command's end says farewell meanwhile, and
 * what it left behind on purpose lives on. A farewell that is on its way through a slow
 * login shell is seen, and waited for.
 *
 * It is armed before it lets go: the command, which starts then, may be cut off at once,
 * and a terminal's end hangs up on all that does not ignore it. A server that it cannot
 * see then is one that it can never see.
 *
 * sbx_d is 0 where it looks for the client, 1 where it does not, and 2 where a warden is
 * to come: that says so by USR1. Where none has come in good time, the client is gone.
 */
#define UNGUARDED_S "20"
static const char watchdog[] =
    "sbx_await() { sleep 2; while [ $sbx_i -lt 10 ] && grep -qs "
    "\"sbx fare[w]ell.* $sbx_me \" /proc/[0-9]*/cmdline; do sbx_i=$((sbx_i+1)); sleep 1; "
    "done; }; "
    "sbx_arm() { trap \"\" TERM INT HUP QUIT PIPE; trap sbx_d=1 USR1; sbx_w=0; sbx_me=0; sbx_m=$$; sbx_i=0; "
    "sbx_b=0; [ -r /proc/self/stat ] && { read -r sbx_me sbx_s </proc/self/stat; }; "
    "[ $sbx_d -gt 0 ] || sbx_alive $PPID || sbx_d=1; [ $sbx_me -gt 0 ] || sbx_d=1; }; "
    "sbx_watch() { while :; do sleep 1 || [ $? -gt 128 ] || exit; sbx_b=$((sbx_b+1)); "
    "[ $sbx_d -gt 0 ] || sbx_alive $PPID || { sbx_alive $$ || sbx_await; sbx_bury gone 100; exit; }; "
    "sbx_alive $$ || exit; "
    "[ $sbx_d -lt 2 ] || [ $sbx_b -lt " UNGUARDED_S " ] || { sbx_bury gone 100; exit; }; "
    "[ $sbx_t = 0 ] || [ $sbx_b -lt $sbx_t ] || { sbx_bury limit 200; exit; }; "
    "done; }; ";

/*
 * The warden watches all runs of a connection. It is told of them on its standard
 * input, whose end is the client's: whatever runs are left then are killed, and those
 * that were only about to start a moment later. sbx_A holds a word RUN/PID/CLOCK for
 * each; sbx_take RUN moves one to sbx_o. A clock is a child that waits by itself. It is
 * stopped by USR1, since TERM is ignored here and in all that is started here, and then
 * ends its sleep if that has begun: if the last child is not the one from before.
 */
static const char warden[] =
    "sbx_take() { sbx_B=; sbx_o=; for sbx_e in $sbx_A; do case $sbx_e in "
    "$1/*) sbx_o=${sbx_e#*/};; *) sbx_B=\"$sbx_B $sbx_e\";; esac; done; sbx_A=$sbx_B; }; "
    "sbx_stop() { [ $1 = 0 ] || kill -USR1 $1 2>/dev/null; }; "
    "sbx_off() { sbx_s=$! ; [ x$sbx_s = x$sbx_z ] || kill -KILL $sbx_s; exit; }; "
    "sbx_clock() { sbx_z=$! ; trap sbx_off USR1; sbx_m=-1; exec </dev/null >/dev/null; "
    "sleep $1 & wait $! || exit; sbx_bury limit 200; }; "
    "sbx_hear() { case $1 in "
    "+) sbx_r=$2; sbx_p=0; [ $3 = 0 ] || { sbx_clock $3 & sbx_p=$! ; }; "
    "sbx_A=\"$sbx_A $2/-1/$sbx_p\";; "
    "=) sbx_take $2; [ -z \"$sbx_o\" ] || sbx_A=\"$sbx_A $2/$3/${sbx_o#*/}\"; "
    "[ ${4:-0} = 0 ] || kill -USR1 $4;; "
    "-) sbx_take $2; [ -z \"$sbx_o\" ] || sbx_stop ${sbx_o#*/};; esac; }; "
    "sbx_end() { for sbx_e in $sbx_A; do sbx_r=${sbx_e%%/*}; sbx_o=${sbx_e#*/}; "
    "sbx_m=${sbx_o%/*}; sbx_stop ${sbx_o#*/}; sbx_bury gone 100 & sbx_k=\"$sbx_k $! \"; done; "
    "wait $sbx_k; }; "
    "trap \"\" TERM INT HUP QUIT PIPE; sbx_me=$$; sbx_w=$$; sbx_A=; "
    "[ -r /proc/self/stat ] || { sbx_say blind; exit; }; "
    "sbx_say ready; exec 2>/dev/null; IFS=\" $sbx_N\"; "
    "while TMOUT=0 read -r sbx_l; do sbx_hear $sbx_l; done; "
    "[ -n \"$sbx_A\" ] || exit; sbx_end; sleep 2; sbx_2=1; sbx_end";

/* sbx_say WORD...: a mark on both streams, which the near side finds by its nonce. */
static const char say[] = "sbx_say() { printf \"sbx:%s:%s;\" $sbx_n \"$*\"; "
                          "[ -t 0 ] || printf \"sbx:%s:%s;\" $sbx_n \"$*\" >&2; }; ";

static const char quiet_env[] =
    "[ $sbx_q = 0 ] || { PAGER=cat GIT_PAGER=cat MANPAGER=cat SYSTEMD_PAGER=cat "
    "GIT_TERMINAL_PROMPT=0 DEBIAN_FRONTEND=noninteractive; "
    "export PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER GIT_TERMINAL_PROMPT "
    "DEBIAN_FRONTEND; }; ";

static const char enter[] =
    "if [ -n \"$sbx_c\" ]; then cd \"$sbx_c\" 2>/dev/null || { "
    "if [ -d \"$sbx_c\" ]; then sbx_say cwd denied; elif [ -e \"$sbx_c\" ]; then "
    "sbx_say cwd file; else sbx_say cwd missing; fi; exit 255; }; fi; sbx_w=0; ";

static const char await_warden[] = "[ $sbx_d = 0 ] || sbx_d=2; ";

/* Nothing runs unwatched: where no process can be started any more, the command is none.
 */
static const char start_watchdog[] =
    "sbx_w=$( ( sbx_arm; exec </dev/null 2>/dev/null; exec >/dev/null; sbx_watch ) & echo $! ); "
    "[ -n \"$sbx_w\" ] || { echo sbx: cannot fork >&2; exit 255; }; ";

/*
 * SHLVL: a bash that sshd seems to have started reads ~/.bashrc once more, whose
 * noise would then stand in the command's output.
 */
static const char say_start[] =
    "sbx_say start $$ $sbx_w $sbx_1; "
    "[ ${SHLVL:-0} -ge 1 ] 2>/dev/null || { SHLVL=1; export SHLVL; }; ";

static const char environment[] = "sbx_env; SBX_RUN=$sbx_r; export SBX_RUN; ";
static const char become[] = "exec \"$@\"";

/*
 * A start-up file that reads standard input takes the header, and what comes behind it
 * is the command's input: that is never evaluated. TMOUT: bash, as sh too, has it end a
 * read that waits for so many seconds.
 */
static const char read_header[] =
    "IFS= TMOUT=0 read -r sbx_h || sbx_h=; case $sbx_h in sbx_n=*) ;; "
    "*) echo sbx: no header >&2; exit 255;; esac; eval \"$sbx_h\"; sbx_h=; ";

/*
 * A shell reads a line byte by byte, for what stands behind it is not its own. dd reads
 * once, and no more than it is told: it takes the sbx_z bytes of a long header in the
 * pieces in which they come. Lengths are bytes in the C locale, for a shell that heeds
 * it.
 */
static const char take_pieces[] =
    "sbx_h= sbx_i=0 sbx_a=${LC_ALL-} sbx_b=${LC_ALL+x} LC_ALL=C; "
    "sbx_s=\303\244; if [ ${#sbx_s} = 2 ] && command -v dd >/dev/null 2>&1; then while [ $sbx_i -lt $sbx_z ]; do "
    "sbx_s=$(dd bs=$((sbx_z-sbx_i)) count=1 2>/dev/null; echo .); sbx_s=${sbx_s%.}; "
    "[ -n \"$sbx_s\" ] || exit 255; sbx_h=$sbx_h$sbx_s; sbx_i=$((sbx_i+${#sbx_s})); done; "
    "else IFS= read -r sbx_h || exit 255; fi; "
    "LC_ALL=$sbx_a; [ -n \"$sbx_b\" ] || unset LC_ALL; eval \"$sbx_h\"\n";

/*
 * sbx_1 becomes a number that tells one world behind a prefix from another: the start of
 * what is process 1 there. It clobbers the words.
 */
static const char world[] =
    "sbx_1=0; [ -r /proc/1/stat ] && { IFS= read -r sbx_s </proc/1/stat; "
    "set -- ${sbx_s##*\")\"}; sbx_1=${20}; }; ";

static const char need_terminal[] =
    "[ -t 0 ] || { echo sbx: no terminal >&2; exit 255; }; ";

/* A terminal would echo and edit the header: it is made raw until it is read. */
static const char raw_terminal[] =
    "sbx_g=$(stty -g); stty raw -echo; printf \"sbx:ready;\"; ";
static const char cooked_terminal[] = "stty \"$sbx_g\"; ";

static int command_line(const char *const *parts, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = 32 * 1024};

    sbi_str_add(&text, "exec /bin/sh -c '");
    for (; *parts != NULL; parts++)
        sbi_str_add(&text, *parts);
    sbi_str_add(&text, "'");
    return sbi_str_take(&text, out, err);
}

int sbi_shell_supervisor(const struct sbi_shell_kind *kind, char **out, sbx_error *err)
{
    const char *const parts[] = {": sbx supervisor ",
                                 kind->tag,
                                 "; ",
                                 SBI_FAR_NEWLINE,
                                 kind->prefixed ? world : "",
                                 kind->prefixed && kind->pty ? need_terminal : "",
                                 kind->pty ? raw_terminal : "",
                                 read_header,
                                 kind->pty ? cooked_terminal : "",
                                 say,
                                 enter,
                                 kind->watched ? "" : SBI_FAR_ALIVE,
                                 kind->watched ? "" : SBI_FAR_LIST,
                                 kind->watched ? "" : SBI_FAR_KILL,
                                 kind->watched ? "" : SBI_SHELL_NOTE,
                                 kind->watched ? "" : SBI_SHELL_BURY,
                                 kind->watched ? "" : watchdog,
                                 kind->guarded_later ? await_warden : "",
                                 kind->watched ? "" : start_watchdog,
                                 quiet_env,
                                 environment,
                                 say_start,
                                 become,
                                 NULL};

    return command_line(parts, out, err);
}

int sbi_shell_warden(char **out, sbx_error *err)
{
    const char *const parts[] = {": sbx warden; ",
                                 SBI_FAR_NEWLINE,
                                 read_header,
                                 SBI_FAR_ALIVE,
                                 SBI_FAR_LIST,
                                 SBI_FAR_KILL,
                                 SBI_SHELL_NOTE,
                                 SBI_SHELL_BURY,
                                 say,
                                 warden,
                                 NULL};

    return command_line(parts, out, err);
}

/*
 * A run that was stopped before its pid was known may be a login shell or a supervisor
 * yet, which has no environment of ours, but the run's tag in its command line; so has an
 * undertaker that did not get behind the prefix. What
 * leads its session is the command's to be; the rest are a watchdog and subshells. Who
 * asks this, and what brought it here, have the tag as well where both sides of a prefix
 * see the same processes: they are left alone.
 */
static const char find[] =
    "sbx_own() { sbx_O=\" \"; sbx_V=$sbx_me; while [ $sbx_V -gt 1 ] && "
    "{ IFS= read -r sbx_s </proc/$sbx_V/stat; } 2>/dev/null; do sbx_O=\"$sbx_O$sbx_V \"; "
    "set -- ${sbx_s##*\")\"}; sbx_V=$2; done; }; "
    "sbx_find() { IFS=\" $sbx_N\"; sbx_own; for sbx_f in $(grep -ls \"sbx [su][a-z]*r $sbx_g\" "
    "/proc/[0-9]*/cmdline 2>/dev/null); do sbx_f=${sbx_f#/proc/}; sbx_f=${sbx_f%/*}; "
    "case $sbx_O in *\" $sbx_f \"*) continue;; esac; "
    "{ IFS= read -r sbx_s </proc/$sbx_f/stat; } 2>/dev/null || continue; "
    "set -- ${sbx_s##*\")\"}; if [ $4 = $sbx_f ]; then "
    "sbx_m=$sbx_f; sbx_x=\"$sbx_x $sbx_f\"; "
    "else kill -KILL $sbx_f 2>/dev/null; fi; done; }; ";

/* Who asked may be gone as soon as it is told; what is noted behind that does not hold it
 * up. */
int sbi_shell_undertaker(const char *tag, char **out, sbx_error *err)
{
    static const char bury[] =
        "[ $sbx_0 = 0 ] || [ $sbx_0 = $sbx_1 ] || { sbx_say elsewhere; exit; }; "
        "sbx_me=$$; [ $sbx_w -gt 1 ] || sbx_w=$$; "
        "[ $sbx_m -gt 0 ] || sbx_find; "
        "sbx_look; sbx_kill $sbx_k || { sbx_say blind; exit; }; "
        "[ -n \"$sbx_L\" ] || [ $sbx_w = $$ ] || kill -KILL $sbx_w 2>/dev/null; "
        "trap \"\" PIPE HUP; if [ -n \"$sbx_L\" ]; then sbx_say alive $sbx_L; "
        "else sbx_say dead; fi; exec >/dev/null 2>/dev/null; sbx_told asked";
    const char *const parts[] = {": sbx undertaker ",
                                 tag,
                                 "; ",
                                 SBI_FAR_NEWLINE,
                                 world,
                                 read_header,
                                 SBI_FAR_ALIVE,
                                 SBI_FAR_LIST,
                                 SBI_FAR_KILL,
                                 SBI_SHELL_NOTE,
                                 SBI_SHELL_BURY,
                                 find,
                                 say,
                                 bury,
                                 NULL};

    return command_line(parts, out, err);
}

/* cd reads `-` and a word without a slash in ways of its own; ~ is the home over there.
 */
static void add_cwd(struct sbi_str *text, const char *cwd)
{
    if (cwd == NULL) {
        sbi_str_add(text, "''");
        return;
    }
    if (cwd[0] == '~' && (cwd[1] == '/' || cwd[1] == '\0')) {
        sbi_str_add(text, "$HOME");
        cwd++;
    } else if (cwd[0] != '/') {
        sbi_str_add(text, "./");
    }
    sbi_far_quote(text, cwd);
}

static void add_env(struct sbi_str *text, const char *const *env)
{
    const char *equals;

    sbi_str_add(text, "sbx_env() { :; ");
    for (; env != NULL && *env != NULL; env++) {
        equals = strchr(*env, '=');
        sbi_str_add(text, "export ");
        sbi_str_add_bytes(text, *env, (size_t)(equals - *env) + 1);
        sbi_far_quote(text, equals + 1);
        sbi_str_add(text, "; ");
    }
    sbi_str_add(text, "}; ");
}

static void add_shell(struct sbi_str *text, const char *shell)
{
    size_t length;

    if (shell == NULL) {
        sbi_str_add(text, "sbx_s=/bin/sh; command -v bash >/dev/null 2>&1 && sbx_s=bash; "
                          "sbx_s=${" SBI_COMPUTER_SHELL ":-$sbx_s}; "
                          "set -- \"$sbx_s\"");
        return;
    }
    sbi_str_add(text, "sbx_s=; set --");
    for (shell += strspn(shell, " "); *shell != '\0'; shell += strspn(shell, " ")) {
        SBI_AUTO_STR word = {0};

        length = strcspn(shell, " ");
        sbi_str_add_bytes(&word, shell, length);
        sbi_str_add(text, " ");
        if (word.status != SBX_OK)
            text->status = word.status;
        else
            sbi_far_quote(text, word.data);
        shell += length;
    }
}

/*
 * One argument holds at most 128 KiB on Linux. A longer text travels in several, which
 * the shell puts together again; what it then runs sees no arguments.
 */
static void add_long_text(struct sbi_str *text, const char *command)
{
    size_t length = strlen(command), pieces = (length + TEXT_PIECE - 1) / TEXT_PIECE, i;

    sbi_str_add(text, " -c 'sbx_t=; while [ $# -gt 0 ]; do sbx_t=$sbx_t$1; shift; done; "
                      "eval \"$sbx_t\"' ");
    sbi_str_add(text, "\"$sbx_s\"");
    for (i = 0; i < pieces; i++) {
        SBI_AUTO_STR piece = {0};
        size_t left = length - i * TEXT_PIECE;

        sbi_str_add_bytes(&piece, command + i * TEXT_PIECE,
                          left < TEXT_PIECE ? left : TEXT_PIECE);
        sbi_str_add(text, " ");
        if (piece.data != NULL)
            sbi_far_quote(text, piece.data);
    }
}

static void add_words(struct sbi_str *text, const struct sbi_shell_run *run)
{
    const char *const *word;

    if (run->argv != NULL) {
        sbi_str_add(text, "set --");
        for (word = run->argv; *word != NULL; word++) {
            sbi_str_add(text, " ");
            sbi_far_quote(text, *word);
        }
        return;
    }
    add_shell(text, run->shell);
    if (strlen(run->command) > TEXT_PIECE) {
        add_long_text(text, run->command);
        return;
    }
    sbi_str_add(text, " -c ");
    sbi_far_quote(text, run->command);
}

/* The login's folders count, not those that the run's environment names. */
static void add_keeper(struct sbi_str *text, const char *run_id)
{
    sbi_str_add(text, "; " SBI_SHELL_HOMES "set -- /bin/sh -c ");
    sbi_far_quote(text, sbi_shell_keeper);
    sbi_str_addf(text, " sbx %s \"$sbx_H\" \"$sbx_Y\" \"$@\"", run_id);
}

int sbi_shell_farewell(const int64_t *watchdogs, size_t count, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = 16 * 1024};
    SBI_AUTO_STR pids = {.limit = 8 * 1024};
    size_t i;

    for (i = 0; i < count; i++)
        sbi_str_addf(&pids, "%lld ", (long long)watchdogs[i]);
    sbi_str_addf(&text, "exec /bin/sh -c ': sbx farewell %s; kill -KILL %s2>/dev/null'",
                 pids.data == NULL ? "" : pids.data, pids.data == NULL ? "" : pids.data);
    return sbi_str_take(&text, out, err);
}

static int take_line(struct sbi_str *text, char **out, size_t *length, sbx_error *err)
{
    size_t full;

    sbi_str_add(text, "\n");
    full = text->length;
    if (sbi_str_take(text, out, err) < 0)
        return err == NULL ? SBX_ERR_NO_MEMORY : err->code;
    *length = full;
    return SBX_OK;
}

/* text: a short line that stands for it, and itself. */
static int take_in_pieces(struct sbi_str *text, const char *nonce, char **out,
                          size_t *length, sbx_error *err)
{
    SBI_AUTO_STR line = {0};
    SBI_AUTOFREE char *body = NULL;
    size_t full = text->length + 1; /* with its newline */

    if (sbi_str_take(text, &body, err) < 0)
        return err == NULL ? SBX_ERR_NO_MEMORY : err->code;
    sbi_str_addf(&line, "sbx_n=%s sbx_z=%zu; %s", nonce, full, take_pieces);
    sbi_str_add(&line, body);
    return take_line(&line, out, length, err);
}

int sbi_shell_header(const struct sbi_shell_run *run, char **out, size_t *length,
                     sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    sbi_str_addf(&text,
                 "sbx_n=%s sbx_r=%s sbx_t=%lld sbx_d=%d sbx_q=%d sbx_c=", run->nonce,
                 run->run_id, (long long)run->limit_s, run->detach ? 1 : 0,
                 run->interactive ? 0 : 1);
    add_cwd(&text, run->cwd);
    sbi_str_add(&text, "; ");
    add_env(&text, run->env);
    add_words(&text, run);
    if (run->keep)
        add_keeper(&text, run->run_id);
    if (text.length > HEADER_LINE && !run->pty)
        return take_in_pieces(&text, run->nonce, out, length, err);
    return take_line(&text, out, length, err);
}

int sbi_shell_burial_header(const struct sbi_shell_burial *burial, char **out,
                            size_t *length, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = 4096};

    sbi_str_addf(&text,
                 "sbx_n=%s sbx_r=%s sbx_g=%s sbx_m=%lld sbx_w=%lld sbx_k=%lld "
                 "sbx_0=%lld",
                 burial->nonce, burial->run_id, burial->tag, (long long)burial->pid,
                 (long long)burial->watchdog, (long long)(burial->kill_after_ms / 10),
                 (long long)burial->world);
    return take_line(&text, out, length, err);
}
