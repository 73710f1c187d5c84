# mux_master.sh - commands go over the connection that the person's own ssh has open.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/master.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
sshd_start
trap 'master_stop; sshd_cleanup; rm -rf "$T"' EXIT
program=$(basename "$SBX")
nap=77.$(date +%s)$$

run() {
    timeout -k 5 60 "$SBX" -F "$MASTER_CONFIG" "$@" <"${input:-/dev/null}" >"$T/out" 2>"$T/err"
    status=$?
    out=$(cat "$T/out")
    err=$(cat "$T/err")
}
logins() {
    grep -c 'Accepted publickey' "$SSHD_LOG"
}
none_runs() {
    [ -z "$(pgrep -f -- "$1")" ]
}
one_runs() {
    [ -n "$(pgrep -f -- "$1")" ]
}

master_start
before=$(logins)
run exec t 'echo out; echo err >&2; exit 3'
check 'both streams and the status pass through' equal "$out|$err|$status" 'out|err|3'
run exec t echo 'a  b' '$HOME' "d'e"
check 'words reach the program as they stand' equal "$out" "a  b \$HOME d'e"
head -c 50000000 /dev/urandom >"$T/in"
input=$T/in run exec --stdin t cat
check '50 MB pass through unchanged' cmp "$T/in" "$T/out"
run exec t 'head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2'
check 'all of both streams comes' equal "$(wc -c <"$T/out") $(wc -c <"$T/err") $status" \
    '3000000 2000000 0'
run exec t 'kill -KILL $$'
check 'a signal, which a master has no word for, is told as one without a name' \
    equal "$out" ''
check 'and is no exit' equal "$status $err" \
    "255 $program: t: killed by a signal, which one is not known"
run exec t 'sleep 5 & echo before'
check 'a child that holds the streams does not hold the call' equal "$out $status" 'before 0'
run exec -t .5 t "sleep $nap"
check 'a time-out kills the tree' equal "$status $err" \
    "124 $program: t: timed out after 0.5 s; all of it is dead"
check 'nothing of it runs' none_runs "sleep $nap"
run --json host check t
check 'the master is asked for a sign of life' contains "$out" '"ok":true'
printf '%s\n' 'expect 33 101' 'expect name?' 'send Ada\r' 'expect hello Ada' 'status 3' >"$T/steps"
check 'a terminal over there takes our keys' sh -c '/usr/bin/python3 "$@" <"$0"' "$T/steps" \
    "$SBX_SOURCE/tests/cli/terminal.py" "$SBX" -F "$MASTER_CONFIG" exec --pty t \
    'stty size; echo "name?"; read -r n; echo "hello $n"; exit 3'
check 'none of these logged in' equal "$(logins)" "$before"

timeout 60 "$SBX" -F "$MASTER_CONFIG" exec t "echo ready; sleep $nap; exit 7" >"$T/out" 2>"$T/err" \
    </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
pid=$(pgrep -P $ours)
kill -KILL "$pid"
wait $ours 2>/dev/null
check "a client that is killed leaves nothing behind" within 10 none_runs "sleep $nap"

"$SBX" -F "$MASTER_CONFIG" exec t "echo x >>'$T/ran'; echo ready; sleep $nap" >"$T/out" 2>"$T/err" \
    </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
kill -KILL "$MASTER_PID"
wait $ours 2>/dev/null
check 'a master that is killed on the way is a lost connection' equal "$?" 255
check 'and told' contains "$(cat "$T/err")" "$program: t: lost: "
check 'the command ran once' equal "$(cat "$T/ran")" x
check 'and is ended over there' within 10 none_runs "sleep $nap"

check 'its socket is still there' test -S "$MASTER_SOCKET"
run exec t 'echo direct'
check 'a stale socket does no harm' equal "$out $status" 'direct 0'
check 'it logged in' test "$(logins)" -gt "$before"

rm -f "$MASTER_SOCKET"
master_start
kill -STOP "$MASTER_PID"
run exec t 'echo direct'
check 'a master that is frozen is passed by' equal "$out $status" 'direct 0'
kill -CONT "$MASTER_PID"
master_stop

sshd_stop
sshd_start 'MaxSessions 1'
master_start
ssh -F "$MASTER_CONFIG" t "echo ready; sleep $nap" >"$T/out" 2>&1 &
theirs=$!
check 'another has its one session' within 10 grep -q ready "$T/out"
run exec t 'echo direct'
check 'a master that is full is passed by' equal "$out $status" 'direct 0'
kill $theirs
wait $theirs 2>/dev/null
check_end
