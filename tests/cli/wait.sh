# wait.sh - until a job ends, its log has a line, a file or a port is there, a host is up.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start
sshd_user ada /bin/sh
trap 'tmux -L sbx kill-server 2>/dev/null; sshd_cleanup; rm -rf "$T"' EXIT
TMUX_TMPDIR=$T
export TMUX_TMPDIR
sbx() {
    run -F "$SSHD_CONFIG" "$@"
}
start() {
    "$SBX" -F "$SSHD_CONFIG" job start --no-watch --no-terminal "$@"
}
ask() {
    jq -r "$1" "$T/out"
}

id=$(start ada 'echo one; sleep 1; echo two; sleep 1; echo three; exit 7')
sbx --json wait ada --job "$id" --log-match '^t'
check 'a line of the log is waited for' equal "$status $(ask '.answers[0] | [.met, .line, .cursor] | map(tostring) | join(" ")')" '0 true two 8'
sbx wait ada --job "$id" --log-match '^t' --cursor 8
check 'and the next from where that ended' equal "$status $out" '0 three'
sbx wait ada --job "$id"
check 'the status of a job is that of its wait' equal "$status $out$err" '7 '
sbx wait ada --job "$id" --log-match nothing
check 'a line that can come no more is 1' equal "$status $err" "1 $program: job '$id' ended without such a line"
id=$(start ada 'kill -9 $$')
sbx wait ada --job "$id"
check 'a death by a signal is told' equal "$status $err" "137 $program: $id: killed by SIGKILL"
id=$(start ada 'sleep 30')
sbx wait -t 1 ada --job "$id"
check 'a limit is kept' equal "$status $err" "124 $program: ada: not within the time: job '$id'"
"$SBX" -F "$SSHD_CONFIG" job stop -k 1 ada "$id" >/dev/null
sbx wait ada --job no-such-01234567
check 'a job that is not there is told of' equal "$status $(echo "$err" | grep -c 'no job of that id')" '1 1'

home=$("$SBX" -F "$SSHD_CONFIG" exec ada 'echo $HOME')
port=$(random_port)
start ada "sleep 1; touch ready; exec python3 -c 'import socket, time; s = socket.create_server((\"127.0.0.1\", $port)); time.sleep(20)'" >/dev/null
sbx wait -t 20 ada --port "$port" --file '~/ready'
check 'a port and a file are waited for, both' equal "$status $err" '0 '
sbx wait -t 20 local --port "$port"
check 'a port of this machine too' equal "$status $err" '0 '
sbx --json wait -t 20 --any ada --file /nonexistent --port "$port"
check 'any of several is enough' equal "$status $(ask '[.met, .answers[0].met, .answers[1].met] | map(tostring) | join(" ")')" '0 true false true'

sshd_stop
sbx wait -t 1 ada --host-up
check 'a host that is down is not up within the time' equal "$status" 124
"$SBX" -F "$SSHD_CONFIG" wait -t 30 ada --host-up >"$T/up" 2>&1 &
sshd_start
wait $!
check 'once it is up again, that is told' equal "$? $(cat "$T/up")" '0 '
refuses 'something must be waited for' 'nothing to wait for: none of --job, --log-match, --file, --port, --host-up' wait local
refuses 'a pattern needs its log' "option '--log-match' needs one --job, whose log it is" wait local --log-match x
refuses 'a port is a number' "--port 'x': not a port from 1 to 65535" wait local --port x
check_end
