# auth_fido.sh - a FIDO key lets us in through the agent, which is what talks to the token.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start 'AuthorizedKeysFile .ssh/authorized_keys'
sshd_user u /bin/sh
. "$TEST_SUPPORT/login.sh"

# token NAME [untouched]: its agent, and NAME.pub.
token() {
    SSH_AUTH_SOCK=$SSHD_DIR/$1.agent
    export SSH_AUTH_SOCK
    /usr/bin/python3 "$TEST_SUPPORT/fido_agent.py" "$SSH_AUTH_SOCK" "$SSHD_DIR/$@" &
    LOGIN_AGENTS="$LOGIN_AGENTS $!"
    within 20 test -S "$SSH_AUTH_SOCK" || sshd_fail 'the agent does not start'
    within 20 ssh-add -l >/dev/null
}

token token.pub
as_root cp "$SSHD_DIR/token.pub" "$SSHD_HOME/.ssh/authorized_keys"
ssh_config
entry "user:$SSHD_USER"
check 'ssh gets in with it, so the token is a good one' equal "$(ssh -F "$LOGIN_CONFIG" \
    -p "$SSHD_PORT" "$SSHD_USER@127.0.0.1" echo in 2>/dev/null)" in
lets_in 'so do we'
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/token.pub"
lets_in 'also where its public half is named'
agent_start
refuses 'without the agent its public half lets nobody in' "token.pub'" 'takes: publickey'

token idle.pub untouched
as_root cp "$SSHD_DIR/idle.pub" "$SSHD_HOME/.ssh/authorized_keys"
entry "user:$SSHD_USER"
refuses 'a token that nobody touched lets nobody in' 'takes: publickey'
check_end
