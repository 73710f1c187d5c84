# job_resume.sh - jobs that were interrupted go on once, as their start says: where the place's
# shell is dash, or the one of SBX_TEST_SHELL.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"

# In a namespace of its own, in which /bin/sh is that shell.
if [ -z "${SBX_TEST_INSIDE-}" ]; then
    shell=${SBX_TEST_SHELL:-dash}
    as_root env SBX_TEST_INSIDE=$shell SBX_TEST_SHELL= unshare -m sh -c \
        'mount --bind "$(command -v "$0")" /bin/sh && exec bash "$1"' $shell "$HERE/job_resume.sh"
    exit $?
fi

jobs_here
far=$PATH
case $SBX_TEST_INSIDE in dash) x=aaaaaaaa ;; bash) x=bbbbbbbb ;; *) x=cccccccc ;; esac
jobs=$XDG_STATE_HOME/sbx/jobs
if [ $SBX_TEST_INSIDE = busybox ]; then
    mkdir "$T/bb"
    busybox --install -s "$T/bb"
    far=$T/bb
fi
sbx() {
    timeout -k 5 60 env PATH="$far" "$SBX" -F none "$@"
}
begin() {
    start --no-terminal "$@" >/dev/null
}
answer() {
    sbx --json job resume "$@" 2>/dev/null | jq -r '.answer // empty' | tr '\n' ' '
}
# What is there of a job's log: which generations ran.
ran() {
    sbx job log local "$1" | sed -n 's/^gen //p' | tr '\n' ' '
}
# All of these have ended, by their files: a look costs no process.
over() {
    for over do
        over_n=0
        while [ -e "$jobs/$over/run.$((over_n + 1))/pid" ]; do over_n=$((over_n + 1)); done
        [ -e "$jobs/$over/run.$over_n/status" ] || return 1
    done
}
generation() {
    field local "$1" generation
}

echo '{"max": 2, "delay_s": 0}' >"$T/plan"
echo '{"max": 2, "delay_s": 0, "on_failure": true}' >"$T/failures"
# How each kind of end is answered. All are started, and asked for, at once. An id that looks
# made is not looked for among the names; processes are found by it.
sed "s/^[^|]*/&-$x/" >"$T/table" <<'END'
killed|resumed|plan|kill -9 $$
termed|resumed|plan|kill $$
hung-up|resumed|plan|kill -HUP $$
interrupted|resumed|plan|kill -INT $$
segv|failed|plan|kill -SEGV $$
three|failed|plan|exit 3
three-anyway|resumed|failures|exit 3
segv-anyway|resumed|failures|kill -SEGV $$
zero|finished|failures|exit 0
END
begin_all() {
    while IFS='|' read -r id due plan command; do
        begin --id "$id" --resume-plan "$T/$plan" local "echo \"gen \$SBX_JOB_GENERATION\"; $command" </dev/null &
    done <"$T/table"
    begin --id no-plan-$x local 'kill -9 $$' &
    begin --id early-$x --resume 1 --resume-delay 600 local 'kill -9 $$' &
    begin --id rebooted-$x --resume-plan "$T/plan" local 'echo gen $SBX_JOB_GENERATION; sleep 300' &
    begin --id strange-$x --resume-plan "$T/plan" local 'sleep 300' &
    begin --id running-$x --resume-plan "$T/plan" local 'sleep 300' &
    begin --id stopped-$x --resume-plan "$T/plan" local 'sleep 300' &
    begin --id ended-$x --resume-plan "$T/plan" local 'kill -9 $$' &
    wait
}
begin_all
ids=$(cut -d'|' -f1 "$T/table")
within 30 over $ids no-plan-$x early-$x ended-$x
check 'what is running is not resumed, nor one that never was' equal "$(answer local running-$x)$(answer local nothing-$x)" 'running '
sbx job stop -k 1 local stopped-$x ended-$x >/dev/null
for id in rebooted-$x strange-$x; do kill -9 $(field local $id pid) && within 20 over $id; done
rm "$jobs/rebooted-$x/run.0/status" "$jobs/strange-$x/run.0/status"
sed -i 's/[0-9a-f]*-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*/00000000-0000-0000-0000-000000000000/' "$jobs/rebooted-$x/run.0/pid"
sed -i '1s/[^ ]*$/another-machine/' "$jobs/strange-$x/run.0/pid"
check 'a job of another machine that shares the home is not taken for lost' equal \
    "$(field local strange-$x '| [.state, .error.text] | join(" ")')" "unreachable it was begun on 'another-machine', which shares this home: ask there"
