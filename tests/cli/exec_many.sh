# exec_many.sh - one command on several places: whole lines, order, the summary.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
for name in a b c; do
    sed "s/^Host t\$/Host $name/" "$SSHD_CONFIG"
done >"$T/ssh_config"
printf 'Host dead\n    HostName 127.0.0.1\n    Port 1\n' >>"$T/ssh_config"
cat >"$XDG_CONFIG_HOME/sbx/hosts.json" <<'END'
[{"name": "a", "tags": ["lab"]}, {"name": "b", "tags": ["lab", "big"]}, {"name": "c"}]
END
set -- -F "$T/ssh_config"

run "$@" exec a,b,local 'printf "one\ntwo"; echo three >&2'
check 'all of it went well' equal "$status" 0
check 'each line begins with its place, the last one is ended' equal "$(sort "$T/out")" \
    'a: one
a: two
b: one
b: two
local: one
local: two'
check 'so it is on standard error' equal "$(sort "$T/err")" 'a: three
b: three
local: three'
run "$@" exec @lab true
check 'a tag is all that carry it' equal "$status $out$err" '0 '
run "$@" exec -v @lab,c,a true
check 'a place named twice runs once' equal "$(grep -c ': run ' "$T/err")" 3
run "$@" exec @big 'echo one place'
check 'a tag of one place is one place' equal "$out" 'one place'
refuses 'a tag of nobody' "no host carries the tag 'lap' (known: @lab, @big)" "$@" exec @lap true
check 'the nearest tag is named' contains "$err" "$program: try: @lab"

run "$@" exec a,dead,local '[ "$PWD" = / ] || exit 7'
check 'the status is the highest' equal "$status" 255
check 'the summary has the order given' equal "$(cut -d: -f2,3 <"$T/err" | grep -v 'try:' | cut -c1-13)" \
    "$(printf ' a: exited wi\n connect to %s\n local: exite\n 0 of 3 place' "'")"
run "$@" exec b,a 'exit 4'
check 'without an error it is the highest code' equal "$status" 4
check 'and the count' contains "$err" "$program: 0 of 2 places exited with status 0"

run "$@" exec a,b,local 'i=0; while [ $i -lt 3000 ]; do echo "$i abcdefghijklmnopqrstuvwxyz"; i=$((i+1)); done'
check 'no line is torn, none is lost' equal \
    "$(grep -c -E '^(a|b|local): [0-9]+ abcdefghijklmnopqrstuvwxyz$' "$T/out") $(wc -l <"$T/out")" \
    '9000 9000'
head -c 3000000 /dev/urandom >"$T/in"
want=$(sha256sum <"$T/in")
input=$T/in run "$@" exec --stdin a,b,local sha256sum
check 'each gets all of standard input' equal "$(sort "$T/out")" "a: $want
b: $want
local: $want"
head -c $((65 << 20)) /dev/zero >"$T/in"
input=$T/in run "$@" exec --stdin a,b true
check 'over 64 MiB is refused' equal "$status $err" \
    "255 $program: standard input: over 64 MiB, the most for several places"

run "$@" --json exec c,dead,local 'echo "$HOME"; exit 2'
check 'JSON has a line a place, in the order given' equal \
    "$(jq -r '.place + " " + .end' "$T/out" | tr '\n' ' ')" 'c exited dead not_started local exited '
check 'JSON alone is printed' equal "$err" ''

nap=$(nap 77)
printf '%s\n' 'expect a: ready' 'send \x03' 'expect a: cancelled; all of it is dead' \
    'expect b: cancelled; all of it is dead' 'expect 0 of 2 places' 'status 130' >"$T/steps"
check 'Ctrl-C stops them all' sh -c '/usr/bin/python3 "$@" <"$0"' "$T/steps" \
    "$HERE/terminal.py" "$SBX" "$@" exec a,b "echo ready; sleep $nap"
check 'nothing of it runs' none_runs "$nap"

# A host that accepts and says nothing must not hold up the others.
mkfifo "$T/fifo"
/usr/bin/python3 -c '
import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(8)
print(s.getsockname()[1], flush=True)
sys.stdin.read()' <"$T/fifo" >"$T/port" &
exec 9>"$T/fifo"
check 'the silent server is there' within 10 test -s "$T/port"
printf 'Host silent\n    HostName 127.0.0.1\n    Port %s\n    ConnectTimeout 6\n' "$(cat "$T/port")" \
    >>"$T/ssh_config"
"$SBX" "$@" exec silent,local 'echo here' >"$T/out" 2>"$T/err" </dev/null &
both=$!
check 'a dead host delays no other' within 3 grep -q 'local: here' "$T/out"
check 'the program still waits for the dead one' test -d "/proc/$both"
wait $both
check 'and tells of it' equal "$?" 255

# A hundred, with two such among them.
all=$(seq -f 'h%g' 100)
for name in $all; do
    sed -n '/^Host t$/,/^Host /p' "$SSHD_CONFIG" | sed "1s/.*/Host $name/; 2,\$ { /^Host/d }"
done >>"$T/ssh_config"
sed -n '/^Host silent$/,$p' "$T/ssh_config" | sed -n 1,4p | sed 's/silent/deaf/' >>"$T/ssh_config"
"$SBX" "$@" exec "silent,$(echo $all | tr ' ' ,),deaf" 'echo here; exit 3' >"$T/out" 2>"$T/err" </dev/null &
both=$!
hundred_are_here() {
    [ "$(grep -c '^h[0-9]*: here$' "$T/out")" = 100 ]
}
check 'of a hundred each answers' within 60 hundred_are_here
wait $both
check '  and the summary has them in the order given' equal \
    "$(sed -n "s/.*connect to '\([a-z]*\)'.*/\1/p; s/^$program: \([a-z0-9]*\): exited.*/\1/p" "$T/err" | tr '\n' ' ')" \
    "silent $(echo $all) deaf "
check '  with what became of all' equal "$(tail -n 1 "$T/err")" "$program: 0 of 102 places exited with status 0"
exec 9>&-
check_end
