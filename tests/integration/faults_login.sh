# faults_login.sh - who may log in, whom we trust, and that no secret is ever shown.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

# Made up anew, so that it can be looked for in all that is printed.
secret() { od -An -N12 -tx1 /dev/urandom | tr -d ' \n'; }

# entry KEY VALUE ...: the one host of the list, with further keys; VALUE is JSON.
entry() {
    {
        printf '[{"name": "far", "host": "127.0.0.1", "port": %s, "connect_timeout": %s' "$SSHD_PORT" "${SECONDS_TO_CONNECT-20}"
        while [ $# -gt 0 ]; do
            printf ', "%s": %s' "$1" "$2"
            shift 2
        done
        echo '}]'
    } >"$SSHD_DIR/hosts"
    chmod 600 "$SSHD_DIR/hosts"
}

# What the command prints is every command line of this machine while it runs.
SPY='cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\0" " "; env'

try() {
    : >"$SSHD_LOG"
    timeout 60 "$SBX" -vvv --json -F "$SSHD_DIR/far_config" --config "$SSHD_DIR/hosts" \
        exec --max-output 4M far "$SPY" >"$SSHD_DIR/out" 2>"$SSHD_DIR/err" </dev/null
    status=$?
    end=$(jq -r .end <"$SSHD_DIR/out")
    code=$(jq -r .error.code <"$SSHD_DIR/out")
    text=$(jq -r .error.text <"$SSHD_DIR/out")
    fix=$(jq -r .error.fix <"$SSHD_DIR/out")
    cat "$SSHD_DIR/out" "$SSHD_DIR/err" "$SSHD_LOG" >>"$SSHD_DIR/all"
}

gets_in() {
    try
    check "$1" equal "$status $end $text" '0 exited null'
}

# is_refused SENTENCE CODE TEXT
is_refused() {
    try
    check "$1" equal "$status $end $code" "255 not_started $2"
    check '... and the text says it' contains "$text" "$3"
    check '... and what mends it' test -n "$fix" -a "$fix" != null
}

attempts() { grep -c "$1" "$SSHD_LOG"; }

sshd_start 'PasswordAuthentication yes' 'LogLevel DEBUG1' 'MaxAuthTries 6'
sshd_user far /bin/sh
user=$SSHD_USER
password=$(secret)
echo "$user:$password" | as_root chpasswd
: >"$SSHD_DIR/all"
known=$SSHD_DIR/known
config() {
    {
        printf 'Host *\n    User %s\n    UserKnownHostsFile %s\n' "$user" "$known"
        printf '    GlobalKnownHostsFile /dev/null\n'
        printf '    %s\n' "$@"
    } >"$SSHD_DIR/far_config"
}
unset SSH_AUTH_SOCK SSH_ASKPASS SSH_ASKPASS_REQUIRE DISPLAY WAYLAND_DISPLAY
unset REMOTE_SANDBOX_LIST REMOTE_HOST
XDG_STATE_HOME=$SSHD_DIR/state
export XDG_STATE_HOME

# Whom we trust.
config "IdentityFile $SSHD_DIR/key" 'IdentitiesOnly yes' 'StrictHostKeyChecking accept-new'
entry host_key_policy '"strict"'
is_refused 'an unknown host is refused under strict' SBX_ERR_HOST_KEY 'is not known'
check '... and not written down' test ! -s "$known"
check '... and no login was tried' equal "$(attempts 'userauth-request')" 0
entry host_key_policy '"accept-new"'
gets_in 'a new host is let in under accept-new'
check '... and written down' grep -q "^\[127.0.0.1\]:$SSHD_PORT ssh-ed25519 $(cut -d ' ' -f 2 "$SSHD_DIR/host_key.pub")" "$known"
cp "$known" "$SSHD_DIR/known_before"
entry host_key_policy '"strict"'
gets_in 'a known host is let in under strict'

ssh-keygen -q -t ed25519 -N '' -C other -f "$SSHD_DIR/other"
pub() { cut -d ' ' -f 1,2 "$SSHD_DIR/$1.pub"; }
fingerprint() { ssh-keygen -l -f "$SSHD_DIR/$1.pub" | cut -d ' ' -f 2; }
for form in pub fingerprint; do
    entry host_key "\"$($form host_key)\""
    gets_in "the pinned key is let in, as $form"
    entry host_key "\"$($form other)\"" password "\"$password\""
    is_refused "another than the pinned key is refused, as $form" SBX_ERR_HOST_KEY 'pinned'
    check '... before any secret is sent' equal "$(attempts 'userauth-request')" 0
done

for policy in strict accept-new ask; do
    sed "s|ssh-ed25519 .*|$(pub other)|" "$SSHD_DIR/known_before" >"$known"
    entry host_key_policy "\"$policy\"" password "\"$password\""
    is_refused "a changed host key is refused under $policy" SBX_ERR_HOST_KEY 'HAS CHANGED'
    check '... before any secret is sent' equal "$(attempts 'userauth-request')" 0
    check '... and the file stays' grep -q "$(pub other)" "$known"
done
sed "s|^|@revoked |" "$SSHD_DIR/known_before" >"$known"
entry password "\"$password\""
is_refused 'a revoked host key is refused' SBX_ERR_HOST_KEY 'revoked'
cp "$SSHD_DIR/known_before" "$known"

# Who may log in.
entry user '"no-such-user"'
is_refused 'a wrong user is refused' SBX_ERR_AUTH "log in as 'no-such-user'"
config "IdentityFile $SSHD_DIR/other" 'IdentitiesOnly yes' 'StrictHostKeyChecking yes'
entry
is_refused 'a wrong key is refused' SBX_ERR_AUTH "$SSHD_DIR/other"
config "IdentityFile $SSHD_DIR/missing" 'IdentitiesOnly yes' 'StrictHostKeyChecking yes'
is_refused 'a missing key is refused' SBX_ERR_AUTH 'nothing to try'
check '... and the text says what the server takes' contains "$text" 'publickey password'

entry password "\"$password\""
gets_in 'the password from the list is let in'
printf '%s\nnot this\n' "$password" >"$SSHD_DIR/password"
chmod 600 "$SSHD_DIR/password"
entry password_file "\"$SSHD_DIR/password\""
gets_in 'the password from a file is let in'
entry password_command "\"cat '$SSHD_DIR/password'\""
gets_in 'the password from a command is let in'
wrong=$(secret)
entry password "\"$wrong\""
is_refused 'a wrong password is refused' SBX_ERR_AUTH 'password'
check '... and sent once' equal "$(attempts 'Failed password')" 1
entry password_command "\"exit 3\""
is_refused 'a password command that prints nothing is told of' SBX_ERR_AUTH 'password_command'
check '... and no password was sent' equal "$(attempts 'Failed password')" 0
SECONDS_TO_CONNECT=2
entry password_command "\"sleep 1000\""
unset SECONDS_TO_CONNECT
is_refused 'a password command that hangs costs the time-out' SBX_ERR_TIMEOUT 'password_command'
entry password_file "\"$SSHD_DIR/no-such-file\""
is_refused 'a password file that is not there is told of' SBX_ERR_AUTH 'no-such-file'

passphrase=$(secret)
ssh-keygen -q -t ed25519 -N "$passphrase" -C locked -f "$SSHD_DIR/locked"
as_root sh -c "cat '$SSHD_DIR/locked.pub' >>'$SSHD_HOME/.ssh/authorized_keys'"
entry key_file "\"$SSHD_DIR/locked\"" key_passphrase "\"$passphrase\""
gets_in 'an encrypted key with its passphrase is let in'
entry key_file "\"$SSHD_DIR/locked\""
is_refused 'an encrypted key without its passphrase is refused' SBX_ERR_AUTH 'without its passphrase'
bad=$(secret)
entry key_file "\"$SSHD_DIR/locked\"" key_passphrase "\"$bad\""
is_refused 'a wrong passphrase is refused' SBX_ERR_AUTH "$SSHD_DIR/locked"
entry key_file "\"$SSHD_DIR/locked\"" password "\"$password\""
gets_in 'a key that cannot be read leaves the password'

# libssh 0.10.6 leaks its question to the agent for each key that is refused.
LSAN_OPTIONS=suppressions=$TEST_SUPPORT/lsan.supp:print_suppressions=0
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}fast_unwind_on_malloc=0
export LSAN_OPTIONS ASAN_OPTIONS

