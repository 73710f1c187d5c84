# output.sh - what a command printed is read again, whole and in parts.
. "$(dirname "$0")/lib.sh"

run_of() {
    "$SBX" -F none --json exec local "$1" | jq -r .run_id
}
id=$(run_of 'seq 1000; echo problem >&2')
seq 1000 >"$T/want"
run output "$id"
check 'the whole of it, byte by byte' cmp "$T/want" "$T/out"
run output "$id" --stderr
check 'standard error' equal "$out" problem
run output "$id" --range 2:6
check 'a range is up to its end, not with it' equal "$out" '2
3'
run output "$id" --range=-5:
check 'a negative start counts from the end' equal "$out" 1000
run output "$id" --range :-3886
check 'a negative end too' equal "$out" '1
2
3
4'
check 'it is exactly that long' equal "$(wc -c <"$T/out")" $(($(wc -c <"$T/want") - 3886))
run output "$id" --range 5000:
check 'what lies behind the end is nothing' equal "$status $out$err" '0 '
run output "$id" --lines 9:11
check 'lines count from 1, both ends included' equal "$out" '9
10
11'
run output "$id" --lines -2:
check 'the last lines' equal "$out" '999
1000'
run output "$id" --lines :2
check 'the first lines' equal "$out" '1
2'
run output "$id" --grep '^50.$'
check 'lines that match have their numbers' equal "$(head -n 1 "$T/out")" 500:500
run output "$id" --grep nothing
check 'no line that matches is 1' equal "$status $out$err" '1 '
run output "$id" --grep '('
check 'what is no expression is refused' equal "$status $out" '2 '
run output "$id" --max-output 4
check 'a limit is kept' equal "$out" '1
2'
check 'and told' contains "$err" "$program: cut at 4 bytes"
run --json output "$id" --lines 1:2
check 'as JSON' equal "$(jq -c '[.data, .first_line, .line_count]' "$T/out")" '["1\n2\n",1,2]'
run --json output "$id" --range=-5:-1
check 'a range as JSON' equal "$(jq -c '[.data, .offset, .stored]' "$T/out")" '["1000",3888,3893]'

id=$(run_of 'head -c 30000000 /dev/zero | tr "\000" x')
run output "$id"
check 'a long one comes whole' equal "$(wc -c <"$T/out") $(tr -d x <"$T/out" | wc -c)" '30000000 0'
"$SBX" output "$id" | head -c 10 >/dev/null
run output 0123456789abcdef0123456789abcdef
check 'a run of nobody is refused' equal "$status $out" '2 '
run output ../../etc/passwd
check 'what is no id is refused' equal "$status $out" '2 '

run output --lines 1:
check 'what to print of nothing is refused' equal "$status $out" '2 '
run exec local 'echo the newest; echo of all >&2'
run output last
check 'the last is the newest' equal "$status $out" '0 the newest'
run output
check 'a list has its head, the newest first' contains "$(sed -n 1,2p "$T/out")" 'COMMAND
'
check '  with place, bytes and command' contains "$(sed -n 2p "$T/out")" \
    'local                11          7  echo the newest; echo of all'
short=$(sed -n '2s/^\(.\{10\}\).*/\1/p' "$T/out")
run output "$short" --stderr
check 'the first digits of an id will do' equal "$status $out" '0 of all'
run output fffffffffff
check 'those of nobody are refused' equal "$status $out" '2 '
run --json output
check 'as JSON, an object a line' equal "$(head -n 1 "$T/out" |
    jq -c '[.place, .command, .stdout_bytes, .stderr_bytes, .complete]')" \
    '["local","echo the newest; echo of all >&2",11,7,true]'
XDG_STATE_HOME=$T/none
run output
check 'an empty list is told' equal "$status $out $err" "0  $program: no output is stored"
check_end
