# threads_load.sh - hundreds of calls at once, of every kind; under the sanitisers too.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'watchdog_end; sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd a b
ask load.py
check_end
