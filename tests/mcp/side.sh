# side.sh - slow calls on several hosts, a dead one among them, delay nobody else.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd a b c d e
# Nobody answers at this address: a connection to it waits for its time-out.
cat >>"$T/ssh_config" <<'END'
Host dead
    HostName 192.0.2.1
    ConnectTimeout 8
END
ask side.py
check_end
