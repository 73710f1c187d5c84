# job_reboot.sh - a host that hangs, and one whose power goes, with a job on it that three
# watchdogs look after: one copy of it runs.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"
. "$TEST_SUPPORT/systemd_host.sh"

sshd_folder
mkdir "$T/all"
dogs=
trap 'systemd_host_end; watch_ended' EXIT
sshd_user stays /bin/bash
boots() {
    systemd_host_start
    systemd_host_enter loginctl enable-linger "$SSHD_USER"
    printf 'Host *\n    ServerAliveInterval 1\n    ConnectTimeout 2\n' >>"$SSHD_CONFIG"
}
start_there() {
    sbx job start --no-watch --no-terminal stays "$@"
}
# How many run there, in that host.
copies() {
    systemd_host_enter pgrep -c -f "^sleep $1"
}
times_told() { kinds "$id" | tr ' ' '\n' | grep -c "^$1\$"; }
gone_twice() { [ "$(times_told unreachable)" = 2 ]; }

boots
cut=$(nap 85)
other=$(start_there 'exec sleep 300')
# Three watchdogs, with a ledger each, look after a job whose host goes down.
id=$(start_there --resume 5 --resume-delay 1 "echo begins; exec sleep $cut")
for n in 1 2 3; do
    XDG_STATE_HOME=$T/state$n
    dog
    within 20 dog_runs
    sbx watch add stays "$id" >/dev/null
done
for n in 1 2 3; do
    XDG_STATE_HOME=$T/state$n
    check "watchdog $n sees it" within 20 told_of "$id" started
done
# It hangs, with the job alive.
systemd_host_freeze
check 'that it hangs is told' within 60 told_of "$id" unreachable
systemd_host_thaw
check 'and that it goes on' within 60 told_of "$id" reachable
check '  with one copy of the job, in its first generation' equal "$(copies "$cut") $(field stays "$id" generation)" '1 0'

systemd_host_cut
check 'that its power is gone is told' within 60 gone_twice
boots
for n in 1 2 3; do
    XDG_STATE_HOME=$T/state$n
    check "when it boots watchdog $n tells of the resume" within 90 told_of "$id" resume_started
done
check 'it was resumed once' equal "$(sbx job log stays "$id" | grep -c '^begins') $(copies "$cut") $(field stays "$id" generation)" '2 1 1'
check '  after a loss by that reboot' equal "$(field stays "$id" 'generations[0] | [.state, .lost_by] | join(" ")')" 'lost reboot'
check '  what had no policy is lost' equal "$(told stays "$other")" 'lost - - reboot'
check '  which each tells of once' equal "$(times_told resume_started) $(times_told interrupted)" '1 1'
check_end
