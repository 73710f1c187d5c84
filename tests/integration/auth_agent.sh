# auth_agent.sh - of an agent's many keys the right one comes first, and no agent holds a
# log-in up.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start 'MaxAuthTries 3' 'AuthorizedKeysFile .ssh/authorized_keys'
sshd_user u /bin/sh
. "$TEST_SUPPORT/login.sh"
K=$SSHD_DIR/keys
mkdir "$K"
agent_start
for n in 1 2 3 4 5 6 7 right; do
    ssh-keygen -q -t ed25519 -N '' -C "number $n" -f "$K/$n" || exit 1
    ssh-add -q "$K/$n" 2>/dev/null
done
as_root cp "$K/right.pub" "$SSHD_HOME/.ssh/authorized_keys"

ssh_config
entry "user:$SSHD_USER"
refuses 'a server that sees too many keys hangs up' "agent's key 'number 1'" 'hung up' key_file
mv "$K/right" "$K/hidden"
entry "user:$SSHD_USER" "key_file:$K/right"
lets_in 'a named key of which only the .pub is there comes first'
entry "user:$SSHD_USER" "key_file:$K/right.pub"
lets_in 'so does one that is named by its .pub'
cp "$K/hidden" "$K/right"
ssh-keygen -q -p -P '' -N secret -f "$K/right" >/dev/null
entry "user:$SSHD_USER" "key_file:$K/right"
lets_in 'so does one that is locked, without its passphrase'
rm "$K/right.pub"
lets_in 'also without its .pub'
entry "user:$SSHD_USER"
ssh_config "IdentityFile $K/right"
lets_in 'so does one that ssh_config names'
ssh_config "IdentityFile $K/right" 'IdentitiesOnly yes'
lets_in 'IdentitiesOnly lets the agent sign with the key that is named'
ssh_config "IdentityFile $K/1" 'IdentitiesOnly yes'
refuses 'and with no other' "(key '$K/1')"
ssh_config "IdentityFile $K/right" 'IdentityAgent none'
refuses 'IdentityAgent none is none' 'key without its passphrase'
unset SSH_AUTH_SOCK
ssh_config "IdentityFile $K/right" "IdentityAgent $AGENT"
lets_in 'IdentityAgent names another'
ssh_config 'IdentityAgent /nowhere/agent'
refuses 'an agent that is not there is none' 'takes: publickey'

SSH_AUTH_SOCK=$AGENT
export SSH_AUTH_SOCK
ssh-add -q -D 2>/dev/null
ssh-add -q "$K/hidden" 2>/dev/null
ssh_config
fake_agent strange
lets_in 'keys of unknown types do not stand in the way of the others'
SSH_AUTH_SOCK=$AGENT
fake_agent garbage
refuses 'an agent that talks nonsense is none' 'takes: publickey'

cat "$K/1.pub" "$K/2.pub" | as_root tee "$SSHD_HOME/.ssh/authorized_keys" >/dev/null
SSH_AUTH_SOCK=$AGENT ssh-add -q "$K/2" 2>/dev/null
rm "$K/2"
ssh_config "IdentityFile $K/2.pub" "IdentityFile $K/right" "IdentityFile $K/1"
entry "user:$SSHD_USER" connect_timeout:6
for how in silent silent-sign refuse-sign; do
    SSH_AUTH_SOCK=$AGENT
    fake_agent $how
    begin=$(date +%s%N)
    login
    check "behind an agent that is $how another key lets us in" equal "$status $out" '0 in'
    elapsed=$((($(date +%s%N) - begin) / 1000000))
    check "  within the time to connect ($elapsed ms)" test "$elapsed" -lt 5500
done
SSH_AUTH_SOCK=$AGENT
fake_agent silent
ssh_config
entry "user:$SSHD_USER" connect_timeout:3
refuses 'an agent that is silent is told' 'agent that does not answer' 'restart the agent'
check_end
