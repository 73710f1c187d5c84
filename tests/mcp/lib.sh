# lib.sh - what the tests of the MCP server share: a home of their own, and the program.
#
#     . "$(dirname "$0")/lib.sh"
#     ask dialogue.py ARGS...         runs a Python test here; its checks are counted
. "$TEST_SUPPORT/check.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
HOME=$T/home
XDG_CONFIG_HOME=$T/config
XDG_STATE_HOME=$T/state
export HOME XDG_CONFIG_HOME XDG_STATE_HOME T
mkdir -p "$HOME" "$XDG_CONFIG_HOME/sbx" "$XDG_STATE_HOME" "$T/work"
unset REMOTE_SANDBOX_LIST REMOTE_HOST SSH_ASKPASS SSH_AUTH_SOCK DISPLAY SBX_MCP_COMPAT
unset REMOTE_PASSWORD REMOTE_KEY_PASSPHRASE
SBX_MCP=$(dirname "$SBX")/../mcp-stdio/$(basename "$SBX")-mcp
export SBX_MCP
# Where both are installed the program lies beside its server.
mkdir "$T/bin" && ln -s "$SBX" "$T/bin/sbx"
PATH=$T/bin:$PATH
cd "$T/work" || exit 1

# Its last line is "N checks, N failed"; a test that ended without it has failed.
ask() {
    python3 -B "$HERE/$1" ${2+"$2"} ${3+"$3"} >"$T/said" 2>&1
    asked=$?
    grep -v ' checks, [0-9]* failed$' "$T/said"
    check "all of $1 holds" grep -qx '[1-9][0-9]* checks, 0 failed' "$T/said"
    return $asked
}

# Ends the watchdog that a tool has started.
watchdog_end() {
    pid=$("$SBX" --json watch status 2>/dev/null | jq -r 'select(.pid > 0) | .pid')
    [ -z "$pid" ] || kill -KILL "$pid"
}

# A list of the hosts of sshd.sh: each name, the same server.
hosts_of_sshd() {
    for name in "$@"; do
        sed "s/^Host t\$/Host $name/" "$SSHD_CONFIG" | sed -n "/^Host $name\$/,/^Host /p" |
            sed '2,$ { /^Host/d }'
    done >"$T/ssh_config"
    export MCP_SSH_CONFIG="$T/ssh_config"
}
