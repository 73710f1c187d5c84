/* far_script.c - plain POSIX sh; names reach a tool as arguments or end in NUL. */
#include "sync/far_script.h"

#include "base/far.h"

#define FOLDER SBI_FAR_STAGE

#define PACKING                                                                          \
    "pack() { case $1 in zstd) zstd -q -1 -c ;; gzip) gzip -1 -c ;; *) cat ;; esac; }\n" \
    "unpack() { case $1 in zstd) zstd -q -d -c ;; gzip) gzip -d -c ;; *) cat ;; esac; }\n"

/*
 * The state of a path is told by looking, not by what a tool says of it; a link to a file
 * is that file. `cd -P` leaves the absolute path in PWD without a process of its own. G
 * is where a push goes.
 */
#define LISTING                                                                          \
    "LC_ALL=C; export LC_ALL\n" SBI_FAR_PATH PACKING                                     \
    "has() { command -v \"$1\" >/dev/null 2>&1; }\n"                                     \
    "F=- T=- K=none C=- B= same=0 M=$8 X=$9 Y=${10} Z=${11} W=${12} R=\n"                \
    "tell() {\n"                                                                         \
    "    printf 'sbx1\\0%s\\0%s\\0%s\\0' \"$1\" \"$F\" \"$T\"\n"                         \
    "    printf '%s\\0%s\\0%s\\0' \"$K\" \"$C\" \"$same\"\n"                             \
    "    printf '%s\\0%s\\0%s\\0%s\\0' \"$2\" \"$B\" \"${HOME-}\" \"$R\"\n"              \
    "}\n"                                                                                \
    "sbx_at \"$1\" || { tell nohome ''; exit 0; }\n"                                     \
    "case $P in ./*) P=${PWD%/}/${P#./} ;; esac\n"                                       \
    "if [ -n \"$2\" ]; then\n"                                                           \
    "    case $P in */) P=$P$2 ;; *) [ ! -d \"$P\" ] || P=$P/$2 ;; esac\n"               \
    "fi\n"                                                                               \
    "D=$P state=folder\n"                                                                \
    "while :; do case $D in ?*/) D=${D%/} ;; *) break ;; esac; done\n"                   \
    "Q=$D\n"                                                                             \
    "if [ ! -d \"$P\" ]; then\n"                                                         \
    "    state=file\n"                                                                   \
    "    if [ ! -e \"$P\" ] && [ ! -h \"$Q\" ]; then\n"                                  \
    "        state=missing A=$Q\n"                                                       \
    "        while [ ! -e \"$A\" ] && [ ! -h \"$A\" ]; do A=${A%/*}; A=${A:-/}; done\n"  \
    "        if [ ! -d \"$A\" ] || [ ! -x \"$A\" ]; then state=denied Q=$A; fi\n"        \
    "    elif [ ! -f \"$P\" ]; then state=other; fi\n"                                   \
    "    while [ $state = file ] && [ -h \"$D\" ]; do\n"                                 \
    "        v=$(readlink \"$D\" && printf .) && v=${v%??} || { state=other; v=; }\n"    \
    "        case $v in /*) D=$v ;; *) D=${D%/*}/$v ;; esac\n"                           \
    "        [ ${#D} -lt 4096 ] && [ -f \"$D\" ] || state=other\n"                       \
    "    done\n"                                                                         \
    "    B=${D##*/} D=${D%/*}/\n"                                                        \
    "fi\n"                                                                               \
    "case $state in denied | other) B=; tell $state \"$Q\"; exit 0 ;; esac\n"            \
    "if [ -n \"$5\" ]; then\n"                                                           \
    "    F=${5%% *} C=${5##* } T=${5#* } T=${T%% *} K=${5% *} K=${K##* }\n"              \
    "else\n"                                                                             \
    "    if find / -maxdepth 0 -printf '' >/dev/null 2>&1; then F=gnu\n"                 \
    "    elif stat -c %Y / >/dev/null 2>&1; then F=stat\n"                               \
    "    elif stat -f %m / >/dev/null 2>&1; then F=bsd\n"                                \
    "    else F=none; fi\n"                                                              \
    "    if has tar; then\n"                                                             \
    "        case $(tar --version 2>/dev/null) in\n"                                     \
    "        *GNU*) T=gnu ;;\n"                                                          \
    "        *bsdtar*) T=bsd ;;\n"                                                       \
    "        *) T=small ;;\n"                                                            \
    "        esac\n"                                                                     \
    "    else T=none; fi\n"                                                              \
    "    for k in $3; do has $k && { K=$k; break; }; done\n"                             \
    "    v=$(cp --version 2>/dev/null)\n"                                                \
    "    case ${v#'cp (GNU coreutils) '} in\n"                                           \
    "    8.2[789]* | 8.3* | 9* | [1-9][0-9]*) C=links ;;\n"                              \
    "    esac\n"                                                                         \
    "fi\n"                                                                               \
    "S=. I='- - -' L=-P\n"                                                               \
    "[ \"$6\" != 1 ] || I='%D %i %n' L=-H\n"                                             \
    "[ \"$7\" != 1 ] || L=-L\n"                                                          \
    "list() {\n"                                                                         \
    "    case $F in\n"                                                                   \
    "    gnu)\n"                                                                         \
    "        find $L \"$S\" -path ./" FOLDER " -prune \\\n"                              \
    "            -o -path . -printf \"//d %m 0 0 - - - \\0\" \\\n"                       \
    "            -o -type f -printf \"%P//f %m %s %T@ $I \\0\" \\\n"                     \
    "            -o -type d -printf \"%P//d %m 0 %T@ $I \\0\" \\\n"                      \
    "            -o -type l -printf \"%P//l %m 0 %T@ $I %l\\0\" \\\n"                    \
    "            -o -printf \"%P//p %m 0 %T@ $I \\0\"\n"                                 \
    "        ;;\n"                                                                       \
    "    stat)\n"                                                                        \
    "        [ $L != -L ] || set -- -L\n"                                                \
    "        find $L \"$S\" -path ./" FOLDER " -prune -o -print0 |\n"                    \
    "            xargs -0 stat $1 -c \"$M%n//%f %s %Y %d %i %h %N\"\n"                   \
    "        ;;\n"                                                                       \
    "    bsd)\n"                                                                         \
    "        [ $L != -L ] || set -- -L\n"                                                \
    "        find $L \"$S\" -path ./" FOLDER " -prune -o -print0 |\n"                    \
    "            xargs -0 stat $1 -f \"$M%N//%p %z %Fm %d %i %l %Y\"\n"                  \
    "        ;;\n"                                                                       \
    "    esac\n"                                                                         \
    "}\n"                                                                                \
    "ended() {\n"                                                                        \
    "    case $F in\n"                                                                   \
    "    gnu) printf 'E %d\\0' $1 ;;\n"                                                  \
    "    *) printf '%sE %d\\n' \"$M\" $1 ;;\n"                                           \
    "    esac\n"                                                                         \
    "}\n"                                                                                \
    "part() {\n"                                                                         \
    "    if [ -f \"$1\" ] && [ ! -h \"$1\" ]; then\n"                                    \
    "        set -- ${1##*-} $(wc -c <\"$1\") $(sha256sum <\"$1\")\n"                    \
    "        R=\"$R$1 $2 $3 \"\n"                                                        \
    "    fi\n"                                                                           \
    "}\n"                                                                                \
    "expected() {\n"                                                                     \
    "    [ -n \"$1\" ] && [ $F = gnu ] || return 1\n"                                    \
    "    [ \"$PWD\" = \"$X\" ] && [ \"${HOME-}\" = \"$Y\" ] || return 1\n"               \
    "    set -- \"$1\" \"$(set --; { list || echo; } | sort -z | sha256sum)\"\n"         \
    "    [ \"${2%% *}\" = \"$1\" ]\n"                                                    \
    "}\n"                                                                                \
    "if [ $state = missing ]; then\n"                                                    \
    "    cd -P \"$A\" 2>/dev/null || { B=; tell denied \"$A\"; exit 0; }\n"              \
    "    Q=${Q#\"$A\"} G=${PWD%/}/${Q#/}\n"                                              \
    "    if [ -n \"$2\" ]; then B=${G##*/} G=${G%/*} G=${G:-/}; else B=; fi\n"           \
    "    tell missing \"$G\"\n"                                                          \
    "else\n"                                                                             \
    "    cd -P \"$D\" 2>/dev/null && [ -r . ] && [ -x . ] ||\n"                          \
    "        { B=; tell denied \"$D\"; exit 0; }\n"                                      \
    "    G=$PWD\n"                                                                       \
    "    [ $F != none ] || { tell $state \"$G\"; exit 0; }\n"                            \
    "    [ -z \"$B\" ] || S=./$B\n"                                                      \
    "    [ $Z != 1 ] || for v in " FOLDER "/part-*; do part \"$v\"; done\n"              \
    "    if expected \"$4\"; then same=1; fi\n"                                          \
    "    tell $state \"$G\"\n"                                                           \
    "    if [ $same = 1 ]; then :\n"                                                     \
    "    elif [ $W = 1 ]; then list; ended $?\n"                                         \
    "    else (set --; list; ended $?) | pack $K; fi\n"                                  \
    "fi\n"

