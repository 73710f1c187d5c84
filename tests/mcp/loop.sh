# loop.sh - a whole day's work in one session, twice at once, in both eras of the protocol.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd a b
ask loop.py
check_end
