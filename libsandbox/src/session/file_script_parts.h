/*
 * file_script_parts.h - functions of shell that the scripts on files begin with.
 *
 * Names may hold newlines: what $(...) would cut from their ends is kept by a dot behind
 * them. A redirection that may fail stands in a subshell: dash ends with it.
 */
#ifndef SANDBOX_SESSION_FILE_SCRIPT_PARTS_H
#define SANDBOX_SESSION_FILE_SCRIPT_PARTS_H

#include "base/far.h"

/*
 * fail WORD [DETAIL]: the word for file_said.c, and the end. lost: why P is not there,
 * from the first folder that is missing on the way. follow: P becomes what it points to.
 */
#define SBI_FILE_BEGIN                                                                   \
    "LC_ALL=C; export LC_ALL\n"                                                          \
    "N='\n"                                                                              \
    "'\n"                                                                                \
    "fail() { printf 'sbx-file:%s\\n' \"$*\" >&2; exit 9; }\n"                           \
    "is_there() { [ -e \"$P\" ] || [ -L \"$P\" ]; }\n"                                   \
    "strip() { while :; do case $P in ?*/) P=${P%/} ;; *) break ;; esac; done; }\n"      \
    "lost() {\n"                                                                         \
    "    d=$P\n"                                                                         \
    "    while :; do\n"                                                                  \
    "        d=${d%/*}\n"                                                                \
    "        [ -d \"${d:-/}\" ] && break\n"                                              \
    "        [ ! -e \"$d\" ] || fail notdir \"$d\"\n"                                    \
    "        [ \"$d\" != . ] || fail missing\n"                                          \
    "    done\n"                                                                         \
    "    [ -x \"${d:-/}\" ] || fail denied \"${d:-/}\"\n"                                \
    "    fail missing\n"                                                                 \
    "}\n"                                                                                \
    "follow() {\n"                                                                       \
    "    i=0\n"                                                                          \
    "    while [ -L \"$P\" ]; do\n"                                                      \
    "        [ $((i += 1)) -le 40 ] || fail loop\n"                                      \
    "        t=$(readlink \"$P\" && printf .) || fail tool readlink\n"                   \
    "        case $t in /*) P= ;; *) P=${P%/*}/ ;; esac\n"                               \
    "        P=$P${t%\"$N.\"}\n"                                                         \
    "    done\n"                                                                         \
    "}\n"

/*
 * judge MESSAGE [STATUS]: why a change in folder D failed, by what the tool said and
 * ended with ($?). What can be asked of the system is asked; what only strerror tells (a
 * quota) is read from the end of the message, which is in the C locale; a tool that
 * SIGXFSZ has killed says nothing. homeless: lost, but that D is missing is the whole
 * reason. folder PARENTS: D becomes P's folder, made if that is wanted.
 */
#define SBI_FILE_JUDGE                                                                   \
    "free() {\n"                                                                         \
    "    f=-1 p=-1\n"                                                                    \
    "    for w in $(df \"$1\" \"$D\" 2>/dev/null | tail -n 1); do\n"                     \
    "        case $w in -|[0-9]%|[0-9][0-9]%|100%) f=$p ;; esac\n"                       \
    "        p=$w\n"                                                                     \
    "    done\n"                                                                         \
    "    case $f in *[!0-9]*) f=-1 ;; esac\n"                                            \
    "}\n"                                                                                \
    "full() {\n"                                                                         \
    "    free -Pi; i=$f; free -Pk\n"                                                     \
    "    [ \"$1\" = sure ] || [ \"$f\" = 0 ] || [ \"$i\" = 0 ] || return 0\n"            \
    "    [ \"$f\" = -1 ] || f=$((f * 1024))\n"                                           \
    "    fail full \"$f\" \"$i\" \"$D\"\n"                                               \
    "}\n"                                                                                \
    "judge() {\n"                                                                        \
    "    r=${2:-$?}\n"                                                                   \
    "    set -f\n"                                                                       \
    "    [ $r != 153 ] || fail toobig\n"                                                 \
    "    while [ ! -d \"$D\" ] && [ \"$D\" != . ]; do D=${D%/*}; D=${D:-/}; done\n"      \
    "    case ${1##*: } in\n"                                                            \
    "    *'No space left'*) full sure ;;\n"                                              \
    "    *uota*) fail quota \"$D\" ;;\n"                                                 \
    "    *'Read-only file'*) fail readonly \"$D\" ;;\n"                                  \
    "    *'ermission denied'*|*'not permitted'*) fail denied \"$D\" ;;\n"                \
    "    *'Not a directory'*|*'No such file'*) lost ;;\n"                                \
    "    *'name too long'*) fail toolong ;;\n"                                           \
    "    *'too large'*) fail toobig ;;\n"                                                \
    "    esac\n"                                                                         \
    "    full maybe\n"                                                                   \
    "    [ \"$1\" ] || fail other \"a tool over there ended with $r\"\n"                 \
    "    fail other \"${1##*: }\"\n"                                                     \
    "}\n"                                                                                \
    "homeless() {\n"                                                                     \
    "    m=$( (lost) 2>&1 )\n"                                                           \
    "    case $m in *:missing) fail parent \"$D\" ;; esac\n"                             \
    "    lost\n"                                                                         \
    "}\n"                                                                                \
    "folder() {\n"                                                                       \
    "    D=${P%/*}; D=${D:-/}\n"                                                         \
    "    [ -d \"$D\" ] && return\n"                                                      \
    "    [ \"$1\" = 1 ] || homeless\n"                                                   \
    "    m=$(mkdir -p \"$D\" 2>&1) || judge \"$m\"\n"                                    \
    "}\n"

