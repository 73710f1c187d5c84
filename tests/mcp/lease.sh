# lease.sh - a picked GPU is held for the agent, and the next one picks another.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"
sshd_start
sshd_user ann /bin/bash
lease_cleanup() {
    as_root rm -rf "/var/tmp/sbx-leases-$(id -u "$SSHD_USER")"
    sshd_cleanup
    rm -rf "$T"
}
trap lease_cleanup EXIT
chmod 755 "$T"
fake_nvidia "$T/gpu" h200-590.48.01-idle
export MCP_SSH_CONFIG="$SSHD_CONFIG"
echo "[{\"name\": \"ann\", \"env\": {\"PATH\": \"$T/gpu:/usr/bin:/bin\"}}]" >"$XDG_CONFIG_HOME/sbx/hosts.json"
ask lease.py
check_end
