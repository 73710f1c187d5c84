# jobs.sh - commands that go on without the client, and long ones that turn into such.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
# The watchdog that a job's start started ends with the test.
jobs_cleanup() {
    watchdog_end
    sshd_cleanup
    rm -rf "$T"
}
trap jobs_cleanup EXIT
hosts_of_sshd t
ask jobs.py
check_end
