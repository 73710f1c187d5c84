/*
 * lease_script.h - the script that keeps leases, and how any script reads them.
 *
 *     sh -c SCRIPT sbx VERB COUNT PID SECONDS PURPOSE [GPU]...
 *
 * VERB is ls, take, renew, free or gc. It prints a line a lease,
 *
 *     STATE UID PID EXPIRES TAKEN RENEWED USER GPU PURPOSE...
 *
 * and behind it `mine UID`; or `sbx-lease:WORD DETAIL` to standard error, and ends
 * with 9. PURPOSE may be missing.
 */
#ifndef SANDBOX_PROBE_LEASE_SCRIPT_H
#define SANDBOX_PROBE_LEASE_SCRIPT_H

/*
 * lease_all: calls lease_one for each lease, with its file in f and its line in
 * lease_line. An owner is who owns the folder, whatever a file says; one program is asked
 * of all of them. A process that is not to be seen (hidepid) counts as alive where even
 * that of the first one is not. now: the time, where it is known already.
 */
#define SBI_LEASE_READ                                                                   \
    "lease_began() {\n"                                                                  \
    "    lease_start=\n"                                                                 \
    "    { read -r lease_start </proc/$1/stat; } 2>/dev/null || return 1\n"              \
    "    lease_start=${lease_start##*\\) }\n"                                            \
    "    case $lease_start in Z*|X*) return 1 ;; esac\n"                                 \
    "    set -- $lease_start\n"                                                          \
    "    shift 19\n"                                                                     \
    "    lease_start=$1\n"                                                               \
    "}\n"                                                                                \
    "lease_judge() {\n"                                                                  \
    "    state=unknown\n"                                                                \
    "    case $pid$started$expires$taken$renewed in *[!0-9]*|'') return ;; esac\n"       \
    "    state=reboot\n"                                                                 \
    "    [ \"$boot\" = \"$lease_boot\" ] || return 0\n"                                  \
    "    state=expired\n"                                                                \
    "    [ \"$expires\" = 0 ] || [ \"$expires\" -gt \"$lease_now\" ] || return 0\n"      \
    "    state=live\n"                                                                   \
    "    [ \"$pid\" != 0 ] && [ $lease_blind = 0 ] || return 0\n"                        \
    "    lease_began \"$pid\" && [ \"$lease_start\" = \"$started\" ] || state=gone\n"    \
    "}\n"                                                                                \
    "lease_file() {\n"                                                                   \
    "    gpu= pid= started= boot= expires= taken= renewed= purpose=\n"                   \
    "    { read -r gpu; read -r pid started boot; read -r expires taken renewed; "       \
    "read -r purpose; } 2>/dev/null <\"$f\"\n"                                           \
    "    [ \"$gpu\" ] || return 0\n"                                                     \
    "    lease_judge\n"                                                                  \
    "    lease_line=\"$state $lease_uid ${pid:-0} ${expires:-0} ${taken:-0} "            \
    "${renewed:-0} $lease_user $gpu $purpose\"\n"                                        \
    "    lease_one\n"                                                                    \
    "}\n"                                                                                \
    "lease_all() {\n"                                                                    \
    "    lease_boot=- lease_now=${now:-$(date +%s)} lease_blind=0\n"                     \
    "    read -r lease_boot </proc/sys/kernel/random/boot_id\n"                          \
    "    { read -r lease_start </proc/1/stat; } || lease_blind=1\n"                      \
    "    set --\n"                                                                       \
    "    for lease_home in /var/tmp/sbx-leases-[0-9]*; do\n"                             \
    "        case ${lease_home##*-} in *[!0-9]*) continue ;; esac\n"                     \
    "        [ -d \"$lease_home\" ] && [ ! -h \"$lease_home\" ] || continue\n"           \
    "        for f in \"$lease_home\"/*; do\n"                                           \
    "            [ ! -f \"$f\" ] || { set -- \"$@\" \"$lease_home\"; break; }\n"         \
    "        done\n"                                                                     \
    "    done\n"                                                                         \
    "    [ $# -gt 0 ] || return 0\n"                                                     \
    "    for lease_owner in $(stat -c '%n:%u:%U' \"$@\"); do\n"                          \
    "        case $lease_owner in /var/tmp/*) ;; *) continue ;; esac\n"                  \
    "        lease_home=${lease_owner%%:*}\n"                                            \
    "        lease_uid=${lease_home##*-}\n"                                              \
    "        lease_user=${lease_owner#*:}\n"                                             \
    "        [ \"${lease_user%%:*}\" = \"$lease_uid\" ] || continue\n"                   \
    "        lease_user=${lease_user#*:}\n"                                              \
    "        [ \"$lease_user\" != UNKNOWN ] || lease_user=$lease_uid\n"                  \
    "        for f in \"$lease_home\"/*; do\n"                                           \
    "            [ ! -f \"$f\" ] || [ -h \"$f\" ] || lease_file\n"                       \
    "        done\n"                                                                     \
    "    done\n"                                                                         \
    "} 2>/dev/null\n"

extern const char sbi_lease_script[];

#endif
