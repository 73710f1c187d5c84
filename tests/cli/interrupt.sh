# interrupt.sh - Ctrl-C, SIGTERM and SIGHUP: what runs is stopped, and that is told.
. "$(dirname "$0")/lib.sh"
nap=$(nap 77)

# Shells start background jobs with SIGINT ignored, so a terminal of its own it is.
on_terminal() {
    /usr/bin/python3 "$HERE/terminal.py" "$SBX" "$@" <"$T/steps"
}
printf '%s\n' 'expect ready' 'send \x03' 'expect local: cancelled; all of it is dead' 'status 130' \
    >"$T/steps"
check 'Ctrl-C stops the command and says that it is dead' \
    on_terminal exec local "echo ready; sleep $nap"
check 'nothing of it runs' none_runs "$nap"
for signal in TERM HUP; do
    printf '%s\n' 'expect ready' "signal $signal" 'expect local: cancelled; all of it is dead' \
        'status 130' >"$T/steps"
    check "SIG$signal does the same" on_terminal exec local "echo ready; sleep $nap"
    check 'nothing of it runs' none_runs "$nap"
done
printf '%s\n' 'expect ready' 'signal TERM' 'signal TERM' \
    'expect local: cancelled; all of it is dead' 'status 130' >"$T/steps"
check 'the two signals of timeout(1) are one wish' on_terminal exec local "echo ready; sleep $nap"
check 'nothing of it runs' none_runs "$nap"

# What ignores SIGTERM takes a while to stop: time for a second Ctrl-C.
printf '%s\n' 'expect ready' 'again \x03' \
    'expect stopped at once; the far side is not confirmed dead' 'status 130' >"$T/steps"
check 'a second Ctrl-C ends the program at once' \
    on_terminal exec local "trap '' TERM INT; echo ready; while :; do sleep .1; done # $nap"
check 'what runs notices and ends' within 20 none_runs "$nap"

nohup "$SBX" exec local 'echo ready; sleep 1; echo done' >"$T/out" 2>"$T/err" &
pid=$!
check 'it runs' within 10 grep -q ready "$T/out"
kill -HUP $pid
wait $pid
check 'under nohup a SIGHUP changes nothing' equal "$? $(tail -n 1 "$T/out")" '0 done'
check_end