/* Which tool tells of files: stat of GNU and BusyBox, stat of BSD, or ls alone. */
#define SBI_FILE_FLAVOR                                                                  \
    "flavor() {\n"                                                                       \
    "    if stat -c %f / >/dev/null 2>&1; then S=c\n"                                    \
    "    elif stat -f %p / >/dev/null 2>&1; then S=b\n"                                  \
    "    else S=l; fi\n"                                                                 \
    "}\n"

/* facts FILE: its bytes B, mode M and owner O, these two empty without stat. */
#define SBI_FILE_OWN                                                                     \
    "facts() {\n"                                                                        \
    "    set -- \"$1\" $(stat -c '%s %a %u:%g' \"$1\" 2>/dev/null || stat -f '%z "       \
    "%Mp%Lp %u:%g' \"$1\" 2>/dev/null)\n"                                                \
    "    B=$2 M=$3 O=$4\n"                                                               \
    "    [ \"$B\" ] || B=$(($(wc -c <\"$1\")))\n"                                        \
    "}\n"

/* sum FILE: its SHA-256 H; 1 where no tool computes it. */
#define SBI_FILE_SUM                                                                     \
    "sum() {\n"                                                                          \
    "    if command -v sha256sum >/dev/null; then H=$(sha256sum <\"$1\")\n"              \
    "    elif command -v shasum >/dev/null; then H=$(shasum -a 256 <\"$1\")\n"           \
    "    elif command -v openssl >/dev/null; then H=$(openssl dgst -sha256 "             \
    "<\"$1\"); H=${H##* }\n"                                                             \
    "    elif command -v sha256 >/dev/null; then H=$(sha256 <\"$1\")\n"                  \
    "    else H=; return 1; fi\n"                                                        \
    "    H=${H%% *}\n"                                                                   \
    "    [ ${#H} = 64 ]\n"                                                               \
    "}\n"

/*
 * take FOLDER [LIKE]: standard input becomes t, a file in FOLDER that is removed however
 * this ends. It has Z bytes; where Z is `-` it ends in K, which is cut off: so that an
 * input that ended with its client is never taken for the whole.
 */
#define SBI_FILE_TAKE                                                                    \
    "take() {\n"                                                                         \
    "    t=$1/.sbx-write.$K\n"                                                           \
    "    trap 'rm -f \"$t\"' EXIT\n"                                                     \
    "    trap 'exit 9' HUP INT TERM PIPE\n"                                              \
    "    if [ \"$2\" ]; then\n"                                                          \
    "        m=$(cp -p \"$2\" \"$t\" 2>&1 && cat 2>&1 >\"$t\") || judge \"$m\"\n"        \
    "    else\n"                                                                         \
    "        m=$(umask 077; set -C; exec 2>&1; cat >\"$t\") || judge \"$m\"\n"           \
    "    fi\n"                                                                           \
    "    facts \"$t\"\n"                                                                 \
    "    if [ \"$Z\" = - ]; then\n"                                                      \
    "        Z=$((B - ${#K}))\n"                                                         \
    "        [ $Z -ge 0 ] && [ \"$(tail -c ${#K} \"$t\")\" = \"$K\" ] || fail "          \
    "cut $B\n"                                                                           \
    "        m=$(dd if=/dev/null of=\"$t\" bs=1 seek=$Z 2>&1) || judge \"$m\"\n"         \
    "    elif [ $B != $Z ]; then\n"                                                      \
    "        fail cut $B\n"                                                              \
    "    fi\n"                                                                           \
    "    B=$Z\n"                                                                         \
    "}\n"

/* P becomes the file to be written: a regular one, or one that is not there. */
#define SBI_FILE_TARGET                                                                  \
    "case $P in */) fail slash ;; esac\n"                                                \
    "follow\n"                                                                           \
    "case $P in */|*/.|*/..) fail isdir ;; esac\n"                                       \
    "[ ! -d \"$P\" ] || fail isdir\n"                                                    \
    "[ ! -e \"$P\" ] || [ -f \"$P\" ] || fail special\n"                                 \
    "[ ! -e \"$P\" ] || [ -w \"$P\" ] || fail denied \"$P\"\n"

