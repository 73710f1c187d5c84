# job_tmux.sh - terminals of jobs: typing into them, attaching, tmux that dies, sessions that
# somebody else began; and logins that end what they leave behind.
. "$(dirname "$0")/lib.sh"

trap 'kill ${busy-} 2>/dev/null; tmux -L sbx kill-server 2>/dev/null; tmux kill-server 2>/dev/null; rm -rf "$T"' EXIT
TMUX_TMPDIR=$T
export TMUX_TMPDIR
unset TMUX
sbx() {
    timeout -k 5 60 "$SBX" -F none "$@"
}
field() {
    sbx --json job show local "$1" | jq -r ".$2"
}
not_running() {
    [ "$(field "$1" state)" != running ]
}
told() {
    within 20 not_running "$1" || echo "$1 still runs"
    field "$1" '| [.state, .exit_code, .signal] | map(if . == null then "-" else tostring end) | join(" ")'
}
log_has() {
    sbx job log local "$1" | grep -q -e "$2"
}

sbx job start --no-watch --id echo-1 local 'read -r a; echo "1 got $a"' >/dev/null
sbx job start --no-watch --id echo-11 local 'read -r a; echo "11 got $a"; read -r b; exit 4' >/dev/null
sbx job send local echo-1 'some $words; "as" they #{stand}'
check 'what is typed gets there as it stands' within 10 log_has echo-1 '^1 got some $words; "as" they #{stand}$'
sbx job send local echo-1 'x' 2>"$T/err"
check 'to that job alone, not to one whose id begins alike' equal "$? $(cat "$T/err" | head -n 1)" \
    "1 $program: type into job 'echo-1' on 'local': it has ended"
sbx job send local echo-11 "$(head -c 3000 /dev/zero | tr '\0' x)"
check 'a long line too' within 10 log_has echo-11 '^11 got x\{3000\}$'
id=$(sbx job start --no-watch --no-terminal local 'sleep 20')
sbx job send local "$id" x 2>"$T/err"
check 'without a terminal that is refused' contains "$? $(cat "$T/err")" "1 $program: type into job '$id' on 'local': it has no terminal"
sbx job stop -k 1 local "$id" >/dev/null

steps 'expect 11 got x' 'send see\r' 'end'
on_terminal "$SBX" -F none job attach local echo-11 >"$T/shown" 2>&1
check 'attached, its output is seen and keys go to it' equal "$(told echo-11)" 'exited 4 -'
id=$(sbx job start --no-watch local 'trap "echo int; exit 5" INT; echo ready; while :; do sleep 0.2; done')
steps 'expect ready' 'send \x03' 'end'
on_terminal "$SBX" -F none job attach local "$id" >"$T/shown" 2>&1
check 'Ctrl-C there goes to the job' equal "$(told "$id") $(sbx job log local "$id" | tr '\n' ' ')" 'exited 5 - ready int '
sbx job attach local "$id" </dev/null 2>"$T/err"
check 'without a terminal here it is refused' equal "$? $(head -n 1 "$T/err")" "2 $program: standard input is not a terminal, which this needs"

nap=$(nap 65)
id=$(sbx job start --no-watch local "sleep $nap")
check 'one runs' within 10 one_runs "sleep $nap"
tmux -L sbx kill-server
check 'when tmux dies, the job goes on' equal "$(field "$id" state) $(pids_of "sleep $nap" | wc -l)" 'running 1'
sbx job send local "$id" x 2>"$T/err"
check 'without a terminal' contains "$(cat "$T/err")" 'it has no terminal: tmux does not answer'
kill -9 "$(field "$id" pid)"
check 'and its end is told' equal "$(told "$id")" 'signaled - KILL'

# Another session keeps the server, which would end with the last one.
tmux -f /dev/null new-session -d -s other "exec sleep $(nap 66)"
tmux -f /dev/null new-session -d -s night 'echo before; read -r x; echo "after $x"; exit 3'
id=$(sbx job adopt local night)
check 'a session of tmux becomes a job' equal "$(field "$id" '| [.state, .way, .name] | join(" ")')" 'running adopted night'
check 'what was on its screen is in its log' within 10 log_has "$id" before
sbx job send local "$id" 'this'
check 'it can be typed into, and its end is told' equal "$(told "$id")" 'exited 3 -'
check 'what it printed later is there' log_has "$id" 'after this'
tmux -f /dev/null new-session -d -s night2 "exec sleep $(nap 66)"
id=$(sbx job adopt -n second local night2)
sbx job stop -k 1 local second >/dev/null
check 'it can be stopped' equal "$(told "$id") $(field "$id" stopped_by)" "stopped - TERM $(id -un)@$(uname -n)"
# A server of tmux misses at times that its child has ended: young ones, on a loaded machine.
for n in 1 2; do
    timeout 60 sh -c 'while :; do :; done' &
    busy="${busy-} $!"
done
ids=
for n in 1 2 3 4; do
    tmux -L "load$n" -f /dev/null new-session -d -s "load$n" 'read -r x; exit 3'
    ids="$ids $(sbx job adopt -L "load$n" local "load$n")"
done
for id in $ids; do sbx job send local "$id" x; done
check 'how they ended is told under load' equal "$(for id in $ids; do told "$id"; done | tr '\n' ' ')" 'exited 3 - exited 3 - exited 3 - exited 3 - '
kill $busy
sbx job adopt local nothing 2>"$T/err"
check 'a session that is not there is told of' equal "$? $(sed "s/job '[^']*'/JOB/" "$T/err" | head -n 1)" \
    "1 $program: start JOB on 'local': tmux has no such session there"

mkdir "$T/bin"
printf '#!/bin/sh\necho b true\n' >"$T/bin/busctl"
printf '#!/bin/sh\nexit 1\n' >"$T/bin/loginctl"
printf '#!/bin/sh\necho "$@" >>%s/scopes\nwhile [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n' "$T" >"$T/bin/systemd-run"
chmod +x "$T/bin"/*
id=$(sbx job start --no-watch -e "PATH=$T/bin:$PATH" local true 2>"$T/err")
check 'a login that ends what it leaves behind is warned of' contains "$(cat "$T/err")" 'KillUserProcesses=yes'
check 'and the job runs' equal "$(told "$id")" 'exited 0 -'
printf '#!/bin/sh\nexit 0\n' >"$T/bin/loginctl"
id=$(sbx job start --no-watch --no-terminal -e "PATH=$T/bin:$PATH" local 'exit 2' 2>"$T/err")
check 'where it may linger, nothing is to be warned of' equal "$(told "$id") $(cat "$T/err")" 'exited 2 - '
check 'and the job is in a scope of its own' grep -q '^--user --scope --quiet --collect /bin/sh' "$T/scopes"
check_end
