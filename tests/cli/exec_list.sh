# exec_list.sh - commands that come on standard input, a line each.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
list() {
    input=$T/list run -F "$SSHD_CONFIG" "$@"
}

printf 'echo one\n\n  \necho "two  2" >&2; echo two\necho three' >"$T/list"
before=$(grep -c 'Accepted' "$SSHD_LOG")
list exec --stdin-commands t
check 'each line is a command, the last one without its end too' equal "$status $out" '0 one
two
three'
check 'their errors are passed on' equal "$err" 'two  2'
check 'all run over one connection' equal "$(grep -c 'Accepted' "$SSHD_LOG")" $((before + 1))
list --json exec --stdin-commands t
check 'with --json each is an object' equal "$(grep -c '"end":"exited"' "$T/out")" 3
check '  in the order of the lines' equal "$(sed 's/.*"stdout":"\([a-z]*\).*/\1/' "$T/out" | tr '\n' ' ')" 'one two three '
check '  with the number of its line, blank ones counted' \
    equal "$(sed 's/^{"line":\([0-9]*\),"place":"t",.*/\1/' "$T/out" | tr '\n' ' ')" '1 4 5 '
seq 100 | sed 's/^/echo /' >"$T/list"
list exec --stdin-commands local
check 'a hundred come in their order' sh -c 'seq 100 | cmp - "$0"' "$T/out"

printf 'echo a\nexit 3\nkill -KILL $$\nexit 2\necho b\n' >"$T/list"
list exec --stdin-commands local
check 'behind one that fails it goes on' equal "$out" 'a
b'
check '  the status is the highest' equal "$status" 137
check '  and each is told by its line' equal "$err" "$program: local: line 2: exited with status 3
$program: local: line 3: killed by SIGKILL
$program: local: line 4: exited with status 2"
list exec --stdin-commands --stop-at-failure local
check 'unless it is told to stop' equal "$status $out" '3 a'
check '  which is said' contains "$err" 'stopped at line 2 of standard input'
printf 'true\necho x >%s/ran\n' "$T" >"$T/list"
list exec --stdin-commands -C /no/such/folder local
check 'behind one that was not started it stops' equal "$status" 2
check '  at once' contains "$err" 'stopped at line 1 of standard input'
list exec --stdin-commands nowhere.invalid
check 'nor does it ask a host that is not there for each line' equal \
    "$status $(grep -c 'nowhere.invalid' "$T/err")" '255 1'
check '  and nothing ran' test ! -e "$T/ran"
printf 'echo on\n' >"$T/list"
list --json exec --stdin-commands local,nowhere.invalid
check 'one that was not started has its line too' equal \
    "$(jq -r '[.line, .place, .end] | join(" ")' "$T/out" | sort)" '1 local exited
1 nowhere.invalid not_started'
list exec --stdin-commands local,t
check 'with several places each command runs on all' equal "$(sort "$T/out")" 'local: on
t: on'
printf 'echo a\n\000b\n' >"$T/list"
list exec --stdin-commands local
check 'a line with a NUL is refused' contains "$err" 'line 2 of standard input: a NUL'
check '  and the status says so' equal "$status" 2
(printf 'echo start\n'; head -c 1100000 /dev/zero | tr '\0' x) >"$T/list"
list exec --stdin-commands local
check 'one that is too long is refused' contains "$err" 'line 2 of standard input: over 1 MiB'

# A pipe that stays open: each is run when it comes, and Ctrl-C's kin ends the wait.
mkfifo "$T/pipe"
"$SBX" exec --stdin-commands local <"$T/pipe" >"$T/out" 2>"$T/err" &
ours=$!
exec 9>"$T/pipe"
echo 'echo first' >&9
check 'a command runs as soon as it comes' within 10 grep -q first "$T/out"
kill -TERM $ours
check 'its kin ends the wait for the next one' within 10 is_gone $ours
wait $ours
check '  as cancelled' equal "$?" 130
exec 9>&-

refuses 'a command beside it' "option '--stdin-commands': the commands are read, and 'true' is given" \
    exec --stdin-commands local true
refuses 'two uses of standard input' \
    "option '--stdin-commands': with '--stdin' there is one standard input for two" \
    exec --stdin --stdin-commands local
refuses '--stop-at-failure alone' "option '--stop-at-failure' is for '--stdin-commands'" \
    exec --stop-at-failure local true

# On one CPU a command may be over before its watchdog has done the next thing.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
yes 'printf out; printf err >&2' | head -n 200 |
    taskset -c "$cpu" "$SBX" -F none --json exec --stdin-commands local >"$T/told"
check 'nothing of ours holds the output of a command that is over' equal \
    "$(jq -r '"\(.end) \(.holds_output)"' "$T/told" | sort | uniq -c | tr -s ' ')" ' 200 exited false'
check_end
