/*
 * script_parts.h - functions of shell that the scripts on jobs begin with.
 *
 * Names begin with sbx_: a variable of the user's that is exported must not be changed,
 * as the command is to find it.
 */
#ifndef SANDBOX_JOB_SCRIPT_PARTS_H
#define SANDBOX_JOB_SCRIPT_PARTS_H

#include "base/far.h"
#include "base/far_kill.h"

/*
 * sbx_since PID: sbx_s becomes a word for when it was started; 1 where it runs no more. A
 * pid is only a process together with that. sbx_is PID WORD: still that one. sbx_boot:
 * sbx_b becomes a word for this boot, or `-`. sbx_machine: sbx_mn, the name of this one.
 */
#define SBI_JOB_SINCE                                                                                       \
    "sbx_nth() { shift 19; sbx_s=$1; }\n"                                                                   \
    "sbx_join() { IFS=_; sbx_s=\"$*\"; IFS=\" $sbx_N\"; }\n"                                                \
    "sbx_since() {\n"                                                                                       \
    "    sbx_s=\n"                                                                                          \
    "    IFS=\" $sbx_N\"\n"                                                                                 \
    "    if [ -r /proc/self/stat ]; then\n"                                                                 \
    "        { IFS= read -r sbx_s </proc/$1/stat; } 2>/dev/null || return 1\n"                              \
    "        case ${sbx_s##*\")\"} in \" Z\"*|\" X\"*) sbx_s=; return 1 ;; esac\n"                          \
    "        sbx_nth ${sbx_s##*\")\"}\n"                                                                    \
    "    else\n"                                                                                            \
    "        sbx_join $(LC_ALL=C ps -o lstart= -p $1 2>/dev/null)\n"                                        \
    "    fi\n"                                                                                              \
    "    [ -n \"$sbx_s\" ]\n"                                                                               \
    "}\n"                                                                                                   \
    "sbx_is() { sbx_since $1 && [ \"$sbx_s\" = \"$2\" ]; }\n"                                               \
    "sbx_machine() { { read -r sbx_mn </proc/sys/kernel/hostname; } 2>/dev/null || sbx_mn=$(uname -n); }\n" \
    "sbx_boot() {\n"                                                                                        \
    "    sbx_b=\n"                                                                                          \
    "    { read -r sbx_b </proc/sys/kernel/random/boot_id; } 2>/dev/null && return\n"                       \
    "    sbx_b=$(sysctl -n kern.boottime 2>/dev/null)\n"                                                    \
    "    sbx_b=${sbx_b#*= } sbx_b=${sbx_b%%,*}\n"                                                           \
    "    case $sbx_b in ''|*[!0-9]*) sbx_b=- ;; esac\n"                                                     \
    "}\n"

/*
 * sbx_find ID: sbx_D becomes the folder of a job. Where jobs lie: sbx_1, and sbx_2 where
 * the home cannot be written, which is ours alone. sbx_gone WORDS: fails so, unless
 * somebody else has removed the job meanwhile.
 */
#define SBI_JOB_PLACE                                                                                                          \
    "sbx_fail() { printf 'sbx-job:%s\\n' \"$*\" >&2; exit 9; }\n"                                                              \
    "case ${XDG_STATE_HOME-} in /*) sbx_1=$XDG_STATE_HOME/sbx/jobs ;; *) sbx_1=${HOME:+$HOME/.local/state/sbx/jobs} ;; esac\n" \
    "sbx_2=\n"                                                                                                                 \
    "for sbx_k in /var/tmp/sbx-[0-9]*; do\n"                                                                                   \
    "    [ ! -d \"$sbx_k\" ] || [ -h \"$sbx_k\" ] || [ ! -O \"$sbx_k\" ] || sbx_2=$sbx_k/jobs\n"                               \
    "done\n"                                                                                                                   \
    "sbx_find() {\n"                                                                                                           \
    "    for sbx_D in \"$sbx_1/$1\" \"$sbx_2/$1\"; do\n"                                                                       \
    "        [ ! -e \"$sbx_D/record\" ] || return 0\n"                                                                         \
    "    done\n"                                                                                                               \
    "    return 1\n"                                                                                                           \
    "}\n"                                                                                                                      \
    "sbx_gone() { sbx_find \"${sbx_D##*/}\" || sbx_fail missing; sbx_fail \"$@\"; }\n"

/*
 * sbx_sweep FOLDER: what starts and removals that were killed left half done among the
 * jobs in there goes, a day after.
 */
