# exec_local.sh - a command on this machine: its streams, its words, its endings.
. "$(dirname "$0")/lib.sh"
nap=$(nap 77)

run exec local 'echo out; echo err >&2; exit 3'
check 'both streams and the status pass through' equal "$out|$err|$status" 'out|err|3'
run exec local echo 'a  b' '$HOME' "d'e" ''
check 'several words reach the program as they stand' equal "$out" "a  b \$HOME d'e "
run exec local ls -d /
check 'options behind the place are the command'\''s' equal "$out" /
run exec -- local -- echo --json
check 'a -- ends our options, before the place and behind it' equal "$out" '--json'
run exec -C /tmp -e A=1 -eB=2 --env 'C=x y' local 'pwd; echo "$A $B $C"'
check 'folder and variables are set' equal "$out" "/tmp
1 2 x y"
run exec local cat
check 'standard input is empty' equal "$status $out" '0 '
printf 'a\nb' >"$T/in"
input=$T/in run exec --stdin local cat
check '--stdin passes it on' cmp "$T/in" "$T/out"
head -c 50000000 /dev/urandom >"$T/in"
input=$T/in run exec --stdin local cat
check '50 MB pass through unchanged' cmp "$T/in" "$T/out"
input=$T/in run exec --stdin local true
check 'a command that does not read its input ends well' equal "$status $err" '0 '
run exec local 'printf "\000\377\r\n"'
check 'bytes are not touched' equal "$(od -An -tx1 <"$T/out" | tr -d ' ')" 00ff0d0a

run exec -t .3 local "sleep $nap"
check 'a time-out is 124 and is told' equal "$status $err" \
    "124 $program: local: timed out after 0.3 s; all of it is dead"
check 'nothing of it runs' none_runs "$nap"
run exec -t 2 local 'kill -KILL $$'
check 'a signal is 128 + its number and is told' equal "$status $err" \
    "137 $program: local: killed by SIGKILL"
run exec local 'exit 124'
check 'a command'\''s own 124 is no time-out' equal "$status $err" '124 '
run exec local no-such-program-here
check 'a program that is not there is 127' equal "$status" 127
run exec -C /no/such/folder local true
check 'a folder that is not there is an error of the user' equal "$status" 2
check 'it is named' contains "$err" /no/such/folder
run exec 'a b' true
check 'a word that can be no place is refused' equal "$status $out" '2 '
run exec nowhere.invalid true
check 'a host that is not there is 255' equal "$status $out" '255 '
check 'it is one line, and what to try' equal "$(wc -l <"$T/err")" 2
check '  with the check of doctor that explains it' contains "$err" '(`sbx doctor` tells more: address)'

"$SBX" exec local yes 2>"$T/err" | head -n 1 >"$T/out"
check 'a reader that goes away is no error to shout about' equal "$(cat "$T/out" "$T/err")" y
(
    "$SBX" exec local "yes $nap" 2>"$T/err"
    echo $? >"$T/status"
) | head -n 1 >/dev/null
check 'its status is that of SIGPIPE' equal "$(cat "$T/status")" 141
check 'the command was stopped' within 10 none_runs "yes $nap"
"$SBX" exec local 'echo x' >/dev/full 2>"$T/err"
check 'output that cannot be written is 255' equal "$?" 255
check 'and is told' contains "$(cat "$T/err")" 'write the output: No space left on device'
run exec local 'yes | head -n 1; echo "$?"'
check 'commands here die of SIGPIPE as ever' equal "$out" 'y
0'

run exec -v local "sleep $nap & echo here"
check 'a child in the background is told with -v' contains "$err" 'still holds the output'
check '-v tells the run' contains "$err" "$program: local: run "
kill $(pids_of "sleep $nap") 2>/dev/null

run --json exec local 'echo out; echo err >&2; exit 3'
check 'JSON says the same' equal \
    "$(jq -r '[.place, .end, .exit_code, .stdout, .stderr, .truncated] | @json' "$T/out")" \
    '["local","exited",3,"out\n","err\n",false]'
check 'the status stays' equal "$status $err" '3 '
run exec --json -t .2 local 'sleep 9'
check 'a time-out in JSON' equal "$status $(jq -c '[.end, .confirmed_dead, .survivors]' "$T/out")" \
    '124 ["timed_out",true,[]]'
run exec --json --max-output 1000 local 'seq 100000'
check 'JSON returns no more than it is allowed, about' test "$(jq '.stdout | length' "$T/out")" -lt 1300
check 'and says so' equal "$(jq -c '[.truncated, .stdout_bytes]' "$T/out")" '[true,588895]'
run exec --json local 'printf "\377\000"'
check 'bytes that are no text are base64' equal "$(jq -r '.encoding + .stdout' "$T/out")" base64/wA=
run exec --json nowhere.invalid true
check 'what was not started is an object too' equal \
    "$status $(jq -r '[.place, .end, .error.executed] | @json' "$T/out")" \
    '255 ["nowhere.invalid","not_started","no"]'
check_end
