/*
 * script_launch.h - functions of shell that start the runner of a job.
 *
 * A generation has a folder of its own, RUN. It is filled beside its place, by its runner
 * with who that is too, and renamed: that is the fence. However many runners are started,
 * one gets past it, and no moment has a fence of which nobody knows whose it is. (A
 * rename onto a folder that is not empty fails; mv may put it into that instead.)
 *
 * The runner must be nobody's child that we started here, or the end of this run would
 * find it; and not be started in the background, or it would ignore INT. So it is in the
 * foreground of a shell that it kills as soon as it stands on its own feet.
 *
 * The server of tmux gets an environment of a few words: what a job needs it reads from
 * its folder, since the server is as old as its first job.
 */
#ifndef SANDBOX_JOB_SCRIPT_LAUNCH_H
#define SANDBOX_JOB_SCRIPT_LAUNCH_H

/*
 * sbx_room FOLDER: makes it, with room in it for all that will be written there: a disk
 * that the command fills must not hide how it ended. sbx_whole FUNCTION FOLDER: where
 * that fails, the folder is removed, and it is told why.
 *
 * sbx_launch: starts the runner of generation sbx_n of the job sbx_id in sbx_D, with the
 * folder sbx_R made ready; sbx_tmux: 0 without, 1 with a terminal, 2 to keep an adopted
 * session. A server of tmux that is about to end, since its last job did, refuses: it is
 * asked twice. sbx_warn becomes 1 where logind will end it. sbx_back: what no runner took
 * is taken back; one that is late starts nothing then.
 */
#define SBI_JOB_LAUNCH                                                                                                            \
    "sbx_room() {\n"                                                                                                              \
    "    mkdir \"$1\" && printf '%1023s\\n' '' >\"$1/reserve\" && printf '%1023s\\n' '' >\"$1/reserve.stop\" &&\n"                \
    "        printf '%255s\\n' '' >\"$1/due.room\" && printf '%63s\\n' '' >\"$1/end.room\" && printf '%511s\\n' '' >\"$1/pid\"\n" \
    "}\n"                                                                                                                         \
    "sbx_whole() {\n"                                                                                                             \
    "    sbx_m=$($1 \"$2\" 2>&1) && return\n"                                                                                     \
    "    case $sbx_m in\n"                                                                                                        \
    "    ''|*'I/O error'*)\n"                                                                                                     \
    "        sbx_k=$(LC_ALL=C dd if=/dev/zero of=\"$2/full\" bs=8192 count=1 2>&1) || sbx_m=${sbx_k%%\"$sbx_N\"*}\n"              \
    "        ;;\n"                                                                                                                \
    "    esac\n"                                                                                                                  \
    "    rm -rf \"$2\"\n"                                                                                                         \
    "    sbx_fail write \"${2%/*}:\" \"${sbx_m##*: }\"\n"                                                                         \
    "}\n"                                                                                                                         \
    "sbx_plain() {\n"                                                                                                             \
    "    sbx_s=none\n"                                                                                                            \
    "    if command -v setsid; then sbx_s=setsid\n"                                                                               \
    "    elif command -v perl; then sbx_s=perl; fi >/dev/null\n"                                                                  \
    "    set -- /bin/sh -c '( case $2 in\n"                                                                                       \
    "    setsid) exec setsid /bin/sh \"$1/runner\" \"$1\" $3 $4 plain $$ \"$5\" ;;\n"                                             \
    "    perl) exec perl -MPOSIX=setsid -e \"setsid; exec @ARGV\" /bin/sh \"$1/runner\" \"$1\" $3 $4 plain $$ \"$5\" ;;\n"        \
    "    esac\n"                                                                                                                  \
    "    exec /bin/sh \"$1/runner\" \"$1\" $3 $4 plain $$ \"$5\" ); exit' sbx \"$sbx_D\" $sbx_s $1 $sbx_n \"$sbx_R\"\n"           \
    "    [ $sbx_n = 0 ] || set -- env -i PATH=\"$PATH\" HOME=\"${HOME-/}\" \"$@\"\n"                                              \
    "    $sbx_scope \"$@\" </dev/null >/dev/null\n"                                                                               \
    "} 2>/dev/null\n"                                                                                                             \
    "sbx_in_tmux() {\n"                                                                                                           \
    "    [ $sbx_tmux = 1 ] && command -v tmux || return 1\n"                                                                      \
    "    set -- env -i PATH=\"$PATH\" HOME=\"${HOME-/}\" TERM=xterm-256color LC_ALL=\"${LC_ALL:-C.UTF-8}\" \\\n"                  \
    "        TMUX_TMPDIR=\"${TMUX_TMPDIR:-/tmp}\" tmux -L sbx -f /dev/null\n"                                                     \
    "    [ $sbx_n = 0 ] || \"$@\" kill-session -t \"=$sbx_id\" </dev/null\n"                                                      \
    "    set -- \"$@\" new-session -d -s \"$sbx_id\" /bin/sh \"$sbx_D/runner\" \"$sbx_D\" pane $sbx_n \"$sbx_R\"\n"               \
    "    $sbx_scope \"$@\" </dev/null && return\n"                                                                                \
    "    sleep 0.2 2>/dev/null || sleep 1\n"                                                                                      \
    "    $sbx_scope \"$@\" </dev/null\n"                                                                                          \
    "} >/dev/null 2>&1\n"                                                                                                         \
    "sbx_linger() {\n"                                                                                                            \
    "    command -v systemd-run && command -v busctl || return 0\n"                                                               \
    "    sbx_k=$(busctl get-property org.freedesktop.login1 /org/freedesktop/login1 \\\n"                                         \
    "        org.freedesktop.login1.Manager KillUserProcesses)\n"                                                                 \
    "    [ \"$sbx_k\" = 'b true' ] || return 0\n"                                                                                 \
    "    sbx_k=$(id -un)\n"                                                                                                       \
    "    [ -e \"/var/lib/systemd/linger/$sbx_k\" ] || loginctl enable-linger || { sbx_warn=1; return; }\n"                        \
    "    XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}\n"                                                                \
    "    export XDG_RUNTIME_DIR\n"                                                                                                \
    "    systemd-run --user --scope --quiet true || { sbx_warn=1; return; }\n"                                                    \
    "    sbx_scope=\"systemd-run --user --scope --quiet --collect\"\n"                                                            \
    "} </dev/null >/dev/null 2>&1\n"                                                                                              \
    "sbx_back() {\n"                                                                                                              \
    "    ! mv \"$sbx_R\" \"$sbx_R.old\" 2>/dev/null || rm -rf \"$sbx_R.old\"\n"                                                   \
    "}\n"                                                                                                                         \
    "sbx_launch() {\n"                                                                                                            \
    "    sbx_scope= sbx_warn=0\n"                                                                                                 \
    "    sbx_linger\n"                                                                                                            \
    "    if [ $sbx_tmux = 2 ]; then sbx_plain keep\n"                                                                             \
    "    else sbx_in_tmux || sbx_plain run; fi\n"                                                                                 \
    "}\n"

#endif
