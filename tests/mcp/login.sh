# login.sh - what a login needs of the environment, and what never gets to the model.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
login_cleanup() {
    [ -z "${SSH_AGENT_PID-}" ] || kill "$SSH_AGENT_PID"
    sshd_cleanup
    rm -rf "$T"
}
trap login_cleanup EXIT
hosts_of_sshd t
sed '/IdentityFile/d; /IdentitiesOnly/d; s/^Host t/Host bare/' "$T/ssh_config" >"$T/bare"
cat "$T/bare" >>"$T/ssh_config"
n=0
while [ $n -lt 120 ]; do
    n=$((n + 1))
    printf 'Host many%03d\n    HostName 127.0.0.1\n' $n
done >>"$T/ssh_config"
cat >"$XDG_CONFIG_HOME/sbx/hosts.json" <<'END'
[{"name": "t"}, {"name": "guarded", "host": "127.0.0.1", "password": "pass-of-guarded"}]
END
chmod 600 "$XDG_CONFIG_HOME/sbx/hosts.json"
eval "$(ssh-agent -s)" >/dev/null
ssh-add -q "$SSHD_DIR/key"
AGENT=$SSH_AUTH_SOCK
export AGENT
unset SSH_AUTH_SOCK
ask login.py
check_end
