# job_ends.sh - every way in which a job ends is told as it was, whoever waited for it.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"

jobs_here
# A folder of programs without one: without perl another must wait, without bash sh reads.
mkdir "$T/few"
for tool in sh bash env cat ls mv rm mkdir sync sleep date kill id wc xargs grep sed tail head setsid dmesg \
    readlink printf echo true false sort tr touch fallocate python3; do
    found=$(PATH=/usr/bin:/bin command -v "$tool") && [ -x "$found" ] && ln -s "$found" "$T/few/$tool"
done

# ends NAME OPTION... < a table: state, code and signal; command. They are started four at a
# time, and all are told of by one look.
number=0
ends() {
    way=$1
    shift
    while IFS='|' read -r due command; do
        number=$((number + 1))
        id=end-$number
        start "$@" --id "$id" -n "$way" local "$command" </dev/null >/dev/null &
        [ $((number % 4)) != 0 ] || wait
        printf '%s|%s|%s\n' "$id" "$due" "$command" >>"$T/started"
    done
    wait
    within 30 all_ended $(cut -d'|' -f1 "$T/started")
    sbx --json job ls local | jq -r "$in_words" >"$T/ended"
    while IFS='|' read -r id due command; do
        check "$way: '$command' is told as $due" equal "$(sed -n "s/^$id //p" "$T/ended")" "$due"
    done <"$T/started"
    rm "$T/started"
}
# By their files: a look costs no process.
all_ended() {
    for all_id do [ -e "$XDG_STATE_HOME/sbx/jobs/$all_id/run.0/status" ] || return 1; done
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


# Those who watch are killed.
none_watches() { [ -z "$(pids_of "$folder/runner")" ]; }
parent_of() {
    set -- $(sed 's/.*) //' "/proc/$1/stat")
    echo "$2"
}
nap=$(nap 67)
id=$(start --no-terminal local "exec sleep $nap")
within 10 one_runs "sleep $nap"
kill -9 "$(parent_of "$(field local "$id" pid)")"
check 'when who waits for it is killed, it still runs' equal "$(field local "$id" state) $(pids_of "$nap" | wc -l)" 'running 1'
kill -9 "$(field local "$id" pid)"
check 'and how it ended is not made up' equal "$(told local "$id")" 'lost - - unknown'
nap=$(nap 68)
# A log that is near its limit is looked at every five seconds, else every thirty.
id=$(start --no-terminal --log-limit 64K local "head -c 45000 /dev/zero; exec sleep $nap")
within 10 one_runs "sleep $nap"
kill -9 "$(parent_of "$(parent_of "$(field local "$id" pid)")")"
check 'when its runner is killed, it still runs' equal "$(field local "$id" state)" running
sbx job stop -k 1 local "$id" >/dev/null
check 'and can be stopped' equal "$(field local "$id" state) $(pids_of "$nap" | wc -l)" 'stopped 0'
folder=$(field local "$id" folder)
check 'what watched its log ends too' within 40 none_watches
nap=$(nap 69)
id=$(start -t 600 --no-terminal local "sleep 0.1 # $nap")
told local "$id" >/dev/null
folder=$(field local "$id" folder)
check 'what watched a limit ends with the job' within 5 none_watches
check '  and its clock' equal "$(pids_of '^sleep 600$' | wc -l)" 0

# What the kernel's log says of a death by KILL; here it is ours to write.
mkdir "$T/log"
printf '#!/bin/sh\ncat %s/log/kernel\n' "$T" >"$T/few/dmesg.new"
chmod +x "$T/few/dmesg.new" && mv "$T/few/dmesg.new" "$T/few/dmesg"
dies() {
    id=$(start --no-terminal -e "PATH=$T/few" local "until [ -e $T/log/kernel ]; do sleep 0.1; done; kill -9 \$\$")
    pid=$(field local "$id" pid)
    echo "[$1] Out of memory: Killed process ${2:-$pid} (python3) total-vm:1kB" >"$T/log/new"
    mv "$T/log/new" "$T/log/kernel"
    told local "$id"
    rm "$T/log/kernel"
}
now=$(cut -d. -f1 /proc/uptime)
check 'a death by the kernel for want of memory is told as that' equal "$(dies "$((now + 60)).123456")" 'oom - KILL -'
check 'that of another process is not ours' equal "$(dies "$((now + 60)).123456" 1)" 'signaled - KILL -'
check 'nor is one of long ago, of a process with our number' equal "$(dies '    0.123456')" 'signaled - KILL -'
check_end
