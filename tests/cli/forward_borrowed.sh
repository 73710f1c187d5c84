# forward_borrowed.sh - forwards over a connection that is somebody else's: a keeper's, a
# master's of ssh, and the installed ssh's.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/master.sh"
XDG_RUNTIME_DIR=$T/run
export XDG_RUNTIME_DIR
unset SBX_KEEPER
mkdir -m 700 "$T/run"
sshd_start

# An SSH server says who it is: by that a connection is known to have come there.
/usr/bin/python3 - "$T/far.sock" "$SSHD_PORT" <<'END' &
import socket, sys, threading
at = socket.socket(socket.AF_UNIX)
at.bind(sys.argv[1])
at.listen(8)
while True:
    peer, _ = at.accept()
    peer.sendall(b"far socket\n")
    peer.close()
END
FAR=$!
trap 'kill $FAR; "$SBX" forward stop; "$SBX" keeper stop; master_stop; sshd_cleanup; rm -rf "$T"' EXIT
within 10 test -S "$T/far.sock"

logins() {
    grep -c 'Accepted publickey' "$SSHD_LOG"
}
first_line() {
    timeout 20 /usr/bin/python3 -c 'import socket, sys
at = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
at.settimeout(15)
print(at.makefile().readline().strip()[:10])' "$1" 2>/dev/null
}
# Whether ssh is older than 9.4, whose masters reach no socket over there: it has to be told.
old_ssh() {
    ssh -V 2>&1 | sed 's/OpenSSH_\([0-9]*\)\.\([0-9]*\).*/\1 \2/' |
        { read -r major minor && [ $((100 * major + minor)) -lt 904 ]; }
}
listed() {
    "$SBX" forward ls | grep -q -- "$1"
}
# over SENTENCE ARGS...: a port and a socket over there, without another login.
over() {
    sentence=$1
    shift
    before=$(logins)
    run "$@" forward -b --json t "0:127.0.0.1:$SSHD_PORT" -L "0:$T/far.sock"
    open=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$T/out" | tr '\n' ' ')
    check "$sentence" equal "$(for port in $open; do first_line "$port"; done | tr '\n' '|')" \
        "SSH-2.0-Op|${socket-far socket}|"
    [ -n "${socket-far socket}" ] || check '  it is said why' within 10 listed 'OpenSSH 9.4 or later does'
    check "  without another login" equal "$(logins)" "$((before + ${extra:-0}))"
    "$SBX" forward stop
}

"$SBX" -F "$SSHD_CONFIG" keeper run -b t
over 'a port and a socket are reached over a keeper' -F "$SSHD_CONFIG"
run -F "$SSHD_CONFIG" forward -b --json t -R "0:127.0.0.1:$SSHD_PORT"
check 'a port over there is had over a connection of its own' equal \
    "$status $(first_line "$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$T/out")")" '0 SSH-2.0-Op'
"$SBX" forward stop
"$SBX" keeper stop
! old_ssh || socket=
master_start
over "and over a master of the person's" -F "$MASTER_CONFIG"
master_stop
printf '[{"name": "t", "host": "127.0.0.1", "port": %s, "user": "%s", "key_file": "%s", "transport": "openssh"}]' \
    "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" >"$T/hosts.json"
printf 'UserKnownHostsFile %s\nStrictHostKeyChecking accept-new\n' "$SSHD_DIR/known_hosts" >"$T/plain"
extra=1
over 'and over the installed ssh' -F "$T/plain" --config "$T/hosts.json"
run -F "$T/plain" --config "$T/hosts.json" forward t -R "0:127.0.0.1:$SSHD_PORT"
check 'over which no port over there is had' contains "$err" 'no port is listened on for us'
check_end
