# lost.sh - an agent whose command lost its connection is told what became of it there.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd t
ask lost.py "$SSHD_PID"
check_end