#define SBI_JOB_SWEEP                                                                     \
    "sbx_sweep() {\n"                                                                     \
    "    for sbx_k in \"$1\"/.new.* \"$1\"/.old.*; do\n"                                  \
    "        [ ! -d \"$sbx_k\" ] || find \"$sbx_k\" -prune -mtime +0 -exec rm -rf {} +\n" \
    "    done\n"                                                                          \
    "} 2>/dev/null\n"

/*
 * sbx_gen FOLDER: sbx_g becomes the last generation of a job, -1 where none began, and
 * sbx_G the folder of it. sbx_read FOLDER: what is in that, of whom: sbx_p, sbx_c...
 * sbx_lives FOLDER: the processes of a generation are there, or may be on the machine of
 * another name that began it, and shares this home. sbx_here: it is not that. sbx_over
 * FOLDER: a job runs no more.
 */
#define SBI_JOB_RUNS                                                                                                  \
    "sbx_gen() {\n"                                                                                                   \
    "    sbx_g=0\n"                                                                                                   \
    "    while [ -e \"$1/run.$sbx_g/pid\" ]; do sbx_g=$((sbx_g + 1)); done\n"                                         \
    "    sbx_g=$((sbx_g - 1))\n"                                                                                      \
    "    sbx_G=$1/run.$sbx_g\n"                                                                                       \
    "}\n"                                                                                                             \
    "sbx_read() {\n"                                                                                                  \
    "    sbx_p= sbx_c=\n"                                                                                             \
    "    { read -r sbx_k sbx_k sbx_k sbx_p sbx_ps sbx_pb sbx_pt sbx_way sbx_pu sbx_host <\"$1/pid\"; } 2>/dev/null\n" \
    "    { read -r sbx_k sbx_k sbx_k sbx_c sbx_cs <\"$1/child\"; } 2>/dev/null\n"                                     \
    "}\n"                                                                                                             \
    "sbx_lives() {\n"                                                                                                 \
    "    sbx_read \"$1\"\n"                                                                                           \
    "    [ -n \"$sbx_p\" ] || return 1\n"                                                                             \
    "    sbx_boot\n"                                                                                                  \
    "    if [ \"$sbx_pb\" = \"$sbx_b\" ]; then\n"                                                                     \
    "        ! sbx_is $sbx_p \"$sbx_ps\" || return 0\n"                                                               \
    "        [ -z \"$sbx_c\" ] || ! sbx_is $sbx_c \"$sbx_cs\" || return 0\n"                                          \
    "    fi\n"                                                                                                        \
    "    ! sbx_here\n"                                                                                                \
    "}\n"                                                                                                             \
    "sbx_here() {\n"                                                                                                  \
    "    [ -n \"$sbx_host\" ] || return 0\n"                                                                          \
    "    sbx_machine\n"                                                                                               \
    "    [ \"${sbx_host%% *}\" = \"$sbx_mn\" ] || [ \"${sbx_force:-0}\" = 1 ]\n"                                      \
    "}\n"                                                                                                             \
    "sbx_over() {\n"                                                                                                  \
    "    sbx_gen \"$1\"\n"                                                                                            \
    "    [ -e \"$sbx_G/status\" ] || ! sbx_lives \"$sbx_G\"\n"                                                        \
    "}\n"

/*
 * sbx_checkpoint SECONDS: SBX_JOB_CHECKPOINT becomes what the command of the checkpoint
 * prints, in at most so long, or its path where there is something. sbx_show_checkpoint:
 * tells what it prints, or what is in it.
 */
