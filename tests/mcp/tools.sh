# tools.sh - each tool does what it says, on a host, and says what went wrong and what mends it.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd t u
cat >"$XDG_CONFIG_HOME/sbx/hosts.json" <<'END'
[{"name": "t", "tags": ["lab"]}, {"name": "u", "tags": ["lab", "read-only"]}]
END
ask tools.py
ask files.py
ask sync.py
check_end