# An agent with the right key among five, the last to be tried.
eval "$(ssh-agent -s -a "$SSHD_DIR/agent")" >/dev/null
agent=$SSH_AGENT_PID
for n in 1 2 3 4; do
    ssh-keygen -q -t ed25519 -N '' -C "wrong$n" -f "$SSHD_DIR/wrong$n"
    ssh-add -q "$SSHD_DIR/wrong$n" 2>/dev/null
done
ssh-add -q "$SSHD_DIR/key" 2>/dev/null
entry
unset SSH_AUTH_SOCK
config "IdentityAgent $SSHD_DIR/agent" "IdentityFile $SSHD_DIR/missing" 'StrictHostKeyChecking yes'
gets_in 'the right key among five of an agent is let in'
config "IdentityAgent $SSHD_DIR/agent" "IdentityFile $SSHD_DIR/key" 'StrictHostKeyChecking yes'
gets_in 'a named key comes ahead of the agent'
check '... with one try' equal "$(attempts 'Failed publickey')" 0
kill "$agent"
config "IdentityAgent $SSHD_DIR/agent" "IdentityFile $SSHD_DIR/key" 'StrictHostKeyChecking yes'
gets_in 'a dead agent is passed over'

# What the environment tells, and a keeper that holds it; what is started here has none of it.
entry password_command "\"cat '$SSHD_DIR/password'; { env; cat /proc/\$PPID/cmdline; } >>'$SSHD_DIR/all'\""
gets_in 'a password command does its work'
config "ProxyCommand env >>'$SSHD_DIR/all'; exec nc %h %p" 'StrictHostKeyChecking yes' 'IdentityFile none'
rm "$SSHD_DIR/hosts"
echo '[]' >"$SSHD_DIR/hosts"
REMOTE_SANDBOX_LIST=$(jq -nc --arg p "$password" --arg u "$user" --argjson port "$SSHD_PORT" \
    '[{name: "far", host: "127.0.0.1", port: $port, user: $u, password: $p}]')
