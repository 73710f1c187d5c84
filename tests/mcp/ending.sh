# ending.sh - when the client goes away the server ends at once, and nothing is left over there.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd t
ask ending.py
check_end
