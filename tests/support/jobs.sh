# jobs.sh - jobs on places of sshd.sh, for shell tests of the program.
#
#     . "$(dirname "$0")/lib.sh"; . "$TEST_SUPPORT/sshd.sh"; . "$TEST_SUPPORT/jobs.sh"
#     jobs_begin 'Match User x' ...    a server with these further lines; T/all is for all
#     jobs_here                        or without a server: PLACE is local
#     id=$(start PLACE COMMAND)
#     check '...' equal "$(told PLACE "$id")" 'exited 3 - -'
#
# tmux has its sockets in T/all, and ends with the test.

jobs_end() {
    for socket in "$T"/all/tmux-*/sbx; do
        [ ! -S "$socket" ] || as_root tmux -S "$socket" kill-server
    done 2>/dev/null
    ! grep -q " $T/small " /proc/mounts || as_root umount -l "$T/small"
    sshd_cleanup
    as_root rm -rf --one-file-system "$T"
}

# Again, with the same lines, after a sshd_stop.
jobs_serve() {
    sshd_start "$@"
    printf 'Host *\n    ServerAliveInterval 1\n' >>"$SSHD_CONFIG"
}

jobs_begin() {
    trap jobs_end EXIT
    chmod 711 "$T"
    mkdir -m 1777 "$T/all"
    jobs_serve "$@"
}

# Jobs of this machine instead.
jobs_here() {
    SSHD_CONFIG=none
    mkdir "$T/all"
    trap jobs_end EXIT
    unset TMUX
}

sbx() {
    timeout -k 5 60 "$SBX" -F "$SSHD_CONFIG" "$@"
}

start() {
    sbx job start --no-watch -e "TMUX_TMPDIR=$T/all" "$@"
}

# field PLACE ID EXPRESSION: of the job as it is now.
field() {
    sbx --json job show "$1" "$2" | jq -r ".$3"
}

is() {
    [ "$(field "$1" "$2" state)" = "$3" ]
}

not_running() {
    ! is "$1" "$2" running
}

# Its end in one line, once it has ended: state, exit code, signal, lost by.
told() {
    within 20 not_running "$1" "$2" || echo "$2 still runs"
    field "$1" "$2" '| [.state, .exit_code, .signal, .lost_by] | map(if . == null then "-" else tostring end) | join(" ")'
}

log_of() {
    sbx job log "$1" "$2" | tr '\n' ' '
}
