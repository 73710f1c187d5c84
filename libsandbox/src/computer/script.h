/* script.h - what runs over there for a call on computers: a constant text for /bin/sh.
 */
#ifndef SANDBOX_COMPUTER_SCRIPT_H
#define SANDBOX_COMPUTER_SCRIPT_H

/*
 * Its words: VERB ENGINE OWNER NAME, then those of the verb. ENGINE "": any.
 *
 *     show | rm | restart | pause | resume | ls
 *     renew      SECONDS HOLDER
 *     snapshot   IMAGE
 *     drop       ENGINE CONTAINER INSTANCE, any number of times
 *     create     INSTANCE LIFE HOLDER TTL FRESH IMAGE GPUS AS, then words of the
 *     reset      engine's; TTL: seconds, or @ and a moment; AS `caller`: see mounts
 *
 * It prints JSON objects of containers, one a line, `hold INSTANCE EXPIRES HOLDER` and
 * `now SECONDS`; create may print all others behind its own; show also `lack INSTANCE`,
 * where a process was killed for lack of memory. A failure is status 9 and a line
 * `sbx-computer:WORD DETAIL` on standard error, where a pull's own lines stand before it.
 */
extern const char sbi_computer_script[];

/*
 * What a computer runs below its init process: it says that it has a shell, and waits.
 * One without a network has no table of hosts of the engine's.
 */
#define SBI_COMPUTER_READY "sbx:ready"
#define SBI_COMPUTER_MAIN                                                                \
    "{ [ -s /etc/hosts ] || printf \"127.0.0.1\\tlocalhost\\n::1\\tlocalhost\\n\" "      \
    ">/etc/hosts; } 2>/dev/null; echo " SBI_COMPUTER_READY                               \
    "; trap \"exit 0\" TERM INT; while :; do sleep 86400 & wait $!; done"

#endif
