# watch.sh - jobs are looked after from here: the watchdog tools of the older server.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
# The watchdog that a tool started ends with the test.
watch_cleanup() {
    watchdog_end
    sshd_cleanup
    rm -rf "$T"
}
trap watch_cleanup EXIT
hosts_of_sshd t
ask watch.py
check_end
