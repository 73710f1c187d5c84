/*
 * script_cgroup.h - functions of shell: what the kernel counts of a job's memory.
 *
 * The kernel counts for each memory cgroup, of either version, the processes in it that
 * it killed for want of memory, and the most that was ever in use. That tells of a job
 * where nobody else is in that cgroup: a scope of systemd's, a step of a batch system.
 * So RUN/cgroup notes where the command is, with both numbers as they were when the
 * cgroup was last seen shared, or first seen; what came on top of them is the job's own.
 */
#ifndef SANDBOX_JOB_SCRIPT_CGROUP_H
#define SANDBOX_JOB_SCRIPT_CGROUP_H

/*
 * sbx_group PID: sbx_F becomes the folder of its memory cgroup, as it is seen from here,
 * or "". sbx_counts FOLDER: sbx_o becomes its kills, sbx_p its peak in bytes, `-` where
 * it has no such number. sbx_own FOLDER: all that live in it are of this run: they have
 * its id in their environment, or are the runner ($$), its guard, and what these started.
 *
 * sbx_note_group PID: notes the cgroup of the command: anew where it is another one by
 * now, or is shared. sbx_look_group: once it has ended, sbx_oom becomes how many of its
 * processes the kernel killed, sbx_cp the peak; what cannot be told stays as it is.
 */
#define SBI_JOB_CGROUP                                                                                     \
    "sbx_group() {\n"                                                                                      \
    "    sbx_F= sbx_2=\n"                                                                                  \
    "    while IFS=: read -r sbx_k sbx_s sbx_1; do\n"                                                      \
    "        case ,$sbx_s, in\n"                                                                           \
    "        ,,) sbx_2=/sys/fs/cgroup ;;\n"                                                                \
    "        *,memory,*) sbx_2=/sys/fs/cgroup/memory ;;\n"                                                 \
    "        *) continue ;;\n"                                                                             \
    "        esac\n"                                                                                       \
    "        [ -d \"$sbx_2$sbx_1\" ] || sbx_1=\n"                                                          \
    "        [ ! -r \"$sbx_2$sbx_1/memory.events\" ] && [ ! -r \"$sbx_2$sbx_1/memory.oom_control\" ] ||\n" \
    "            sbx_F=$sbx_2${sbx_1%/}\n"                                                                 \
    "    done </proc/$1/cgroup\n"                                                                          \
    "} 2>/dev/null\n"                                                                                      \
    "sbx_counts() {\n"                                                                                     \
    "    sbx_o=- sbx_p=-\n"                                                                                \
    "    for sbx_k in \"$1/memory.events\" \"$1/memory.oom_control\"; do\n"                                \
    "        [ ! -r \"$sbx_k\" ] || while read -r sbx_1 sbx_s; do\n"                                       \
    "            [ \"$sbx_1\" != oom_kill ] || sbx_o=$sbx_s\n"                                             \
    "        done <\"$sbx_k\"\n"                                                                           \
    "    done\n"                                                                                           \
    "    for sbx_k in \"$1/memory.peak\" \"$1/memory.max_usage_in_bytes\"; do\n"                           \
    "        [ ! -r \"$sbx_k\" ] || read -r sbx_p <\"$sbx_k\"\n"                                           \
    "    done\n"                                                                                           \
    "} 2>/dev/null\n"                                                                                      \
    "sbx_own() {\n"                                                                                        \
    "    sbx_1=$(cat \"$1/cgroup.procs\") || return 1\n"                                                   \
    "    set -- $sbx_1\n"                                                                                  \
    "    [ $# -le 200 ] || return 1\n"                                                                     \
    "    sbx_2=\n"                                                                                         \
    "    for sbx_k do sbx_2=\"$sbx_2 /proc/$sbx_k/environ\"; done\n"                                       \
    "    sbx_2=\" $(grep -ls \"SBX_RUN=$sbx_r\" /dev/null $sbx_2 | tr '\\n' ' ')\"\n"                      \
    "    for sbx_k do\n"                                                                                   \
    "        case $sbx_2 in *\" /proc/$sbx_k/environ \"*) continue ;; esac\n"                              \
    "        while :; do\n"                                                                                \
    "            case \" $$ ${sbx_W:-$$} ${sbx_me:-$$} \" in *\" $sbx_k \"*) break ;; esac\n"              \
    "            { IFS= read -r sbx_s </proc/$sbx_k/stat; } || break\n"                                    \
    "            set -- ${sbx_s##*\")\"}\n"                                                                \
    "            case $1 in Z | X) break ;; esac\n"                                                        \
    "            [ $2 -gt 1 ] || return 1\n"                                                               \
    "            sbx_k=$2\n"                                                                               \
    "        done\n"                                                                                       \
    "    done\n"                                                                                           \
    "} 2>/dev/null\n"                                                                                      \
    "sbx_note_group() {\n"                                                                                 \
    "    sbx_group $1\n"                                                                                   \
    "    [ -n \"$sbx_F\" ] || return 0\n"                                                                  \
    "    sbx_q=\n"                                                                                         \
    "    { read -r sbx_k sbx_k sbx_q <\"$sbx_G/cgroup\"; }\n"                                              \
    "    [ \"$sbx_q\" != \"$sbx_F\" ] || ! sbx_own \"$sbx_F\" || return 0\n"                               \
    "    sbx_counts \"$sbx_F\"\n"                                                                          \
    "    printf '%s %s %s\\n' $sbx_o $sbx_p \"$sbx_F\" >\"$sbx_G/cgroup.new\" &&\n"                        \
    "        mv -f \"$sbx_G/cgroup.new\" \"$sbx_G/cgroup\"\n"                                              \
    "} 2>/dev/null\n"                                                                                      \
    "sbx_look_group() {\n"                                                                                 \
    "    { read -r sbx_i sbx_j sbx_F <\"$sbx_G/cgroup\"; } || return 0\n"                                  \
    "    sbx_own \"$sbx_F\" || return 0\n"                                                                 \
    "    sbx_counts \"$sbx_F\"\n"                                                                          \
    "    case $sbx_i$sbx_o in *-*) ;; *)\n"                                                                \
    "        sbx_o=$((sbx_o - sbx_i))\n"                                                                   \
    "        [ $sbx_o -le 0 ] && [ \"$sbx_oom\" = 1 ] || sbx_oom=$sbx_o ;;\n"                              \
    "    esac\n"                                                                                           \
    "    case $sbx_j$sbx_p in *-*) ;; *) [ $sbx_p -le $sbx_j ] || sbx_cp=$sbx_p ;; esac\n"                 \
    "} 2>/dev/null\n"

#endif
