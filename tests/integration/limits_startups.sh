# limits_startups.sh - a server that throttles logins: we come again, and say so when that
# does not help.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start 'MaxStartups 1:100:1' 'LoginGraceTime 60'
sshd_user ada /bin/sh

# Takes the one place at the door, until `release`, or for so many seconds.
occupy() {
    rm -f "$SSHD_DIR/held"
    /usr/bin/python3 - "$SSHD_PORT" "$1" "$SSHD_DIR/held" <<'END' &
import socket, sys, time
for _ in range(200):
    s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
    if s.recv(64).startswith(b'SSH-'):
        break
    time.sleep(0.02)
open(sys.argv[3], 'w').close()
time.sleep(float(sys.argv[2]))
END
    HOLDER=$!
    within 20 test -e "$SSHD_DIR/held" || sshd_fail 'the place at the door is not had'
}
release() {
    kill "$HOLDER" 2>/dev/null
    wait "$HOLDER" 2>/dev/null
}
dropped() { grep -c 'past MaxStartups' "$SSHD_LOG"; }

# try CONNECT_SECONDS [OPTION ...]
try() {
    printf '[{"name": "busy", "host": "127.0.0.1", "port": %s, "user": "%s", "key_file": "%s", "connect_timeout": %s}]\n' \
        "$SSHD_PORT" "$SSHD_USER" "$SSHD_DIR/key" "$1" >"$SSHD_DIR/hosts"
    begin=$(date +%s%N)
    timeout 60 "$SBX" -F "$SSHD_CONFIG" --config "$SSHD_DIR/hosts" --json exec busy 'echo in' \
        >"$SSHD_DIR/out" 2>"$SSHD_DIR/err"
    status=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    code=$(jq -r .error.code <"$SSHD_DIR/out")
    text=$(jq -r .error.text <"$SSHD_DIR/out")
    fix=$(jq -r .error.fix <"$SSHD_DIR/out")
    retryable=$(jq -r .error.retryable <"$SSHD_DIR/out")
}
printf 'Host 127.0.0.1\n    UserKnownHostsFile %s\n    StrictHostKeyChecking accept-new\n' \
    "$SSHD_DIR/known_hosts" >>"$SSHD_CONFIG"

occupy 1.5
try 30
release
check 'a server that is busy for a moment lets us in' equal "$status $text" '0 null'
check '... at the second or a later try' test "$(dropped)" -ge 1

occupy 60
before=$(date +%s)
try 3
check 'a server that stays busy is told of' equal "$status $code" '255 SBX_ERR_CONNECT'
check '... as that' contains "$text" "the server throttles logins"
check '... in its words' contains "$text" "it says 'Exceeded MaxStartups'"
check '... with what mends it' contains "$fix" MaxStartups
check '... and that another time may do' equal "$retryable" true
check "... within the time to connect ($took ms)" test "$took" -lt 5000
timeout 60 "$SBX" -F "$SSHD_CONFIG" --config "$SSHD_DIR/hosts" --json doctor busy \
    >"$SSHD_DIR/report" 2>/dev/null
check '... and the doctor says so' contains \
    "$(jq -r '.checks[] | select(.name == "banner") | .state + " " + .seen' "$SSHD_DIR/report")" \
    'fail'
release

# Twenty at once through a door for three: all get in.
sshd_stop
SSHD_PORT=
sshd_start 'MaxStartups 3:100:3'
n=0
running=
while [ $n -lt 20 ]; do
    n=$((n + 1))
    timeout 100 "$SBX" -F "$SSHD_CONFIG" exec ada 'echo in' >"$SSHD_DIR/out.$n" 2>&1 &
    running="$running $!"
done
wait $running
check 'twenty at once get in where three may be at the door' equal \
    "$(cat "$SSHD_DIR"/out.* | sort | uniq -c | tr -s ' ')" ' 20 in'
check_end
