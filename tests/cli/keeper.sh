# keeper.sh - a connection that is kept serves every sbx, and ssh -S.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/keeper.sh"
keeper_lab
set -- -F "$SSHD_CONFIG"
nap=$(nap 79)

logins() {
    grep -c 'Accepted publickey' "$SSHD_LOG"
}
over() {
    timeout 60 ssh -F "$SSHD_CONFIG" -S "$SOCKET" "$@"
}
kept() {
    "$SBX" -F "$SSHD_CONFIG" keeper status t >/dev/null
}
not_kept() {
    ! kept
}
no_process() {
    is_gone "$KEEPER"
}
socket() {
    "$SBX" -F "$SSHD_CONFIG" --json keeper status t | sed 's/.*"socket":"\([^"]*\)".*/\1/'
}
keep() {
    "$SBX" -F "$SSHD_CONFIG" keeper run -b "$@" t
    SOCKET=$(socket)
    KEEPER=$("$SBX" -F "$SSHD_CONFIG" --json keeper status t | sed 's/.*"pid":\([0-9]*\),.*/\1/')
}

run "$@" keeper status t
check 'at first nothing is kept' equal "$status $out" '1 t: not kept'
run "$@" keeper forget t
check 'nor can it be let go' equal "$status $err" "1 $program: t: not kept"
keep
check 'then it is' kept
check 'its socket is for us alone' equal "$(stat -c %a "$SOCKET" "$(dirname "$SOCKET")")" '600
700'
differs() {
    [ -n "$1" ] && [ "${1##*/}" != "${2##*/}" ]
}
check 'its name has a salt, as passwords are in it' differs "$(XDG_RUNTIME_DIR=$T/elsewhere socket)" "$SOCKET"
run "$@" keeper run t
check 'it is kept once' equal "$status" 1
check 'and who has it is named' contains "$err" "keep 't': process $KEEPER keeps it already"
run keeper ls
check 'it is listed' contains "$out" "$SOCKET"
before=$(logins)

run "$@" exec t 'echo out; echo err >&2; exit 3'
check 'both streams and the status pass through' equal "$out|$err|$status" 'out|err|3'
head -c 20000000 /dev/urandom >"$T/in"
input=$T/in run "$@" exec --stdin t cat
check '20 MB pass through unchanged' cmp "$T/in" "$T/out"
run "$@" exec t 'head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2'
check 'all of both streams comes' equal "$(wc -c <"$T/out") $(wc -c <"$T/err")" '3000000 2000000'
run "$@" exec t 'kill -KILL $$'
check 'a signal is told by its name' equal "$status $err" "137 $program: t: killed by SIGKILL"
run "$@" exec t 'sleep 5 & echo before'
check 'a child that holds the streams does not hold the call' equal "$out $status" 'before 0'
run "$@" exec -t .5 t "sleep $nap"
check 'a time-out kills the tree' equal "$status $err" \
    "124 $program: t: timed out after 0.5 s; all of it is dead"
check 'nothing of it runs' none_runs "sleep $nap"
steps 'expect 33 101' 'expect name?' 'send Ada\r' 'expect hello Ada' 'status 3'
check 'a terminal over there takes our keys' on_terminal "$SBX" "$@" exec --pty t \
    'stty size; echo "name?"; read -r n; echo "hello $n"; exit 3'
"$SBX" "$@" exec t "echo ready; sleep $nap" >"$T/out" 2>/dev/null </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
kill -KILL $ours
wait $ours 2>/dev/null
check 'a client that is killed leaves nothing behind' within 10 none_runs "sleep $nap"
# All are at work before any may end; ten is the most of one connection.
: >"$T/began"
for i in $(seq 40); do
    "$SBX" "$@" exec t "echo >>$T/began; until [ -e $T/go ]; do sleep 0.1; done; echo $i" >"$T/many.$i" 2>&1 </dev/null &
done
all_began() {
    [ "$(wc -l <"$T/began")" = 40 ]
}
check 'forty are at work at once' within 60 all_began
touch "$T/go"
wait
check 'each gets its own answer' equal "$(cat "$T"/many.* | sort -n | tr '\n' ' ')" "$(seq 40 | tr '\n' ' ')"
further=$(($(logins) - before))
check "few connections serve the crowd: $further more" test "$further" -le 4
before=$(logins)

