# forward_agent.sh - an agent is lent on request and not otherwise; a line that is cut
# leaves nothing of it.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start
sshd_user u /bin/sh
dropbear_start
. "$TEST_SUPPORT/login.sh"
agent_start
ssh-add -q "$SSHD_DIR/key" 2>/dev/null
known=$(ssh-add -l)

# asks [OPTION...] PLACE: what the agent over there has, or that there is none.
asks() {
    got=$(timeout -k 5 60 "$SBX" -F "$LOGIN_CONFIG" exec "$@" \
        'test -S "$SSH_AUTH_SOCK" && ssh-add -l || echo none' 2>&1 </dev/null)
    echo "$got"
}

# The hosts of sshd.sh, with lines for all of them ahead.
config() {
    { printf '%s\n' "$@"; cat "$SSHD_CONFIG"; } >"$LOGIN_CONFIG"
}

config
check 'without a request there is no agent over there' equal "$(asks u)" none
check 'exec -A lends it' equal "$(asks -A u)" "$known"
check 'also where another server makes a socket for each command' \
    equal "$(asks --forward-agent u.dropbear)" "$known"
check 'there too it is not lent without' equal "$(asks u.dropbear)" none
config 'ForwardAgent yes'
check 'ForwardAgent yes lends it' equal "$(asks u)" "$known"
config 'ForwardAgent no'
check 'ForwardAgent no does not' equal "$(asks u)" none
check '  but for who asks' equal "$(asks -A u)" "$known"

first=$AGENT
agent_start
second=$AGENT
config "ForwardAgent $first"
check 'a path names which' equal "$(asks u)" "$known"
LAB_AGENT=$first
export LAB_AGENT
config 'ForwardAgent $LAB_AGENT'
check 'so does a variable' equal "$(asks u)" "$known"
config 'ForwardAgent $LAB_NO_AGENT'
check 'one that is not set names none' equal "$(asks u)" none
config 'ForwardAgent yes' "IdentityAgent $first"
check 'else it is the one that logs in' equal "$(asks u)" "$known"

config
SSH_AUTH_SOCK=/nowhere/agent
got=$(asks -A u)
check 'where there is no agent, who asks for it is told' contains "$got" "lend the agent to 'u'"
check '  with what mends it' contains "$got" ssh-agent
config 'ForwardAgent yes'
check 'ssh_config alone asks for none then' equal "$(asks u)" none
SSH_AUTH_SOCK=$first

config "ControlPath $SSHD_DIR/master"
ssh -F "$LOGIN_CONFIG" -o ControlMaster=yes -N -f u </dev/null >/dev/null 2>&1
check 'the master of an ssh that lent none is not what lends it' equal "$(asks -A u)" "$known"
ssh -F "$LOGIN_CONFIG" -O exit u 2>/dev/null

# Many at once and one after the other, over one connection and one socket.
config 'ForwardAgent yes'
got=$(timeout -k 5 100 "$SBX" -F "$LOGIN_CONFIG" exec u 'for n in 1 2 3 4 5 6 7 8; do
    for m in 1 2 3 4; do ssh-add -l & done; wait; done' 2>&1 | sort | uniq -c | sed 's/^ *//')
check 'thirty-two clients get their answers' equal "$got" "32 $known"
ssh-add -q -D 2>/dev/null
check 'what it answers is what it has at that time' contains "$(asks -A u)" 'no identities'
kill -STOP "$(echo $LOGIN_AGENTS | cut -d' ' -f1)"
got=$(timeout -k 5 60 "$SBX" -F "$LOGIN_CONFIG" exec -A -t 2 u 'ssh-add -l; echo not so' 2>&1)
check 'an agent that hangs holds its client up, and no limit' contains "$got" 'timed out'
kill -CONT "$(echo $LOGIN_AGENTS | cut -d' ' -f1)"

# Killed, cut: the socket over there goes with the connection.
"$SBX" -F "$LOGIN_CONFIG" exec -A u 'echo $SSH_AUTH_SOCK; sleep 300' >"$SSHD_DIR/socket" 2>&1 &
client=$!
within 20 test -s "$SSHD_DIR/socket"
socket=$(cat "$SSHD_DIR/socket")
check 'the socket is there while the command runs' as_root test -S "$socket"
kill -KILL $client
gone() { ! as_root test -e "$socket"; }
check 'and gone once this side has died' within 20 gone

sshd_stop
sshd_start 'AllowAgentForwarding no'
sshd_write_config
config 'ForwardAgent yes'
check 'a server that lends none runs commands all the same' equal "$(asks -A u)" none
check_end
