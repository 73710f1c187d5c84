# login.sh - asks the program to log in, for tests of the ways to do so.
#
#     . "$TEST_SUPPORT/login.sh"         after sshd_start
#     ssh_config 'IdentitiesOnly yes'    what the logins read; replaces what was before
#     entry "user:$SSHD_USER" "key_file:$key"   the host `h`: 127.0.0.1, the port of sshd
#     login                              sets status, out, err; `out` is "in" if it worked
#     lets_in 'a sentence'               login, and it has to work
#     refuses 'a sentence' 'words'...    login; each of the words is in what it says
#     forbids 'a sentence' 'words'...    the same of a list that cannot be
#
# An agent or two: agent_start sets AGENT and SSH_AUTH_SOCK; they end with the test.

LOGIN_CONFIG=$SSHD_DIR/login_config
LOGIN_LIST=$SSHD_DIR/hosts.json
LOGIN_AGENTS=
XDG_CONFIG_HOME=$SSHD_DIR/config
XDG_STATE_HOME=$SSHD_DIR/state
LSAN_OPTIONS=suppressions=$TEST_SUPPORT/lsan.supp:print_suppressions=0
export XDG_CONFIG_HOME XDG_STATE_HOME LSAN_OPTIONS
unset SSH_AUTH_SOCK SSH_ASKPASS REMOTE_SANDBOX_LIST REMOTE_HOST

ssh_config() {
    {
        printf '%s\n' "$@"
        printf '%s\n' "UserKnownHostsFile $SSHD_DIR/known" 'GlobalKnownHostsFile /dev/null' \
            'StrictHostKeyChecking accept-new'
    } >"$LOGIN_CONFIG"
}

# object KEY:VALUE...: one entry; a value of digits is a number.
object() {
    jq -nc '[$ARGS.positional[] | split(":") | {key: .[0], value: (.[1:] | join(":"))}
        | if .value | test("^[0-9]+$") then .value |= tonumber else . end] | from_entries' \
        --args "$@"
}

# list OBJECT...: the list of hosts.
list() {
    printf '%s\n' "$@" | jq -sc . >"$LOGIN_LIST"
    chmod 600 "$LOGIN_LIST"
}

entry() {
    list "$(object name:h host:127.0.0.1 "port:$SSHD_PORT" "$@")"
}

login() {
    timeout -k 5 60 "$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec "${1:-h}" 'echo in' \
        >"$SSHD_DIR/out" 2>"$SSHD_DIR/err" </dev/null
    status=$?
    out=$(cat "$SSHD_DIR/out")
    err=$(cat "$SSHD_DIR/err")
}

lets_in() {
    login
    check "$1" equal "$status $out $err" '0 in '
}

# By the list itself: nothing is asked for then.
forbids() {
    refuses_status=2
    refuses "$@"
    refuses_status=255
}

refuses_status=255
refuses() {
    refuses_sentence=$1
    shift
    login
    check "$refuses_sentence" equal "$status $out" "$refuses_status "
    for word in "$@"; do
        check "  saying '$word'" contains "$err" "$word"
    done
}

agent_start() {
    AGENT=$SSHD_DIR/agent$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    ssh-agent -D -a "$AGENT" >/dev/null 2>&1 &
    LOGIN_AGENTS="$LOGIN_AGENTS $!"
    within 10 test -S "$AGENT" || sshd_fail 'the agent does not start'
    SSH_AUTH_SOCK=$AGENT
    export SSH_AUTH_SOCK
}

# fake_agent HOW...: prog_agent, before the agent that was started last.
fake_agent() {
    real=$SSH_AUTH_SOCK
    SSH_AUTH_SOCK=$SSHD_DIR/agent$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    "$SBX_BUILD/tests/prog_agent" "$SSH_AUTH_SOCK" "$real" "$1" &
    LOGIN_AGENTS="$LOGIN_AGENTS $!"
    within 10 test -S "$SSH_AUTH_SOCK" || sshd_fail 'the agent does not start'
}

login_cleanup() {
    [ -z "$LOGIN_AGENTS" ] || kill $LOGIN_AGENTS 2>/dev/null
    LOGIN_AGENTS=
    sshd_cleanup
}
trap login_cleanup EXIT