check 'ssh -O check knows it' over -O check t
check 'ssh gets the exit code' equal "$(over t 'echo hi; exit 5' || echo $?)" 'hi
5'
check 'ssh gets errors apart' equal "$(over t 'echo err >&2' 2>&1 >/dev/null)" err
check 'ssh passes 20 MB on' sh -c 'ssh -F "$0" -S "$1" t cat <"$2" | cmp - "$2"' "$SSHD_CONFIG" \
    "$SOCKET" "$T/in"
check 'ssh gets a shell where it names no command' equal "$(echo 'echo $((40 + 2))' | over -T t)" 42
steps 'expect 33 101' 'send x\r' 'expect got x' 'status 4'
check 'ssh gets a terminal' on_terminal ssh -F "$SSHD_CONFIG" -S "$SOCKET" -tt t \
    'stty size; read -r a; echo "got $a"; exit 4'
over t "echo ready; exec sleep $nap" >"$T/out" 2>&1 </dev/null &
ours=$!
check 'its command runs' within 10 grep -q ready "$T/out"
kill -TERM $(pids_of "^ssh .*-S $SOCKET")
wait $ours 2>/dev/null
check 'a signal ends ssh' test $? -gt 0
kill $(pids_of "sleep $nap") 2>/dev/null
check 'ssh -W reaches a port over there' contains \
    "$(over -W "127.0.0.1:$SSHD_PORT" t </dev/null | head -n 1)" 'SSH-2.0'
check 'none of these logged in' equal "$(logins)" "$before"
kill $(pids_of "sleep $nap") 2>/dev/null

run "$@" --no-keeper exec t true
check '--no-keeper connects anew' equal "$status $(logins)" "0 $((before + 1))"
SBX_KEEPER=off run "$@" exec t true
check 'so does SBX_KEEPER=off' equal "$(logins)" "$((before + 2))"
sed 's/^    User/    RekeyLimit 1G\n    User/' "$SSHD_CONFIG" >"$T/other"
run -F "$T/other" exec t true
check 'other settings are another connection' equal "$status $(logins)" "0 $((before + 3))"

"$SBX" "$@" exec t "echo x >>'$T/ran'; echo ready; sleep $nap" >"$T/out" 2>"$T/err" </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
kill -KILL "$KEEPER"
wait $ours
check 'a keeper that is killed on the way is a lost connection' equal "$?" 255
check 'and told' contains "$(cat "$T/err")" "$program: t: lost: "
check 'the command ran once' equal "$(cat "$T/ran")" x
check 'and is ended over there' within 10 none_runs "sleep $nap"
run "$@" exec t 'echo direct'
check 'what is left of its socket does no harm' equal "$out $status" 'direct 0'
keep
check 'another takes its place' kept
kill -STOP "$KEEPER"
run "$@" exec t 'echo direct'
check 'one that is frozen is passed by' equal "$out $status" 'direct 0'
kill -CONT "$KEEPER"

"$SBX" "$@" exec t "echo ready; sleep $nap" >"$T/out" 2>"$T/err" </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
for pid in $(pgrep -P "$(cat "$SSHD_DIR/pid")"); do
    end_tree "$pid"
done
wait $ours
check 'a connection that breaks behind the keeper is lost, too' equal "$?" 255
check 'and told' contains "$(cat "$T/err")" "$program: t: lost: "
kill $(pids_of "sleep $nap") 2>/dev/null
run "$@" exec t 'echo again'
check 'the next command finds a new one' equal "$out $status" 'again 0'

run "$@" keeper forget t
check 'it can be let go' equal "$status" 0
check 'the keeper ends with its last' within 10 no_process
check 'and its socket is gone' test ! -e "$SOCKET"
run "$@" keeper run -b --idle 1 t
check 'one that nobody uses' equal "$status" 0
check 'goes by itself' within 10 not_kept
keep
check 'ssh -O exit ends it' over -O exit t
check 'it is gone' within 10 no_process
check_end
