# watch_resume.sh - what was interrupted goes on, once, however many look after it.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"
jobs_begin
watch_begin
sshd_user gpu1 /bin/bash
user=$SSHD_USER

# As when its machine goes down: all that runs there is gone at once.
power_cut() {
    for pid in $(processes_of "$user"); do
        as_root kill -KILL "$pid" 2>/dev/null
    done
}
# A watchdog is there: a start needs no other.
dog
within 10 dog_runs

# The example of docs/watch.md, as it stands there, but for its minute and its folder.
page=$SBX_SOURCE/docs/watch.md
sed -n '/^## A training/,/^## The watchdog/s/^    sbx /sbx /p' "$page" |
    sed "s/--resume-delay 60/--resume-delay 1/; s|~/events|$T/events|; s|--no-watch||" >"$T/example"
check 'the page has an example' equal "$(wc -l <"$T/example")" 2
# Held after its first steps: it would be at its end before a slow machine has looked.
some_steps() { [ "$(as_root jq .step "$SSHD_HOME/proj/ckpt/last.json" 2>/dev/null || echo 0)" -ge 5 ]; }
hold_training() {
    within 60 some_steps && as_root kill -STOP $(pgrep -u "$user" -f '^python3 train.py')
}
cd "$SBX_SOURCE/docs/examples" || exit 1
sbx exec gpu1 'mkdir proj'
hold_training &
holder=$!
. "$T/example" >"$T/id" 2>"$T/err"
cd "$T" || exit 1
id=$(tail -n 1 "$T/id")
check '  which starts a training' is gpu1 "$id" running
check '  that takes its first steps' wait "$holder"
within 20 told_of "$id" started
power_cut
check 'when its machine goes down it goes on' within 60 told_of "$id" resume_started
check '  to its end' within 60 told_of "$id" completed
check '  each told once' equal "$(kinds "$id" | tr ' ' '\n' | grep -v progress | tr '\n' ' ')" \
    'started interrupted resume_scheduled resume_started completed '
check '  from its checkpoint' equal "$(sbx job log gpu1 "$id" | grep -c '^begins behind step 0$') $(sbx job log gpu1 "$id" | grep -c '^begins behind step [1-9]')" '1 1'
check '  no step done twice' equal "$(sbx job log gpu1 "$id" | grep '^step' | sort | uniq -d | wc -l)" 0
check '  with its progress' contains "$(kinds "$id")" progress
check '  which show tells' equal "$(sbx --json job show gpu1 "$id" | jq -c '[.generation, .checkpoint.step]')" '[1,40]'
check '  and a file each' equal "$(ls "$T/events" | grep -c 'resume_started\|completed')" 2

# Three watchdogs with a ledger each, as on three machines.
kill "$DOG"
wait "$DOG"
nap=$(nap 91)
id=$(start --no-terminal --resume 2 --resume-delay 1 gpu1 "echo begins; exec sleep $nap")
home=$XDG_STATE_HOME
for n in 1 2 3; do
    XDG_STATE_HOME=$T/state$n
    dog
    within 10 dog_runs
    watch gpu1 "$id" >/dev/null
    within 20 told_of "$id" started
done
power_cut
for n in 1 2 3; do
    XDG_STATE_HOME=$T/state$n
    check "watchdog $n of three tells of the resume" within 60 told_of "$id" resume_started
done
check 'and it was resumed once' equal "$(sbx job log gpu1 "$id" | grep -c '^begins') $(field gpu1 "$id" generation) $(pids_of "sleep $nap" | wc -l)" '2 1 1'

# A person says no; nobody goes past that.
sbx job stop gpu1 "$id" >/dev/null
for n in 1 2 3; do
    XDG_STATE_HOME=$T/state$n
    idle() { [ "$(sbx --json watch status | jq .watches)" = 0 ]; }
    check "what was stopped is not resumed by watchdog $n" within 30 idle
    check '  which tells of that' equal "$(kinds "$id" | sed 's/ resume_scheduled//')" 'started interrupted resume_started interrupted'
done
for pid in $dogs; do
    kill -TERM "$pid" 2>/dev/null
done
XDG_STATE_HOME=$home

# It ends as soon as it begins: that is a loop, and is left alone.
dog
within 10 dog_runs
id=$(start --no-terminal --resume 9 --resume-delay 0.1 --on-failure gpu1 'echo begins; exit 3')
watch gpu1 "$id" >/dev/null
check 'one that ends as soon as it begins is left alone' within 60 told_of "$id" crash_loop
check '  with each of its ends told' equal "$(kinds "$id" | sed 's/ resume_scheduled//g')" \
    'started failed resume_started failed resume_started failed crash_loop'
id=$(start --no-terminal --resume 1 --resume-delay 0.1 gpu1 'echo begins; kill -TERM $$')
watch gpu1 "$id" >/dev/null
check 'one that was resumed as often as it may be is given up' within 60 told_of "$id" gave_up
id=$(start --no-terminal gpu1 'kill -TERM $$')
watch gpu1 "$id" >/dev/null
check 'one without a policy is not resumed' within 30 idle
check '  and that it was interrupted is told' equal "$(kinds "$id")" 'started interrupted'
check_end
