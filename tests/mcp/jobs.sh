# jobs.sh - commands that go on without the client, and long ones that turn into such.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd t
ask jobs.py
check_end
