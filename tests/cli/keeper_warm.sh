# keeper_warm.sh - a keeper has a warden, and a supervisor that is ready for the next run:
# what a client gets is the truth all the same.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/keeper.sh"
keeper_lab
set -- -F "$SSHD_CONFIG"
nap=$(nap 83)

# here WORDS: the pids of what this server runs with these words in its command line.
here() {
    for pid in $(pids_of "^/bin/sh -c : sbx $1"); do
        ! grep -qsz "^SSH_CONNECTION=.* $SSHD_PORT\$" "/proc/$pid/environ" || echo "$pid"
    done
}
ready() {
    here supervisor
}
is_ready() {
    [ -n "$(ready)" ]
}
has_warden() {
    [ -n "$(here warden)" ]
}
keeper() {
    "$SBX" -F "$SSHD_CONFIG" --json keeper status t | sed 's/.*"pid":\([0-9]*\),.*/\1/'
}
# Two runs, and the third is one that the keeper watches.
warm() {
    for one in 1 2 3; do
        "$SBX" -F "$SSHD_CONFIG" exec t true || return 1
    done
    within 20 is_ready
}

"$SBX" "$@" keeper run -b t
check 'after some runs a supervisor is ready' warm
check 'and there is a warden' has_warden
run "$@" exec t 'echo out; echo err >&2; exit 3'
check 'a run has its streams and its status' equal "$out|$err|$status" 'out|err|3'
run "$@" exec -C /tmp -e A=b t 'echo "$PWD $A"'
check '  its folder and its environment' equal "$out" '/tmp b'
input=$TEST_SUPPORT/check.sh run "$@" exec --stdin t cat
check '  and its input' cmp "$TEST_SUPPORT/check.sh" "$T/out"
run "$@" exec -C /nowhere t true
check 'a folder that there is not is told' contains "$err" '/nowhere'
run "$@" exec t 'kill -TERM $$'
check 'a signal is told by its name' contains "$err" 'killed by SIGTERM'
run "$@" exec -t .5 t "sleep $nap"
check 'a time-out kills the tree' equal "$status $err" \
    "124 $program: t: timed out after 0.5 s; all of it is dead"
check '  and nothing of it runs' none_runs "sleep $nap"

# One that is ready and dies: the run finds another way, once.
: >"$T/ran"
check 'one is ready again' warm
kill -KILL $(ready)
run "$@" exec t "echo x >>'$T/ran'; echo on"
check 'a supervisor that died before it read of a run is no loss' equal "$out $status" 'on 0'
check '  and the command ran once' equal "$(cat "$T/ran")" x
check 'one is ready again' warm
kill -STOP $(ready)
run "$@" exec -t 1 t "echo y >>'$T/ran'"
check 'one that hangs is a time-out' equal "$status" 124
kill -CONT $(ready) 2>/dev/null
check '  after which nothing begins' within 10 has_warden
check '  nor has begun' equal "$(cat "$T/ran")" x

# What is known of a run is known to the warden.
check 'one is ready again' warm
"$SBX" "$@" exec t "echo ready; exec env -i sleep $nap" >"$T/out" 2>/dev/null </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
kill -KILL $ours
wait $ours 2>/dev/null
check 'a client that is killed takes along what hides its environment' within 10 none_runs "sleep $nap"
check 'one is ready again' warm
"$SBX" "$@" exec t "echo ready; exec env -i sleep $nap" >"$T/out" 2>"$T/err" </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
kill -KILL "$(keeper)"
wait $ours
check 'a keeper that is killed is a lost connection' equal "$?" 255
check '  and its warden ends the run' within 10 none_runs "sleep $nap"

"$SBX" "$@" keeper run -b t
check 'another keeper is warm' warm
run "$@" exec t "setsid sleep $nap >/dev/null 2>&1 </dev/null &"
check 'what a run leaves behind on purpose' equal "$status" 0
"$SBX" keeper stop
check '  outlives the warden' sh -c 'sleep 3; pgrep -f "sleep $0" >/dev/null' "$nap"
kill $(pids_of "sleep $nap")

"$SBX" "$@" keeper run -b t
check 'another keeper is warm' warm
"$SBX" "$@" exec -t 2 t "echo ready; sleep $nap" >"$T/out" 2>/dev/null </dev/null &
ours=$!
check 'it runs' within 10 grep -q ready "$T/out"
frozen=$(keeper)
kill -STOP $ours "$frozen"
check 'a time limit holds where client and keeper are frozen' within 30 none_runs "^sleep $nap"
kill -CONT $ours "$frozen"
wait $ours
check_end
