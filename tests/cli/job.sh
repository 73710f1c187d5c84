# job.sh - jobs of this machine: what reaches a command, one start and one run, stops, limits.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"

jobs_here

id=$(start local 'printf "no newline"; printf " err" >&2')
told local "$id" >/dev/null
check 'a log is the bytes that were printed' equal "$(sbx job log local "$id")" 'no newline err'
odd=$(printf 'a name\nwith a newline, "quotes", '\''others'\'', 100%% and \t tab')
id=$(start -n "$odd" local true)
check 'a name is told as it was given' equal "$(field local "$id" name)" "$odd"
check 'and finds the job' equal "$(field local "$odd" id)" "$id"
twice() { start -n twin local true && start -n twin local true; } >/dev/null
check 'a name twice is not guessed' twice
run -F none job show local twin
check '  but told of' equal "$status $err" "2 $program: 2 jobs on 'local' are called 'twin'
$program: try: its id, from $program job ls local"
run -F none job show local nothing-here
check 'a job that is not there is 1' equal "$status $(head -n 1 "$T/err")" "1 $program: there is no job 'nothing-here' on 'local'"

id=$(start -C "$T" -e 'A=x  y' local -- sh -c 'echo "$A|$PWD|$1|$#|$SBX_JOB_ID|$(umask)"' sh 'two words' '*' 'a
b')
told local "$id" >/dev/null
check 'words, folder and environment reach it as they stand' equal "$(sbx job log local "$id")" "x  y|$T|two words|3|$id|$(umask)"
id=$(start local 'env | grep -e "^SBX_[JR]" -e "^sbx" | sort; tty')
told local "$id" >/dev/null
check 'it finds little of ours in its environment' equal "$(sbx job log local "$id" | sed 's/=.*//' | tr '\n' ' ' | sed 's|/dev/pts/[0-9]*|TTY|')" 'SBX_JOB_GENERATION SBX_JOB_ID SBX_RUN TTY '
X=old start local true >/dev/null
id=$(X=new start local 'echo $X')
told local "$id" >/dev/null
check 'its environment is that of its start, not of the server of tmux' equal "$(sbx job log local "$id")" new

id=$(start --id same-1 local 'echo once; sleep 30')
check 'a start asked again is the same job' equal "$(start --id same-1 local 'echo once; sleep 30')" same-1
run -F none job start --no-watch --id same-1 local 'echo other'
check 'another command under its id is refused' equal "$status $(head -n 1 "$T/err")" \
    "1 $program: start job 'same-1' on 'local': there is another job of that id"
check 'it ran once' equal "$(sbx job log local same-1)" once
run -F none job rm local same-1
check 'one that runs is not removed' contains "$status $err" "1 $program: remove job 'same-1' on 'local': it still runs"
run -F none job stop local same-1
check 'stop tells who it was' equal "$status $out" "0 same-1: stopped by $(id -un)@$(uname -n)"
run -F none job rm local same-1
check 'then it is removed' equal "$status $(ls "$XDG_STATE_HOME/sbx/jobs" | grep -c same)" '0 0'
for i in 1 2 3 4 5 6; do
    start --id race-1 local 'echo once; sleep 0.3; echo "$SBX_JOB_ID"' >"$T/race$i" 2>&1 &
done
wait
told local race-1 >/dev/null
check 'six at once with one id are one run' equal "$(sbx job log local race-1 | tr '\n' ' ') $(cat "$T"/race? | sort | uniq -c | tr -s ' ')" \
    'once race-1   6 race-1'

nap=$(nap 61)
id=$(start --no-terminal local "trap '' TERM; sleep $nap & setsid sleep $nap & (sleep $nap; :) & setsid sh -c 'trap \"\" TERM; while :; do sleep $nap; done' & wait")
four() { [ "$(pids_of "sleep $nap" | wc -l)" -ge 4 ]; }
check 'four workers run, two in sessions of their own' within 10 four
run -F none job stop -k 1 local "$id"
check 'stop ends the whole tree, those too that ignore TERM' equal "$status $(pids_of "$nap" | wc -l)" '0 0'
check 'who stopped it is kept' equal "$(field local "$id" '| [.state, .stopped_by] | join(" ")')" "stopped $(id -un)@$(uname -n)"
nap=$(nap 62)
id=$(start -t 1 --no-terminal local "setsid sleep $nap & sleep $nap")
check 'a limit stops it' equal "$(told local "$id")" 'stopped - TERM -'
check 'and all it started' none_runs "$nap"
check 'by itself' equal "$(field local "$id" stopped_by)" 'time limit'
check_end
