/*
 * shell_note.h - shell text that notes over there what became of a run, for
 * sbx_exec_outcome.
 *
 * Notes lie for a day in a folder `runs` of the user's own: of each run ID.run (it was
 * started), ID.end (how it ended) and ID.killed (who killed it), as far as there was
 * something to note and room for it. No note is ever waited for, or a reason to fail.
 *
 * Each text is one line that any login shell takes inside single quotes, as those of
 * base/far_kill.h are, which these build on.
 */
#ifndef SANDBOX_SESSION_SHELL_NOTE_H
#define SANDBOX_SESSION_SHELL_NOTE_H

/* Where the folder may lie, from the login's environment: below sbx_H, sbx_Y, /var/tmp.
 */
#define SBI_SHELL_HOMES                                                                  \
    "case ${XDG_STATE_HOME-} in /*) sbx_H=$XDG_STATE_HOME/sbx;; "                        \
    "*) sbx_H=${HOME:+$HOME/.local/state/sbx};; esac; sbx_Y=${TMPDIR:-/tmp}; "

/* sbx_note NAME TEXT: sbx_R is the folder then; 1 where there is none to write to. */
#define SBI_SHELL_NOTE                                                                   \
    "sbx_mine() { [ -d \"$1\" ] && [ ! -h \"$1\" ] && [ -O \"$1\" ] && chmod 700 "       \
    "\"$1\"; }; "                                                                        \
    "sbx_note() { umask 077; for sbx_R in \"$sbx_H\" /var/tmp/sbx- \"$sbx_Y/sbx-\"; do " \
    "case $sbx_R in \"\") continue;; *sbx-) sbx_R=$sbx_R$(id -u); mkdir \"$sbx_R\"; "    \
    "sbx_mine \"$sbx_R\" || continue;; esac; "                                           \
    "sbx_R=$sbx_R/runs; mkdir -p \"$sbx_R\"; sbx_mine \"$sbx_R\" || continue; "          \
    "find \"$sbx_R\" -type f -mtime +0 -exec rm -f {} +; "                               \
    "echo \"$2\" >\"$sbx_R/.$1\" && mv -f \"$sbx_R/.$1\" \"$sbx_R/$1\" && return; "      \
    "rm -f \"$sbx_R/.$1\"; done; return 1; } 2>/dev/null; "

/*
 * sbx_look: notes in sbx_v whether the command is `running` or `over`. sbx_told CAUSE:
 * notes that, and that the run was killed, with what is left of it; nothing where its pid
 * is not known and nothing of it was found, nor the second time over (sbx_2). sbx_bury
 * CAUSE HUNDREDTHS: kills it between the two.
 */
#define SBI_SHELL_BURY                                                                   \
    "sbx_look() { sbx_v=over; if [ $sbx_m -gt 0 ]; then sbx_alive $sbx_m && "            \
    "sbx_v=running; else sbx_list; [ -z \"$sbx_L\" ] || sbx_v=running; fi; }; "          \
    "sbx_told() { [ $sbx_v = running ] || { [ $sbx_m -gt 0 ] && [ -z \"${sbx_2-}\" ]; }" \
    " || return; " SBI_SHELL_HOMES                                                       \
    "sbx_note $sbx_r.killed \"killed $(date +%s) $1 $sbx_v $sbx_L\"; }; "                \
    "sbx_bury() { sbx_look; sbx_kill $2 || sbx_L=blind; sbx_told $1; }; "

#endif
