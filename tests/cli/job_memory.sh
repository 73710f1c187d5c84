# job_memory.sh - what the kernel counts of a job's memory is told where its cgroup is its own,
# and is not known where it is not.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"

jobs_here
groups=
jobs_end_here() {
    for job in $(ls "$XDG_STATE_HOME/sbx/jobs" 2>/dev/null); do sbx job stop -k 0.1 local "$job"; done >/dev/null 2>&1
    for group in $groups; do
        within 5 empty "$group" || as_root kill -KILL $(cat "$group/cgroup.procs")
        within 5 as_root rmdir "$group" 2>/dev/null
    done
    jobs_end
}
empty() { [ -z "$(cat "$1/cgroup.procs")" ]; }
trap jobs_end_here EXIT

# memory_group NAME MIB: G becomes a memory cgroup with that limit, of whichever version.
memory_group() {
    if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
        G=/sys/fs/cgroup/memory/sbxt.$$.$1 limits='memory.limit_in_bytes memory.memsw.limit_in_bytes'
    else
        as_root sh -c 'echo +memory >/sys/fs/cgroup/cgroup.subtree_control'
        G=/sys/fs/cgroup/sbxt.$$.$1 limits='memory.max memory.swap.max'
    fi
    as_root mkdir "$G" || return 1
    groups="$groups $G"
    for limit in $limits; do
        bytes=$(($2 * 1024 * 1024))
        [ "$limit" != memory.swap.max ] || bytes=0
        [ ! -e "$G/$limit" ] || as_root sh -c "echo $bytes >'$G/$limit'"
    done
    as_root chmod a+w "$G/cgroup.procs"
}

# started_in NAME MIB COMMAND: a job that begins once T/go is there, in such a cgroup.
started_in() {
    memory_group "$1" "$2"
    T=$T sh -c 'echo 0 >"$1/cgroup.procs" && shift && exec "$@"' sh "$G" timeout 60 "$SBX" -F none \
        job start --no-watch --no-terminal --id "$1-aaaaaaaa" --resume 1 --resume-delay 0.001 -e "PATH=$T/bin:$PATH" local \
        "until [ -e '$T/go' ]; do sleep 0.1; done; $3" >/dev/null
}
# Its end in one line: state, exit code, signal, kills, and the peak in steps of 8 MiB.
memory_of() {
    within 20 not_running local "$1-aaaaaaaa"
    field local "$1-aaaaaaaa" '| [.state, .exit_code, .signal, .oom_kills, (.cgroup_peak | if . then (. / 8388608 | floor) else . end)]
        | map(if . == null then "-" else tostring end) | join(" ")'
}
# The shell that started a job leaves a sleep of a second there: none but the runner's parent is elsewhere.
alone_in() {
    of_group=" $(tr '\n' ' ' <"$1/cgroup.procs")"
    strangers=0
    for pid in $of_group; do
        parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
        case $of_group in *" ${parent:-$pid} "*) ;; *) strangers=$((strangers + 1)) ;; esac
    done
    [ "$strangers" -le 1 ]
}
# Nothing is learnt from the log of the kernel.
mkdir "$T/bin"
printf '#!/bin/sh\nexit 1\n' >"$T/bin/dmesg"
chmod +x "$T/bin/dmesg"
# The kernel is to take what eats, not who waits for that.
eat=$T/bin/eat
printf '#!/bin/sh\necho 1000 >/proc/self/oom_score_adj\nexec tail "$@"\n' >"$eat"
chmod +x "$eat"

started_in killed 32 "exec $eat /dev/zero"
started_in child 32 "$eat /dev/zero"
started_in worker 32 "$eat /dev/zero; exit 3"
started_in fine 64 "head -c 20000000 /dev/zero | $eat -c 20000000 >/dev/null"
started_in sent 32 'kill -9 $$'
started_in shared 32 "exec $eat /dev/zero"
for group in $groups; do
    check 'those who started it are gone' within 20 alone_in "$group"
done
sh -c 'echo 0 >"$1/cgroup.procs" && exec sleep 100' sh "$G" &
other=$!
within 10 grep -qx "$other" "$G/cgroup.procs"
: >"$T/go"
check 'one that its cgroup says was killed for want of memory is oom' equal "$(memory_of killed)" 'oom - KILL 1 4'
check 'so is one whose shell outlived what was killed' equal "$(memory_of child)" 'oom 137 - 1 4'
check 'one that dealt with it is told as it ended, and of what was killed' equal "$(memory_of worker)" 'exited 3 - 1 4'
check 'of one that ended well none was, and its peak is known' equal "$(memory_of fine | sed 's/ [2-7]$/ some/')" 'exited 0 - 0 some'
check 'who was killed by somebody is not oom' equal "$(memory_of sent | cut -d' ' -f1-4)" 'signaled - KILL 0'
check 'where others share its cgroup nothing is made of what that counts' equal "$(memory_of shared)" 'signaled - KILL - -'
kill "$other"
run -F none job show local killed-aaaaaaaa
check 'a person is told so too' contains "$out" '1 of its processes, for want of memory'
check '  with the peak' contains "$out" ' MiB in all of it at once'
run -F none --json job resume local killed-aaaaaaaa
check 'one for which there was too little memory is not resumed' equal "$(jq -r .answer "$T/out")" failed
run -F none --json job resume --now local fine-aaaaaaaa
check 'of a generation that runs elsewhere nothing is told by what its cgroup was' equal "$(jq -r .answer "$T/out") $(memory_of fine)" 'resumed exited 0 - - -'
id=$(start --no-terminal local true)
told local "$id" >/dev/null
check 'of one in a cgroup that it shares nothing is told' equal "$(field local "$id" '| [.oom_kills, .cgroup_peak]' | tr -d ' \n')" '[null,null]'
check_end