check 'each end is answered as the page says' equal "$(answer local $ids no-plan-$x early-$x rebooted-$x strange-$x stopped-$x ended-$x)" \
    "$(cut -d'|' -f2 "$T/table" | tr '\n' ' ')no_policy too_early resumed elsewhere stopped stopped "
check 'one that was stopped after its end says who' equal "$(field local ended-$x resume.held_by)" "$(id -un)@$(uname -n)"
within 30 over $ids
check 'each that was resumed ran again, once' equal "$(ran killed-$x)$(ran three-anyway-$x)$(ran zero-$x)" '0 1 0 1 0 '
check 'its generations keep their ends' equal "$(field local killed-$x 'generations | map(.state + " \(.signal_number) " + (.resumed_by // "-")) | join(", ")')" \
    "signaled 9 -, signaled 9 $(id -un)@$(uname -n)"
check 'a lost one too' equal "$(field local rebooted-$x 'generations | map(.state + " \(.lost_by)") | join(", ")')" 'lost reboot, running null'
check 'when it is due is told' test "$(field local early-$x '| .resume.next_at - .ended_at')" -ge 598
run -F none job resume local early-$x
check 'a person is told why not, and what may be done' equal "$status $(echo "$err" | sed 's/[0-9][0-9]* s/N s/' | tr '\n' ' ')" \
    "1 $program: early-$x: it is too early: N s to go $program: try: --now "
answer local killed-$x three-anyway-$x >/dev/null
within 30 over killed-$x three-anyway-$x
check 'as often as allowed, and no more' equal "$(answer local killed-$x three-anyway-$x)$(ran killed-$x)" 'gave_up gave_up 0 1 2 '
check 'but for a person' equal "$(answer --now local killed-$x stopped-$x ended-$x)$(generation killed-$x)" 'resumed resumed resumed 3'

# What it goes on with.
begin --id next-$x -C "$T" -e A='x  y' --resume-plan "$T/plan" --resume-command 'echo "gen $SBX_JOB_GENERATION $A $PWD $(umask) $SBX_JOB_CHECKPOINT $SBX_JOB_ID"; exit 7' \
    --checkpoint-command 'echo "{\"step\": $(cat step)}"' local sh -c 'echo 5 >step; printf "gen 0 no newline"; kill -9 $$' sh
within 20 over next-$x
check 'a checkpoint is shown as JSON' equal "$(field local next-$x checkpoint.step)" 5
before=$(field local next-$x log_size)
answer local next-$x >/dev/null
within 20 over next-$x
check 'it goes on with its command, environment, folder and checkpoint' equal "$(sbx job log local next-$x | sed -n 's/^gen 1/gen 1/p')" \
    "gen 1 x  y $T $(umask) {\"step\": 5} next-$x"
check 'and ends by itself' equal "$(told local next-$x)" 'exited 7 - -'
check 'its log is one, and says so on a line' equal "$(sbx job log --bytes "$before:" local next-$x | head -n 2 | sed 's/20[0-9TZ:-]*/WHEN/' | tr '\n' '|')" \
    "|[sbx: resumed, generation 1, WHEN, by $(id -un)@$(uname -n)]|"
begin --id path-$x -C "$T" --resume-plan "$T/plan" --checkpoint step local 'echo "gen $SBX_JOB_GENERATION $SBX_JOB_CHECKPOINT"; [ $SBX_JOB_GENERATION = 1 ] || kill -9 $$' >/dev/null
within 20 over path-$x
answer local path-$x >/dev/null
check 'the path of a checkpoint is told to it' equal "$(told local path-$x) $(sbx job log local path-$x | tail -n 1) $(field local path-$x checkpoint)" 'exited 0 - - gen 1 step 5'

