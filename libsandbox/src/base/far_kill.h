/*
 * far_kill.h - shell text that kills a whole tree of processes over there, and looks.
 *
 * Each is one line that any login shell takes inside single quotes: no single quote, no
 * backslash, no newline, and no '!' but before a blank. Names begin with sbx_, so that no
 * exported variable of the user's is changed.
 *
 * /proc is read with the shell's own `read`: no process is started for it. Without
 * /proc, ps(1) and kill -0 tell less: no environment, so a child that left the
 * session is not found.
 */
#ifndef SANDBOX_BASE_FAR_KILL_H
#define SANDBOX_BASE_FAR_KILL_H

/* sbx_N becomes a newline; what follows needs it. */
#define SBI_FAR_NEWLINE "sbx_N=${IFS#??}; "

/* sbx_alive PID: a zombie is dead. kill(2) would lie about one, and about another's. */
#define SBI_FAR_ALIVE                                                                    \
    "sbx_alive() { if [ -r /proc/self/stat ]; then "                                     \
    "{ IFS= read -r sbx_s </proc/$1/stat; } 2>/dev/null || return 1; "                   \
    "case ${sbx_s##*\")\"} in \" Z\"*|\" X\"*) return 1;; esac; "                        \
    "else kill -0 $1 2>/dev/null; fi; }; "

/*
 * sbx_list: sbx_L becomes the pids of this run: those that carry its id (sbx_r) in their
 * environment, those of its session or group (sbx_m), those of sbx_x, and the children of
 * any of these. Not the caller (sbx_me), the watchdog (sbx_w), nor what those two start;
 * where one of them is 0 there is none: 0 is also the parent of what entered a container.
 * It fails where there is no way to look. All of /proc comes by one cat: read takes a
 * system call a byte.
 */
#define SBI_FAR_LIST                                                                          \
    "sbx_add() { case \" ${sbx_me#0} ${sbx_w#0} \" in *\" $1 \"*|*\" $2 \"*) return;; esac; " \
    "[ $1 -ne $PPID ] || return; "                                                            \
    "case \"$sbx_E $sbx_L \" in *\" $1 \"*|*\" $2 \"*) sbx_L=\"$sbx_L $1\"; return;; esac; "  \
    "case \" $3 $4 \" in *\" $sbx_m \"*) sbx_L=\"$sbx_L $1\";; esac; }; "                     \
    "sbx_all() { if [ -r /proc/self/stat ]; then cat /proc/[0-9]*/stat 2>/dev/null; "         \
    "else ps -A -o pid= -o state= -o ppid= -o pgid= 2>/dev/null; fi; }; "                     \
    "sbx_list() { sbx_L=; sbx_E=$sbx_x; set +f; "                                             \
    "for sbx_f in $(grep -ls \"SBX_RUN=$sbx_r\" /proc/[0-9]*/environ 2>/dev/null); do "       \
    "sbx_f=${sbx_f#/proc/}; sbx_E=\"$sbx_E ${sbx_f%/*}\"; done; "                             \
    "sbx_P=$(sbx_all); set -f; IFS=$sbx_N; set -- $sbx_P; IFS=\" $sbx_N\"; "                  \
    "[ $# -gt 0 ] || return 1; "                                                              \
    "for sbx_s in \"$@\"; do set -- $sbx_s; sbx_f=$1; "                                       \
    "case $sbx_s in *\")\"*) set -- ${sbx_s##*\")\"};; *) shift;; esac; "                     \
    "case $1 in Z*|X*) ;; *) sbx_add $sbx_f $2 ${3:-0} ${4:-0};; esac; done; set +f; }; "

/*
 * sbx_kill HUNDREDTHS: TERM, so long, KILL; sbx_L is what is left. The clock is read,
 * not counted: on a loaded machine a look at all processes takes its time. While
 * known ones live only these are looked at.
 */
#define SBI_FAR_KILL                                                                         \
    "sbx_now() { if [ -r /proc/uptime ]; then read -r sbx_u sbx_s </proc/uptime; "           \
    "sbx_u=${sbx_u%.*}${sbx_u#*.}; else sbx_u=$(date +%s)00; fi; }; "                        \
    "sbx_nap() { sleep 0.1 2>/dev/null || sleep 1; }; "                                      \
    "sbx_signal() { [ -z \"$sbx_L\" ] || kill $1 $sbx_L 2>/dev/null; }; "                    \
    "sbx_some() { for sbx_p in $sbx_L; do sbx_alive $sbx_p && return 0; done; return 1; }; " \
    "sbx_kill() { sbx_now; sbx_e=$((sbx_u+$1)); sbx_list || return 1; sbx_signal -TERM; "    \
    "sbx_signal -CONT; while :; do "                                                         \
    "sbx_some || { sbx_list; [ -n \"$sbx_L\" ] || return 0; sbx_signal -TERM; }; "           \
    "sbx_now; [ $sbx_u -lt $sbx_e ] || break; sbx_nap; done; "                               \
    "sbx_e=$((sbx_u+200)); while :; do sbx_list; [ -n \"$sbx_L\" ] || return 0; "            \
    "sbx_signal -KILL; sbx_now; [ $sbx_u -lt $sbx_e ] || return 0; sbx_nap; done; }; "

#endif
