# job.sh - jobs: every way in which a command ends is told as it was, whoever waited for it.
. "$(dirname "$0")/lib.sh"

trap 'tmux -L sbx kill-server 2>/dev/null; rm -rf "$T"' EXIT
TMUX_TMPDIR=$T
export TMUX_TMPDIR
path=$PATH
# A folder of programs without one: without perl another must wait, without bash sh reads.
mkdir "$T/few"
for tool in sh bash env cat ls mv rm mkdir sync sleep date kill id wc xargs grep sed tail head setsid dmesg \
    readlink printf echo true false sort tr touch fallocate python3; do
    found=$(PATH=/usr/bin:/bin command -v "$tool") && [ -x "$found" ] && ln -s "$found" "$T/few/$tool"
done
job() {
    run -F none "$@"
}
# field ID NAME: of the job as it is now.
field() {
    "$SBX" -F none --json job show local "$1" | jq -r ".$2"
}
ended() {
    [ "$(field "$1" state)" != running ]
}
# told ID: its end in one line.
told() {
    within 20 ended "$1" || echo "$1 still runs"
    "$SBX" -F none --json job show local "$1" | jq -r "$in_words" | sed 's/^[^ ]* //'
}
log_of() {
    "$SBX" -F none job log local "$1"
}

# ends NAME OPTION... < a table: state, code and signal; command. All are started at once.
ends() {
    way=$1
    shift
    while IFS='|' read -r due command; do
        id=$("$SBX" -F none job start "$@" -n "$way" local "$command" </dev/null)
        printf '%s|%s|%s\n' "$id" "$due" "$command" >>"$T/started"
    done
    within 30 none_of "$way"
    "$SBX" -F none --json job ls local | jq -r "$in_words" >"$T/ended"
    while IFS='|' read -r id due command; do
        check "$way: '$command' is told as $due" equal "$(sed -n "s/^$id //p" "$T/ended")" "$due"
    done <"$T/started"
    rm "$T/started"
}
none_of() {
    [ -z "$("$SBX" -F none --json job ls -r local | jq -r "select(.name == \"$1\") | .id")" ]
}
in_words='[.id, .state, .exit_code, .signal] | map(if . == null then "-" else tostring end) | join(" ")'
cat >"$T/table" <<'END_OF_TABLE'
exited 0 -|true
exited 3 -|exit 3
exited 1 -|set -e; false; exit 0
exited 7 -|exec sh -c "exit 7"
exited 137 -|exit 137
exited 143 -|exit 143
exited 255 -|exit 255
exited 127 -|/nonexistent/program
signaled - KILL|kill -9 $$
signaled - TERM|kill $$
signaled - INT|kill -INT $$
signaled - HUP|kill -HUP $$
signaled - PIPE|kill -PIPE $$
signaled - SEGV|exec sh -c 'kill -SEGV $$'
exited 5 -|trap 'exit 5' TERM; kill $$; exit 6
exited 8 -|trap 'exit 8' INT; kill -INT $$; exit 9
exited 4 -|trap 'exit 4' EXIT; exit 2
exited 1 -|true | false
exited 0 -|false | true
exited 0 -|echo bye; echo status x 0 exit 9 - -; sleep 100 & exit 0
exited 2 -|if
END_OF_TABLE
ends 'perl waits' --no-terminal <"$T/table"
ends 'a stopped shell waits' --no-terminal -e "PATH=$T/few" <"$T/table"
ends 'in tmux' <"$T/table"
head -n 10 "$T/table" >"$T/part"
ends 'in tmux, without perl' -e "PATH=$T/few:/nonexistent" <"$T/part"

id=$("$SBX" -F none job start local 'printf "no newline"; printf " err" >&2')
told "$id" >/dev/null
check 'a log is the bytes that were printed' equal "$(log_of "$id")" 'no newline err'
odd=$(printf 'a name\nwith a newline, "quotes", '\''others'\'', 100%% and \t tab')
id=$("$SBX" -F none job start -n "$odd" local true)
check 'a name is told as it was given' equal "$(field "$id" name)" "$odd"
check 'and finds the job' equal "$(field "$odd" id)" "$id"
check 'a name twice is not guessed' sh -c "'$SBX' -F none job start -n twin local true && '$SBX' -F none job start -n twin local true" >/dev/null
job job show local twin
check '  but told of' equal "$status $err" "2 $program: 2 jobs on 'local' are called 'twin'
$program: try: its id, from job ls local"
job job show local nothing-here
check 'a job that is not there is 1' equal "$status $(head -n 1 "$T/err")" "1 $program: there is no job 'nothing-here' on 'local'"

id=$("$SBX" -F none job start -C "$T" -e 'A=x  y' local -- sh -c 'echo "$A|$PWD|$1|$#|$SBX_JOB_ID|$(umask)"' sh 'two words' '*' 'a
b')
told "$id" >/dev/null
check 'words, folder and environment reach it as they stand' equal "$(log_of "$id")" "x  y|$T|two words|3|$id|$(umask)"
id=$("$SBX" -F none job start local 'env | grep -e "^SBX_[JR]" -e "^sbx" | sort; tty')
told "$id" >/dev/null
check 'it finds little of ours in its environment' equal "$(log_of "$id" | sed 's/=.*//' | tr '\n' ' ' | sed 's|/dev/pts/[0-9]*|TTY|')" 'SBX_JOB_ID SBX_RUN TTY '
X=old "$SBX" -F none job start local true >/dev/null
id=$(X=new "$SBX" -F none job start local 'echo $X')
told "$id" >/dev/null
check 'its environment is that of its start, not of the server of tmux' equal "$(log_of "$id")" new

id=$("$SBX" -F none job start --id same-1 local 'echo once; sleep 30')
check 'a start asked again is the same job' equal "$("$SBX" -F none job start --id same-1 local 'echo once; sleep 30')" same-1
job job start --id same-1 local 'echo other'
check 'another command under its id is refused' equal "$status $(head -n 1 "$T/err")" \
    "1 $program: start job 'same-1' on 'local': there is another job of that id"
check 'it ran once' equal "$(log_of same-1)" once
job job rm local same-1
check 'one that runs is not removed' contains "$status $err" "1 $program: remove job 'same-1' on 'local': it still runs"
job job stop local same-1
check 'stop tells who it was' equal "$status $out" "0 same-1: stopped by $(id -un)@$(uname -n)"
job job rm local same-1
check 'then it is removed' equal "$status $(ls "$XDG_STATE_HOME/sbx/jobs" | grep -c same)" '0 0'
for i in 1 2 3 4 5 6; do
    "$SBX" -F none job start --id race-1 local 'echo once; sleep 0.3; echo "$SBX_JOB_ID"' >"$T/race$i" 2>&1 &
done
wait
told race-1 >/dev/null
check 'six at once with one id are one run' equal "$(log_of race-1 | tr '\n' ' ') $(cat "$T"/race? | sort | uniq -c | tr -s ' ')" \
    'once race-1   6 race-1'

nap=$(nap 61)
id=$("$SBX" -F none job start --no-terminal local "trap '' TERM; sleep $nap & setsid sleep $nap & (sleep $nap; :) & setsid sh -c 'trap \"\" TERM; while :; do sleep $nap; done' & wait")
four() { [ "$(pids_of "sleep $nap" | wc -l)" -ge 4 ]; }
check 'four workers run, two in sessions of their own' within 10 four
job job stop -k 1 local "$id"
check 'stop ends the whole tree, those too that ignore TERM' equal "$status $(pids_of "$nap" | wc -l)" '0 0'
check 'who stopped it is kept' equal "$(field "$id" '| [.state, .stopped_by] | join(" ")')" "stopped $(id -un)@$(uname -n)"
nap=$(nap 62)
id=$("$SBX" -F none job start -t 1 --no-terminal local "setsid sleep $nap & sleep $nap")
check 'a limit stops it' equal "$(told "$id")" 'stopped - TERM'
check 'and all it started' none_runs "$nap"
check 'by itself' equal "$(field "$id" stopped_by)" 'time limit'

# Those who watch are killed.
parent_of() {
    set -- $(sed 's/.*) //' "/proc/$1/stat")
    echo "$2"
}
nap=$(nap 67)
id=$("$SBX" -F none job start --no-terminal local "exec sleep $nap")
within 10 one_runs "sleep $nap"
kill -9 "$(parent_of "$(field "$id" pid)")"
check 'when who waits for it is killed, it still runs' equal "$(field "$id" state) $(pids_of "$nap" | wc -l)" 'running 1'
kill -9 "$(field "$id" pid)"
check 'and how it ended is not made up' equal "$(told "$id") $(field "$id" lost_by)" 'lost - - unknown'
nap=$(nap 68)
id=$("$SBX" -F none job start --no-terminal local "exec sleep $nap")
within 10 one_runs "sleep $nap"
kill -9 "$(parent_of "$(parent_of "$(field "$id" pid)")")"
check 'when its runner is killed, it still runs' equal "$(field "$id" state)" running
"$SBX" -F none job stop -k 1 local "$id" >/dev/null
check 'and can be stopped' equal "$(field "$id" state) $(pids_of "$nap" | wc -l)" 'stopped 0'
nap=$(nap 69)
id=$("$SBX" -F none job start -t 600 --no-terminal local "sleep 0.1 # $nap")
told "$id" >/dev/null
folder=$(field "$id" folder)
none_watches() { [ -z "$(pids_of "$folder/runner")" ]; }
check 'what watched a limit ends with the job' within 5 none_watches
check '  and its clock' equal "$(pids_of '^sleep 600$' | wc -l)" 0

# What the kernel's log says of a death by KILL; here it is ours to write.
mkdir "$T/log"
printf '#!/bin/sh\ncat %s/log/kernel\n' "$T" >"$T/few/dmesg.new"
chmod +x "$T/few/dmesg.new" && mv "$T/few/dmesg.new" "$T/few/dmesg"
dies() {
    id=$("$SBX" -F none job start --no-terminal -e "PATH=$T/few" local "until [ -e $T/log/kernel ]; do sleep 0.1; done; kill -9 \$\$")
    pid=$(field "$id" pid)
    echo "[$1] Out of memory: Killed process ${2:-$pid} (python3) total-vm:1kB" >"$T/log/new"
    mv "$T/log/new" "$T/log/kernel"
    told "$id"
    rm "$T/log/kernel"
}
now=$(cut -d. -f1 /proc/uptime)
check 'a death by the kernel for want of memory is told as that' equal "$(dies "$((now + 60)).123456")" 'oom - KILL'
check 'that of another process is not ours' equal "$(dies "$((now + 60)).123456" 1)" 'signaled - KILL'
check 'nor is one of long ago, of a process with our number' equal "$(dies '    0.123456')" 'signaled - KILL'
check_end