# What is left of the generation before.
nap=$(nap 71)
begin --id left-$x --resume-plan "$T/plan" local "[ \$SBX_JOB_GENERATION = 1 ] || { setsid sleep $nap & sleep $nap & kill -9 \$\$; }; exec sleep $nap"
two_sleep() { [ "$(pids_of "^sleep $nap" | wc -l)" = 2 ]; }
within 20 over left-$x
check 'what outlived it runs' within 10 two_sleep
check 'and is ended before it goes on' equal "$(answer local left-$x)$(pids_of "^sleep $nap" | wc -l)" 'resumed 1'

# What follows is the same whatever shell there is.
if [ $SBX_TEST_INSIDE != dash ]; then
    sbx job stop -k 1 local left-$x >/dev/null
    check_end
fi

# A machine that was frozen, and a job that never died.
kill -STOP $(pids_of "/left-$x/runner") $(pids_of "^sleep $nap")
check 'one that is frozen is not resumed' equal "$(answer local left-$x) $(answer --now local left-$x)" 'running  running '
kill -CONT $(pids_of "/left-$x/runner") $(pids_of "^sleep $nap")
check 'when it thaws there is no second copy' equal "$(generation left-$x) $(pids_of "^sleep $nap" | wc -l)" '1 1'
sbx job stop -k 1 local left-$x >/dev/null

# A crash loop, by --on-failure.
echo '{"max": 9, "delay_s": 0, "on_failure": true}' >"$T/often"
begin --id loop-$x --resume-plan "$T/often" local 'echo gen $SBX_JOB_GENERATION; exit 1'
for n in 1 2 3 4; do within 20 over loop-$x; loop="${loop-}$(answer local loop-$x)"; done
check 'one that ends as soon as it is begun is left alone' equal "$loop" 'resumed resumed crash_loop crash_loop '

# A clock that is set meanwhile: what counts is the one that only goes on.
mkdir "$T/bin"
printf '#!/bin/sh\ncase "$*" in +%%s) echo $(($(%s +%%s) + $(cat %s/step_s))) ;; *) exec %s "$@" ;; esac\n' "$(command -v date)" "$T" "$(command -v date)" >"$T/bin/date"
chmod +x "$T/bin/date"
real=$far
far=$T/bin:$far
left() {
    echo "$2" >"$T/step_s"
    sbx --json job resume local "$1" 2>/dev/null | jq -r '.answer + (if .left_ms > 600000 then " long" else "" end)'
}
echo 0 >"$T/step_s"
begin --id clock-$x --resume 1 --resume-delay 600 local 'kill -9 $$'
begin --id soon-$x --resume 1 --resume-delay 2 local 'kill -9 $$'
within 20 over clock-$x soon-$x
check 'a clock that is set changes no delay' equal "$(left clock-$x 0) $(left clock-$x 86400) $(left clock-$x -86400)" \
    'too_early too_early too_early'
is_due() { [ "$(left soon-$x -86400)" = resumed ]; }
check 'which is over when it is' within 10 is_due
far=$real

# A full disk.
mkdir "$T/small"
mount -t tmpfs -o size=512k none "$T/small"
XDG_STATE_HOME=$T/small
begin --id full-$x --resume-plan "$T/plan" local 'echo gen $SBX_JOB_GENERATION; kill -9 $$'
jobs=$T/small/sbx/jobs
within 20 over full-$x
dd if=/dev/zero of="$T/small/all" bs=1k 2>/dev/null
run -F none job resume local full-$x
check 'on a full disk it does not go on, and that is why' contains "$status $err" 'No space left on device'
rm "$T/small/all"
check 'and does when there is room' equal "$(answer local full-$x)" 'resumed '
within 20 over full-$x
check '  once' equal "$(ran full-$x)" '0 1 '
check_end
