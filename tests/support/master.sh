# master.sh - an OpenSSH master (ControlMaster) to the servers of sshd.sh.
#
#     master_start             MASTER_PID, MASTER_SOCKET; MASTER_CONFIG names the socket
#     master_stop
#
# sshd_start comes first. A shell that sets a trap for EXIT calls master_stop in it.

MASTER_PID=

master_answers() {
    MASTER_PID=$(ssh -F "$MASTER_CONFIG" -O check t 2>&1 | sed -n 's/.*pid=\([0-9]*\).*/\1/p')
    [ -n "$MASTER_PID" ]
}

master_start() {
    MASTER_SOCKET=$SSHD_DIR/master
    MASTER_CONFIG=$SSHD_DIR/master_config
    {
        printf 'Host t\n    ControlPath %s\n' "$MASTER_SOCKET"
        cat "$SSHD_CONFIG"
    } >"$MASTER_CONFIG"
    ssh -F "$MASTER_CONFIG" -M -N -f t </dev/null >/dev/null 2>&1
    within 10 master_answers || sshd_fail 'no master'
}

master_stop() {
    [ -z "$MASTER_PID" ] || kill -KILL "$MASTER_PID" 2>/dev/null
    [ -z "$MASTER_SOCKET" ] || rm -f "$MASTER_SOCKET"
    MASTER_PID=
}
