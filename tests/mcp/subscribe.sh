# subscribe.sh - a client is told when a job's log grows, and when the job has ended.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'watchdog_end; sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd t
ask subscribe.py
check_end
