/*
 * file_script.c - scripts that look at files: plain POSIX sh, for dash, BusyBox, ksh,
 * bash and the sh of BSD and macOS.
 *
 * A path begins with `/` or `./` once sbx_at has seen it, so no tool takes one for an
 * option.
 */
#include "session/file_script.h"

#include "session/file_script_parts.h"

const char sbi_file_script_emit[] =
    "S=$1 X=$2; shift 2\n"
    "N='\n"
    "'\n"
    "facts() {\n"
    "    case $S in\n"
    "    c) stat -c 'c %f %s %Y %u %g %h %y' \"$@\" ;;\n"
    "    b) stat -f 'b %p %z %Fm %u %g %l' \"$@\" ;;\n"
    "    l) ls -lnd \"$1\" | {\n"
    "        read -r a b c d e f\n"
    "        m=-\n"
    "        [ -L \"$1\" ] || m=$(date -r \"$1\" +%s) || m=-\n"
    "        printf 'l %s %s %s %s %s %s\\n' \"$a\" \"$e\" \"${m:--}\" \"$c\" "
    "\"$d\" \"$b\"\n"
    "    } ;;\n"
    "    esac 2>/dev/null\n"
    "}\n"
    "show() {\n"
    "    printf '%s\\0%s\\0' \"$1\" \"${2#\"$X\"}\"\n"
    "    if [ -L \"$2\" ]; then t=$(readlink \"$2\" && printf .); printf %s "
    "\"${t%\"$N.\"}\"; fi\n"
    "    printf '\\0'\n"
    "}\n"
    "if [ $S != l ] && m=$(facts \"$@\"); then\n"
    "    printf '%s\\n' \"$m\" | while IFS= read -r m; do show \"$m\" \"$1\"; "
    "shift; done\n"
    "else\n"
    "    for f do m=$(facts \"$f\") && [ \"$m\" ] && { [ -e \"$f\" ] || [ -L "
    "\"$f\" ]; } && show \"$m\" \"$f\"; done\n"
    "    :\n"
    "fi\n";

const char sbi_file_script_stat[] =
    SBI_FAR_PATH SBI_FILE_BEGIN SBI_FILE_FLAVOR SBI_FILE_START
    "[ \"$2\" = 0 ] || follow\n"
    "is_there || lost\n"
    "find \"$P\" -prune -printf 'f %y %m %s %T@ %U %G %n\\0%P\\0%l\\0' "
    "2>/dev/null && exit\n"
    "flavor\n"
    "exec /bin/sh -c \"$3\" sbx $S '' \"$P\"\n";

const char sbi_file_script_list[] =
    SBI_FAR_PATH SBI_FILE_BEGIN SBI_FILE_FLAVOR SBI_FILE_START
    "[ -d \"$P\" ] || { is_there || lost; fail notdir \"$P\"; }\n"
    "[ -r \"$P\" ] && [ -x \"$P\" ] || fail denied \"$P\"\n"
    "d=${P%/}/. r=$2 n=$3 E=$4\n"
    "set --\n"
    "if find / -prune -printf '' 2>/dev/null; then\n"
    "    [ \"$r\" = 1 ] || set -- -maxdepth 1\n"
    "    [ -z \"$n\" ] || set -- \"$@\" -name \"$n\"\n"
    "    exec find \"$d\" -mindepth 1 \"$@\" -printf 'f %y %m %s %T@ %U %G "
    "%n\\0%P\\0%l\\0'\n"
    "fi\n"
    "flavor\n"
    "[ \"$r\" = 1 ] || set -- -prune\n"
    "[ -z \"$n\" ] || set -- \"$@\" -name \"$n\"\n"
    "if find / -prune -exec true {} + 2>/dev/null; then\n"
    "    exec find \"$d\" ! -name . \"$@\" -exec /bin/sh -c \"$E\" sbx $S "
    "\"$d/\" {} +\n"
    "fi\n"
    "exec find \"$d\" ! -name . \"$@\" -exec /bin/sh -c \"$E\" sbx $S \"$d/\" {} "
    "\\;\n";

/*
 * To a byte that is far behind dd goes: some of tail count in 32 bits, and give other
 * bytes beyond; and what is counted from the end they keep in memory. Far is from ten
 * digits on.
 */
const char sbi_file_script_read[] =
    SBI_FAR_PATH SBI_FILE_BEGIN SBI_FILE_OWN SBI_FILE_START
    "[ -d \"$P\" ] && fail isdir\n"
    "is_there || lost\n"
    "[ -e \"$P\" ] || { follow; lost; }\n"
    "[ -f \"$P\" ] || fail special\n"
    "[ -r \"$P\" ] || fail denied \"$P\"\n"
    "facts \"$P\"\n"
    "printf 'sbx-file:size %s\\n' $B >&2\n"
    "A=$2 H=$3 L=$4\n"
    "case $A in\n"
    "'-c '[0-9]?????????*)\n"
    "    n=$((B - ${A#-c } + 1)) A=\n"
    "    [ $n -le 1 ] || A=\"-c +$n\" ;;\n"
    "esac\n"
    "skip() {\n"
    "    [ $1 -lt $B ] || return 0\n"
    "    { dd bs=1048576 skip=$(($1 / 1048576)) count=0 2>/dev/null &&\n"
    "    tail -c +$(($1 % 1048576 + 1)); } <\"$P\"\n"
    "}\n"
    "from() {\n"
    "    case $A in\n"
    "    '') cat \"$P\" ;;\n"
    "    '-c +'??????????*) skip $((${A#-c +} - 1)) ;;\n"
    "    *) tail $A \"$P\" ;;\n"
    "    esac\n"
    "    s=$?\n"
    "    [ $s = 0 ] || [ $s -gt 128 ] || printf 'sbx-file:broken\\n' >&2\n"
    "}\n"
    "case ${H:+h}${L:+l} in\n"
    "h) from | head $H ;;\n"
    "l) from | head $L ;;\n"
    "hl) from | head $H | head $L ;;\n"
    "*) from ;;\n"
    "esac\n"
    ":\n";

const char sbi_file_script_checksum[] =
    SBI_FAR_PATH SBI_FILE_BEGIN SBI_FILE_OWN SBI_FILE_SUM SBI_FILE_START
    "[ ! -d \"$P\" ] || fail isdir\n"
    "[ -e \"$P\" ] || { follow; lost; }\n"
    "[ -f \"$P\" ] || fail special\n"
    "[ -r \"$P\" ] || fail denied \"$P\"\n"
    "facts \"$P\"\n"
    "if sum \"$P\"; then printf 'sha256 %s %s\\n' $H $B; else printf 'cksum "
    "%s\\n' \"$(cksum <\"$P\")\"; fi\n";
