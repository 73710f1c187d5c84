# exec_ssh.sh - a command on a host over SSH says and does what one on this machine does.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
# What a server tells those who come in is none of a command's output: not once below.
echo 'AUTHORIZED USE ONLY' >"$T/banner"
chmod 755 "$T"
sshd_start "Banner $T/banner" 'PrintMotd yes' 'PrintLastLog yes'
trap 'sshd_cleanup; rm -rf "$T"' EXIT
set -- -F "$SSHD_CONFIG"
nap=$(nap 77)

run "$@" exec t 'echo out; echo err >&2; exit 3'
check 'both streams and the status pass through' equal "$out|$err|$status" 'out|err|3'
run "$@" exec t echo 'a  b' '$HOME' "d'e" '' '*'
check 'several words reach the program as they stand' equal "$out" "a  b \$HOME d'e  *"
run "$@" exec -C /tmp -e 'A=x y' t 'pwd; echo "$A"'
check 'folder and variables are set' equal "$out" '/tmp
x y'
run "$@" exec t cat
check 'standard input is empty' equal "$status $out" '0 '
head -c 50000000 /dev/urandom >"$T/in"
input=$T/in run "$@" exec --stdin t cat
check '50 MB pass through unchanged' cmp "$T/in" "$T/out"
run "$@" exec -t .5 t "sleep $nap"
check 'a time-out is told' equal "$status $err" \
    "124 $program: t: timed out after 0.5 s; all of it is dead"
check 'nothing of it runs' none_runs "$nap"
run "$@" exec t 'kill -KILL $$'
check 'a signal is told' equal "$status $err" "137 $program: t: killed by SIGKILL"
(
    "$SBX" "$@" exec t "yes $nap" 2>"$T/err"
    echo $? >"$T/status"
) | head -n 1 >/dev/null
check 'a reader that goes away stops the command' equal "$(cat "$T/status" "$T/err")" 141
check 'nothing of it runs' within 10 none_runs "yes $nap"

printf '%s\n' 'expect ready' 'send \x03' 'expect t: cancelled; all of it is dead' 'status 130' \
    >"$T/steps"
check 'Ctrl-C stops the command' sh -c '/usr/bin/python3 "$@" <"$0"' "$T/steps" \
    "$HERE/terminal.py" "$SBX" "$@" exec t "echo ready; sleep $nap"
check 'nothing of it runs' none_runs "$nap"
printf '%s\n' 'expect 33 101' 'expect name?' 'send Ada\r' 'expect hello Ada' 'status 3' >"$T/steps"
check 'a terminal over there takes our keys' sh -c '/usr/bin/python3 "$@" <"$0"' "$T/steps" \
    "$HERE/terminal.py" "$SBX" "$@" exec --pty t 'stty size; echo "name?"; read -r n; echo "hello $n"; exit 3'

"$SBX" "$@" exec t "echo ready; sleep $nap" >"$T/out" 2>"$T/err" </dev/null &
program_pid=$!
check 'it runs' within 10 grep -q ready "$T/out"
end_tree "$SSHD_PID"
wait $program_pid
check 'a connection that breaks is 255' equal "$?" 255
check 'and told, with what is known' contains "$(cat "$T/err")" "$program: t: lost: "
kill $(pids_of "sleep $nap") 2>/dev/null

run "$@" exec t true
check 'a server that is gone is 255' equal "$status $out" '255 '
run "$@" host check t
check 'host check says so too' equal "$status $out" '255 '
check_end
