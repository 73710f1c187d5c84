# job_host.sh - jobs on a host with systemd, which ends what a login leaves behind, and the
# service of the watchdog there.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/systemd_host.sh"

sshd_folder
mkdir "$T/all"
trap 'systemd_host_end; jobs_end' EXIT
sshd_user stays /bin/bash
stays=$SSHD_USER
sshd_user leaves /bin/bash
systemd_host_start
systemd_host_enter loginctl enable-linger "$stays"
start_there() {
    sbx job start --no-watch "$@"
}
# How many run there, in that host.
copies() {
    systemd_host_enter pgrep -c -f "^sleep $1"
}
runs_there() { [ "$(copies "$1")" = "$2" ]; }
scope_of() {
    systemd_host_enter sh -c 'cat "/proc/$(pgrep -f "^sleep $1")/cgroup"' sh "$1" | grep -o '[^/]*$' | sort -u | grep scope
}

service_is() { [ "$(sbx exec stays 'systemctl --user is-active sbx-watch.service')" = "$1" ]; }

# A logout ends what stayed behind; that it does is shown first.
plain=$(nap 81) nap=$(nap 82) shown=$(nap 83) doomed=$(nap 84)
sbx exec stays "setsid sleep $plain >/dev/null 2>&1 & sleep 0.2; pgrep -c -f '^sleep $plain'" >"$T/begun"
check 'this host ends what a login leaves behind' within 20 runs_there "$plain" 0
check '  that was there before' equal "$(cat "$T/begun")" 1
id=$(start_there --no-terminal stays "exec sleep $nap" 2>"$T/err")
with_terminal=$(start_there stays "exec sleep $shown")
check 'who may linger is not warned' equal "$(cat "$T/err")" ''
check 'a job is in a scope of its own' contains "$(scope_of "$nap")" '.scope'
no_session() { ! systemd_host_enter loginctl list-sessions --no-legend | grep -q "$stays"; }
check '  when nobody is logged in any more' within 20 no_session
check '  it goes on' equal "$(copies "$nap") $(field stays "$id" state)" '1 running'
check '  so does one with a terminal' equal "$(copies "$shown") $(field stays "$with_terminal" state)" '1 running'
late=$(start_there --no-terminal leaves "exec sleep $doomed" 2>"$T/err")
check 'who may not linger is told so by the start' contains "$(cat "$T/err")" 'KillUserProcesses=yes'
check '  with what is to be done' contains "$(cat "$T/err")" 'loginctl enable-linger'
check '  and that it is so' within 20 runs_there "$doomed" 0
check '  is told as what it is' equal "$(told leaves "$late")" 'signaled - TERM -'

# The service, by the real systemctl.
unit=.config/systemd/user/sbx-watch.service
sbx exec stays -- "$SBX" watch install >"$T/out"
check 'install writes the unit' equal "$(sbx exec stays 'readlink -f '$unit)" "$(tail -n 1 "$T/out")"
check '  and starts it' equal "$(sbx exec stays 'systemctl --user is-active sbx-watch.service')" active
check '  so that a watchdog runs' sbx exec stays -- "$SBX" watch status >/dev/null
twice() { sbx exec stays -- "$SBX" watch install >/dev/null; }
check '  and again does no harm' twice

systemd_host_cut
systemd_host_start
check '  and is there again when the host boots' within 30 service_is active
sbx exec stays -- "$SBX" watch uninstall >/dev/null
check 'uninstall stops it' service_is inactive
check '  and takes the unit away' equal "$(sbx exec stays "ls $unit 2>&1 | grep -c 'No such'")" 1
check_end