/*
 * All comes first into a folder of the same file system. `cp -l` of a GNU that replaces
 * by rename is one process for any number of files, where `mv` is one for each folder.
 * What is left of runs that were killed a day ago is swept.
 */
#define PLACING                                                                          \
    "no() {\n"                                                                           \
    "    while [ ! -d \"$J\" ]; do J=${J%/*}; J=${J:-/}; done\n"                         \
    "    echo \"sbx1 no $1\" 2>/dev/null || lost=1\n"                                    \
    "    for o in -Pk -Pi; do df $o \"$J\" 2>/dev/null | tail -n 1; done\n"              \
    "    exit 0\n"                                                                       \
    "}\n"                                                                                \
    "trap '' PIPE\n"                                                                     \
    "umask 077\n"                                                                        \
    "S=" FOLDER "/$2 J=$1 bad=0 last='*' lost=0\n"                                       \
    "[ -d \"$1\" ] || (umask 022; mkdir -p \"$1\") || no folder\n"                       \
    "cd \"$1\" || no folder\n"                                                           \
    "[ ! -h " FOLDER " ] && mkdir -p $S || no staging\n"                                 \
    "set -- \"$@\" " FOLDER "/*\n"                                                       \
    "[ $# -le 5 ] || find " FOLDER                                                       \
    " -mindepth 1 -maxdepth 1 -mtime +0 -exec rm -rf {} +\n"                             \
    "each() {\n"                                                                         \
    "    n=$1; shift\n"                                                                  \
    "    for f in $S/c/$n.*; do [ ! -e $f ] || xargs -0 \"$@\" <$f || bad=1; done\n"     \
    "}\n"                                                                                \
    "leave() {\n"                                                                        \
    "    if [ $lost = 1 ]; then\n"                                                       \
    "        each part mv -f 2>/dev/null\n"                                              \
    "        each rest sh -c \\\n"                                                       \
    "            '[ $(wc -c <\"$2\") = $4 ] && cat \"$3\" >>\"$2\"' sbx 2>/dev/null\n"   \
    "    fi\n"                                                                           \
    "    rm -rf $S\n"                                                                    \
    "    rmdir " FOLDER " 2>/dev/null\n"                                                 \
    "}\n"                                                                                \
    "trap leave EXIT\n"                                                                  \
    "trap 'lost=1; exit 143' HUP INT TERM\n"                                             \
    "O=\n"                                                                               \
    "[ $4 != small ] || umask 0\n"                                                       \
    "[ \"$4\" != gnu ] || O=--warning=no-unknown-keyword\n"                              \
    "extract() { tar -xpo $O -f - \"$@\"; }\n"                                           \
    "if [ $3 = none ]; then extract -C $S\n"                                             \
    "else unpack $3 | extract -C $S; fi || no unpack\n"                                  \
    "[ -e $S/c/end ] || { echo 'sbx1 cut' 2>/dev/null || lost=1; exit 0; }\n"            \
    "[ ! -e $S/c/merge ] || [ -s $S/c/merge ] ||\n"                                      \
    "    ln $S/c/end $S/c/linked 2>/dev/null || no links\n"                              \
    "copy() {\n"                                                                         \
    "    set --\n"                                                                       \
    "    for f in $S/t/* $S/t/.[!.]* $S/t/..?*; do\n"                                    \
    "        if [ -e \"$f\" ] || [ -h \"$f\" ]; then set -- \"$@\" \"$f\"; fi\n"         \
    "    done\n"                                                                         \
    "    cp -RPlf --preserve=timestamps -t . \"$@\"\n"                                   \
    "}\n"                                                                                \
    "each rest sh -c '[ $(wc -c <\"$2\") = $4 ] && cat \"$3\" >>\"$2\" &&\n"             \
    "    chmod $5 \"$2\" && touch -m -r \"$3\" \"$2\" && mv -f \"$2\" \"$1\"' sbx\n"     \
    "each drop rm -f\n"                                                                  \
    "each ln -n 2 sh -c 'ln \"$1\" \"$2\" 2>/dev/null || cp -p \"$1\" \"$2\"' sbx\n"     \
    "each clear.f rm -f\n"                                                               \
    "each clear.d rmdir\n"                                                               \
    "if [ -e $S/c/top ]; then copy || bad=1\n"                                           \
    "elif [ -e $S/c/merge ]; then cp -RPlfT $S/t . || bad=1\n"                           \
    "else each mv mv -f; fi\n"                                                           \
    "each remove.f rm -f\n"                                                              \
    "each remove.d rmdir\n"                                                              \
    "for m in $S/c/chmod.*; do\n"                                                        \
    "    m=${m#$S/c/chmod.} m=${m%.*}\n"                                                 \
    "    [ \"$m\" = \"$last\" ] || { last=$m; each chmod.$m chmod $m; }\n"               \
    "done\n"                                                                             \
    "for m in $S/c/time.*; do each touch.${m#$S/c/time.} touch -m -r $m; done\n"         \
    "if [ -e $S/c/folders ]; then\n"                                                     \
    "    exec 3<$S/c/folders\n"                                                          \
    "    [ $4 = small ] || { rm -rf $S; rmdir " FOLDER " 2>/dev/null; }\n"               \
    "    if [ $3 = none ]; then extract <&3\n"                                           \
    "    else unpack $3 <&3 | extract; fi || bad=1\n"                                    \
    "    for m in $S/c/fmode.*; do\n"                                                    \
    "        [ ! -e $m ] || xargs -0 chmod ${m##*.} <$m || bad=1\n"                      \
    "    done\n"                                                                         \
    "fi\n"                                                                               \
    "rm -rf $S; rmdir " FOLDER " 2>/dev/null\n"                                          \
    "trap - EXIT\n"                                                                      \
    "echo \"sbx1 done $bad\"\n"

