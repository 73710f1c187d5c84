/* computer.h - how a computer's container is called, for those who make and who enter it.
 */
#ifndef SANDBOX_BASE_COMPUTER_H
#define SANDBOX_BASE_COMPUTER_H

/* Stands before the computer's name; no name has what follows one, a '.', in it. */
#define SBI_COMPUTER_PREFIX "sbx-"

/* The variable of its environment that holds its name. */
#define SBI_COMPUTER_MARK "SBX_COMPUTER"

/* The one that holds the shell which its commands are for; may be unset. */
#define SBI_COMPUTER_SHELL "SBX_COMPUTER_SHELL"

/* Prints, in a computer, how many of its processes were killed for lack of memory. */
#define SBI_COMPUTER_LACK                                                                \
    "for f in /sys/fs/cgroup/memory.events "                                             \
    "/sys/fs/cgroup/memory/memory.oom_control; do "                                      \
    "{ while read -r a b; do [ \"$a\" != oom_kill ] || echo \"$b\"; done <\"$f\"; } "    \
    "2>/dev/null; done"

#endif