export REMOTE_SANDBOX_LIST
gets_in 'the list of the environment is one'
"$SBX" exec local env >>"$SSHD_DIR/all"
unset REMOTE_SANDBOX_LIST
REMOTE_NAME=far REMOTE_HOST=127.0.0.1 REMOTE_PORT=$SSHD_PORT REMOTE_USER=$user REMOTE_PASSWORD=$password
REMOTE_KEY_PASSPHRASE=$passphrase
export REMOTE_NAME REMOTE_HOST REMOTE_PORT REMOTE_USER REMOTE_PASSWORD REMOTE_KEY_PASSPHRASE
gets_in 'so are its variables'
"$SBX" exec local env >>"$SSHD_DIR/all"
check '  of which a command has all but the secrets' grep -q '^REMOTE_HOST=127.0.0.1$' "$SSHD_DIR/all"
XDG_RUNTIME_DIR=$SSHD_DIR/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
export XDG_RUNTIME_DIR
SBX_KEEPER=on "$SBX" -vvv -F "$SSHD_DIR/far_config" --config "$SSHD_DIR/hosts" keeper run -b far >>"$SSHD_DIR/all" 2>&1
check 'a keeper keeps such a host' test -n "$(find "$XDG_RUNTIME_DIR" -type s)"
SBX_KEEPER=on try
check '  and a command goes over it' contains "$(cat "$SSHD_DIR/err")" 'over the keeper'
"$SBX" --json keeper ls >>"$SSHD_DIR/all" 2>&1
"$SBX" -F "$SSHD_DIR/far_config" --config "$SSHD_DIR/hosts" job start --no-terminal far env >/dev/null 2>&1
"$SBX" audit show >>"$SSHD_DIR/all"
SBX_KEEPER=on "$SBX" keeper stop >/dev/null
unset REMOTE_NAME REMOTE_HOST REMOTE_PORT REMOTE_USER REMOTE_PASSWORD REMOTE_KEY_PASSPHRASE

# Nothing of it was shown: command lines, environment, logs, JSON, errors, stored output.
for word in "$password" "$wrong" "$passphrase" "$bad"; do
    check 'no secret is shown anywhere' equal \
        "$({ cat "$SSHD_DIR/all"; find "$SSHD_DIR/state" "$SSHD_DIR/run" -type f -exec cat {} +; } |
            grep -ac "$word")" 0
    check '... nor in the description of the host' equal \
        "$("$SBX" --json -F "$SSHD_DIR/far_config" --config "$SSHD_DIR/hosts" host show far | grep -c "$word")" 0
done
check 'there was much to look through' test "$(wc -c <"$SSHD_DIR/all")" -gt 100000
check_end