const char sbi_far_list_script[] = LISTING;

const char sbi_far_push_script[] = "LC_ALL=C; export LC_ALL\n" PACKING PLACING;

/* A shell's `read` takes no more of its input than the line. */
const char sbi_far_list_push_script[] =
    LISTING "printf '%s\\0%s' \"$M\" \"$M\"\n"
            "w= r= k=\n"
            "TMOUT=0 read -r w r k\n"
            "case $w in go) ;; same) [ $same = 1 ] || exit 0 ;; *) exit 0 ;; esac\n"
            "set -- \"$G\" \"$r\" \"$k\" \"$T\"\n" PLACING;

const char sbi_far_pull_script[] =
    "LC_ALL=C; export LC_ALL\n" PACKING "cd \"$1\" || exit 3\n"
    "L=\n"
    "[ \"$4\" != 1 ] || L=-h\n"
    "carry() {\n"
    "    case $1 in\n"
    "    gnu) tar --format=gnu --no-recursion --null $L -cf - -T - ;;\n"
    "    bsd) tar --format=gnutar -n --null $L -cf - -T - ;;\n"
    "    *) xargs -0 -n 200 tar $L -cf - ;;\n"
    "    esac\n"
    "    echo \"sbx1 tar $?\" >&2\n"
    "}\n"
    "if [ $2 = none ]; then carry $3; else carry $3 | pack $2; fi\n";

const char sbi_far_sum_script[] =
    "LC_ALL=C; export LC_ALL\n"
    "cd \"$1\" || exit 3\n"
    "if command -v sha256sum >/dev/null 2>&1; then xargs -0 sha256sum\n"
    "elif command -v shasum >/dev/null 2>&1; then xargs -0 shasum -a 256\n"
    "else exit 4; fi\n"
    "exit 0\n";

/*
 * The whole is hashed when all of it is on its way: so it is known what was read. Some of
 * tail count in 32 bits, so dd goes most of the way.
 */
const char sbi_far_rest_script[] =
    "LC_ALL=C; export LC_ALL\n"
    "cd \"$1\" || exit 3\n"
    "[ -f \"./$2\" ] && [ $(wc -c <\"./$2\") -ge $3 ] || exit 4\n"
    "[ \"$(head -c $3 <\"./$2\" | sha256sum)\" = \"$4  -\" ] || exit 5\n"
    "echo 'sbx1 rest'\n"
    "{ dd bs=1048576 skip=$(($3 / 1048576)) count=0 2>/dev/null &&\n"
    "tail -c +$(($3 % 1048576 + 1)); } <\"./$2\" || exit 6\n"
    "sha256sum <\"./$2\" >&2\n";