/*
 * real: Q becomes the one true name of P, which may be a link itself. rails: neither the
 * root, nor the home of a person, nor a folder with one in it, whatever name it goes by.
 */
#define SBI_FILE_RAILS                                                                   \
    "bare() {\n"                                                                         \
    "    i=$P\n"                                                                         \
    "    strip\n"                                                                        \
    "    [ \"$i\" = \"$P\" ] || [ ! -L \"$P\" ] || fail linkslash\n"                     \
    "}\n"                                                                                \
    "real() {\n"                                                                         \
    "    case $P in\n"                                                                   \
    "    .|*/.|*/..)\n"                                                                  \
    "        Q=$(cd -P \"$P\" 2>/dev/null && pwd -P && printf .) || fail denied "        \
    "\"$P\"\n"                                                                           \
    "        Q=${Q%\"$N.\"} P=${Q%\"$N.\"} ;;\n"                                         \
    "    *)\n"                                                                           \
    "        Q=${P%/*}\n"                                                                \
    "        Q=$(cd -P \"${Q:-/}\" 2>/dev/null && pwd -P && printf .) || lost\n"         \
    "        Q=${Q%\"$N.\"}\n"                                                           \
    "        Q=${Q%/}/${P##*/} ;;\n"                                                     \
    "    esac\n"                                                                         \
    "}\n"                                                                                \
    "spare() {\n"                                                                        \
    "    [ \"$1\" ] && [ -d \"$1\" ] || return 0\n"                                      \
    "    h=$(cd -P \"$1\" 2>/dev/null && pwd -P && printf .) || return 0\n"              \
    "    h=${h%\"$N.\"}\n"                                                               \
    "    [ \"$h\" != / ] || return 0\n"                                                  \
    "    case $h/ in \"${Q%/}\"/*) fail never \"$h\" ;; esac\n"                          \
    "    [ -L \"$P\" ] || [ ! \"$P\" -ef \"$h\" ] || fail never \"$h\"\n"                \
    "}\n"                                                                                \
    "rails() {\n"                                                                        \
    "    [ \"$Q\" != / ] && { [ -L \"$P\" ] || [ ! \"$P\" -ef / ]; } || fail "           \
    "never /\n"                                                                          \
    "    spare \"${HOME-}\"\n"                                                           \
    "    [ -r /etc/passwd ] || return 0\n"                                               \
    "    while IFS=: read -r a b c d e f g; do\n"                                        \
    "        case $c in 0|50[0-9]|[1-9][0-9][0-9][0-9]*) [ $c = 65534 ] || spare "       \
    "\"$f\" ;; esac\n"                                                                   \
    "    done </etc/passwd\n"                                                            \
    "}\n"

/* goal TO PARENTS OVERWRITE: F is what P was, P where it is to go; n is its name. */
#define SBI_FILE_GOAL                                                                    \
    "goal() {\n"                                                                         \
    "    F=$P q=$Q\n"                                                                    \
    "    sbx_at \"$1\" || fail nohome\n"                                                 \
    "    case $P in\n"                                                                   \
    "    */)\n"                                                                          \
    "        D=$P\n"                                                                     \
    "        [ -d \"$P\" ] || [ \"$2\" = 0 ] || m=$(mkdir -p \"$P\" 2>&1) || "           \
    "judge \"$m\"\n"                                                                     \
    "        [ -d \"$P\" ] || homeless\n"                                                \
    "        P=$P$n ;;\n"                                                                \
    "    esac\n"                                                                         \
    "    case $P in */.|*/..) fail isthere ;; esac\n"                                    \
    "    folder \"$2\"\n"                                                                \
    "    [ ! \"$P\" -ef \"$F\" ] || [ -L \"$F\" ] || fail same\n"                        \
    "    [ ! -d \"$P\" ] || fail isthere\n"                                              \
    "    if is_there; then\n"                                                            \
    "        [ \"$3\" = 1 ] || fail over \"$P\"\n"                                       \
    "        [ ! -d \"$F\" ] || [ -L \"$F\" ] || fail notdir \"$P\"\n"                   \
    "    fi\n"                                                                           \
    "    i=$(cd -P \"$D\" 2>/dev/null && pwd -P)\n"                                      \
    "    [ -L \"$F\" ] || [ ! -d \"$F\" ] || case $i/ in \"$q\"/*) fail inside "         \
    ";; esac\n"                                                                          \
    "}\n"

/* P becomes the path that was given. */
#define SBI_FILE_START "sbx_at \"$1\" || fail nohome\n"

#endif