#define SBI_JOB_CHECKPOINT                                                                                 \
    SBI_FAR_PATH                                                                                           \
    "sbx_checked() {\n"                                                                                    \
    "    {\n"                                                                                              \
    "        sbx_k=\n"                                                                                     \
    "        ! command -v setsid >/dev/null || sbx_k=setsid\n"                                             \
    "        $sbx_k /bin/sh \"$sbx_D/checkpoint\" &\n"                                                     \
    "        sbx_c=$!\n"                                                                                   \
    "        ( trap 'kill $sbx_s' TERM\n"                                                                  \
    "        sleep $1 &\n"                                                                                 \
    "        sbx_s=$!\n"                                                                                   \
    "        wait $sbx_s && kill -KILL -$sbx_c $sbx_c ) >/dev/null &\n"                                    \
    "        sbx_s=$!\n"                                                                                   \
    "        wait $sbx_c\n"                                                                                \
    "        kill $sbx_s\n"                                                                                \
    "    } </dev/null 2>/dev/null | head -c 16384\n"                                                       \
    "}\n"                                                                                                  \
    "sbx_checkpoint() {\n"                                                                                 \
    "    sbx_k=\n"                                                                                         \
    "    if [ -e \"$sbx_D/checkpoint\" ]; then sbx_k=$(sbx_checked $1)\n"                                  \
    "    elif [ -e \"$sbx_D/checkpoint.path\" ]; then\n"                                                   \
    "        sbx_k=$(sbx_at \"$(cat \"$sbx_D/checkpoint.path\")\" && [ -e \"$P\" ] && echo \"${P#./}\")\n" \
    "    fi\n"                                                                                             \
    "    [ -z \"$sbx_k\" ] || export SBX_JOB_CHECKPOINT=\"$sbx_k\"\n"                                      \
    "}\n"                                                                                                  \
    "sbx_show_checkpoint() {\n"                                                                            \
    "    [ -e \"$sbx_D/checkpoint\" ] || [ -e \"$sbx_D/checkpoint.path\" ] || return 0\n"                  \
    "    echo checkpoint\n"                                                                                \
    "    ( . \"$sbx_D/env\"\n"                                                                             \
    "    cd \"$SBX_JOB_CWD\" || exit\n"                                                                    \
    "    if [ -e \"$sbx_D/checkpoint\" ]; then sbx_checked 10\n"                                           \
    "    else sbx_at \"$(cat \"$sbx_D/checkpoint.path\")\" && [ -f \"$P\" ] && head -c 16384 \"$P\"; fi\n" \
    "    ) </dev/null 2>/dev/null | LC_ALL=C od -An -v -tx1\n"                                             \
    "    echo files\n"                                                                                     \
    "}\n"

/*
 * sbx_head, sbx_tell BASE FOLDER...: all there is to know, for record_parse.c. What lives
 * is looked at before what was written: what ended in between has its status then. No
 * process is started for a single job, and a pattern of many names is one walk through
 * all folders: `*d` are pid, child, resumed, stopped and held, `*u[se]` due and status.
 */
#define SBI_JOB_TELL                                                                                           \
    "sbx_put() {\n"                                                                                            \
    "    if [ $# -le 1000 ]; then LC_ALL=C sed \"$@\" </dev/null\n"                                            \
    "    else\n"                                                                                               \
    "        sbx_k=$1\n"                                                                                       \
    "        shift\n"                                                                                          \
    "        printf '%s\\0' \"$@\" | LC_ALL=C xargs -0 sed \"$sbx_k\"\n"                                       \
    "    fi 2>/dev/null\n"                                                                                     \
    "}\n"                                                                                                      \
    "sbx_pids='/^pid /s|^pid [^ ]* [^ ]* \\([0-9]*\\) .*|/proc/\\1/stat|\n"                                    \
    "s|^child [^ ]* [^ ]* \\([0-9]*\\) .*|/proc/\\1/stat|\n"                                                   \
    "/^.proc/!d'\n"                                                                                            \
    "sbx_tell() {\n"                                                                                           \
    "    printf 'base %s\\nstats\\n' \"$1\"\n"                                                                 \
    "    if [ -r /proc/self/stat ]; then sbx_put '' $(sbx_put \"$sbx_pids\" \"$1\"/$2/run.*/[cp]*d)\n"         \
    "    else LC_ALL=C ps -A -o pid= -o state= -o lstart= | sed 's/^/ps /'; fi\n"                              \
    "    echo files\n"                                                                                         \
    "    sbx_put '' \"$1\"/$2/record \"$1\"/$2/made \"$1\"/$2/cut \"$1\"/$2/run.*/*d \"$1\"/$2/run.*/*u[se]\n" \
    "    echo sizes\n"                                                                                         \
    "    set -- \"$1\"/$2/log\n"                                                                               \
    "    if [ $# -le 1000 ]; then LC_ALL=C ls -ln \"$@\"\n"                                                    \
    "    else printf '%s\\0' \"$@\" | LC_ALL=C xargs -0 ls -ln; fi 2>/dev/null\n"                              \
    "    echo files\n"                                                                                         \
    "}\n"                                                                                                      \
    "sbx_head() {\n"                                                                                           \
    "    sbx_boot\n"                                                                                           \
    "    sbx_machine\n"                                                                                        \
    "    printf 'sbx1 %s %s %s\\n' $(date +%s) $sbx_b \"$sbx_mn\"\n"                                           \
    "}\n"

#endif
