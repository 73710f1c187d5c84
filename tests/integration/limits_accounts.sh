# limits_accounts.sh - accounts that may do less than others: what they are asked for
# works, or one sentence says what they are, and what would mend it.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

# account NAME SHELL [SSHD_LINE ...]: and what sshd is told of it alone.
MATCHES=
account() {
    sshd_user "$1" "$2" 2>/dev/null
    shift 2
    [ $# -eq 0 ] || MATCHES=$(printf '%s\n' "$MATCHES" "Match User $SSHD_USER" "$@")
}

cat >"${FORCED:=$(mktemp)}" <<'END'
#!/bin/sh
exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"
END
chmod 755 "$FORCED"
trap 'sshd_cleanup; rm -f "$FORCED"' EXIT
account plain /bin/sh
PLAIN=$SSHD_USER
account noshell /bin/false
account nologin /usr/sbin/nologin
account rbash /bin/rbash
account git /usr/bin/git-shell
account sftp /bin/sh 'ForceCommand internal-sftp'
account jailed /bin/sh 'ChrootDirectory /run/sshd'
account jailedsftp /bin/sh 'ChrootDirectory /run/sshd' 'ForceCommand internal-sftp'
account forced /bin/sh 'ForceCommand echo the time is up'
account wrapped /bin/sh "ForceCommand $FORCED"
account nopty /bin/sh 'PermitTTY no'
account noforward /bin/sh 'AllowTcpForwarding no'
sshd_start "$MATCHES"
account restrict /bin/sh
ssh-keygen -q -t ed25519 -N '' -C restrict -f "$SSHD_DIR/restrict_key"
sed 's/^/restrict /' "$SSHD_DIR/restrict_key.pub" |
    as_root sh -c "cat >'$SSHD_HOME/.ssh/authorized_keys'"
sed -i "/^Host restrict\$/,/^Host/s|IdentityFile .*|IdentityFile $SSHD_DIR/restrict_key|" \
    "$SSHD_CONFIG"
{
    for name in noforward plain; do
        printf 'Host behind_%s\n    HostName 127.0.0.1\n    Port %s\n    User %s\n' "$name" \
            "$SSHD_PORT" "$PLAIN"
        printf '    ProxyJump %s\n    IdentityFile %s\n' "$name" "$SSHD_DIR/key"
        printf '    UserKnownHostsFile %s\n' "$SSHD_DIR/known_hosts"
    done
} >>"$SSHD_CONFIG"

# ask PLACE [OPTION ...]: sets status, out, err of one command there.
ask() {
    ask_place=$1
    shift
    timeout 60 "$SBX" -F "$SSHD_CONFIG" exec "$@" "$ask_place" 'echo in' \
        >"$SSHD_DIR/out" 2>"$SSHD_DIR/err" </dev/null
    status=$?
    out=$(tr -d '\r' <"$SSHD_DIR/out")
    err=$(cat "$SSHD_DIR/err")
}

works() {
    sentence=$1
    shift
    ask "$@"
    check "$sentence" equal "$status $out $err" '0 in '
}

# told SENTENCE PLACE WORDS FIX [OPTION ...]: one line of why, one of what mends it.
told() {
    sentence=$1 place=$2 words=$3 fix=$4
    shift 4
    ask "$place" "$@"
    check "$sentence" equal "$status $out" '255 '
    check "  saying '$words'" contains "$err" "$words"
    check "  and '$fix'" contains "$err" "try: $fix"
    check '  in two lines' equal "$(echo "$err" | wc -l)" 2
    ask "$place" --json "$@"
    explains=$(echo "$out" | jq -r .error.check)
    check "  and to a program the doctor's check, '$explains'" grep -q "^    {\"$explains\", " \
        "$SBX_SOURCE/libsandbox/src/doctor/checks.c"
}

# blames SENTENCE PLACE CHECK: the doctor says the same under that check.
blames() {
    timeout 60 "$SBX" -F "$SSHD_CONFIG" --json doctor "$2" >"$SSHD_DIR/report" 2>/dev/null
    check "$1" equal \
        "$(jq -r --arg n "$3" '.checks[] | select(.name == $n).state' "$SSHD_DIR/report")" fail
}

works 'an account like others' plain
told '/bin/false for a shell' noshell 'the login shell ended with 1 and ran nothing' 'see what'
told 'nologin' nologin "no login shell; it says 'This account is currently not available.'" \
    'over there, as root: usermod -s'
told 'rbash' rbash 'a restricted one; it says ' 'over there, as root: usermod -s /bin/bash'
told 'an account for sftp alone' sftp 'for sftp alone; it says ' 'take another account'
told 'the same in a folder of its own' jailedsftp 'for sftp alone' 'take another account'
told 'a folder of its own without a shell' jailed 'no shell where the account lives' \
    'put a shell into the ChrootDirectory'
told 'git-shell' git 'for git alone' 'take another account'
told 'a forced command' forced "ran one of its own instead, which says 'the time is up'" \
    'ForceCommand in sshd_config'
works 'a forced command that runs what it was asked for' wrapped
blames 'the doctor says so' sftp login-shell

works 'without a terminal, PermitTTY no does not matter' nopty
told 'with one, it does' nopty 'gives this account no terminal' 'do without one' --pty
works 'without a terminal, a key under `restrict` does too' restrict
told 'with one, it does not' restrict 'gives this account no terminal' 'do without one' --pty

works 'without a jump through it, AllowTcpForwarding no does not matter' noforward
works 'a jump through one that forwards' behind_plain
told 'a jump through one that does not' behind_noforward \
    "through 'noforward': it lets no connection through" 'AllowTcpForwarding yes'
blames 'the doctor says so' behind_noforward jump

# No process more: the server has room for so many, itself counted, until a command runs.
if [ -d /sys/fs/cgroup/pids ]; then
    room=/sys/fs/cgroup/pids/sbxt.$$
else
    as_root sh -c 'echo +pids >/sys/fs/cgroup/cgroup.subtree_control'
    room=/sys/fs/cgroup/sbxt.$$
fi
as_root mkdir "$room" || exit 1
trap 'sshd_cleanup; rm -f "$FORCED"; within 10 as_root rmdir "$room" 2>/dev/null' EXIT
as_root sh -c "echo $SSHD_PID >'$room/cgroup.procs'"
nobody_is_in() { [ "$(cat "$room/pids.current")" = 1 ]; }
ran=$SSHD_DIR/ran
mkdir -m 1777 "$ran"
answers= forks=
for count in 2 3 4 5 6 7 8 9 10 11 12; do
    within 10 nobody_is_in
    as_root sh -c "echo $count >'$room/pids.max'"
    timeout 60 "$SBX" -F "$SSHD_CONFIG" --json exec plain "mkdir $ran/$count" 2>/dev/null >"$SSHD_DIR/out"
    answers="$answers$(jq -r '"\(.end) \(.error.executed)"' "$SSHD_DIR/out") $(ls "$ran" | grep -cx $count)
"
    forks="$forks $(jq -r '"\(.error.text) \(.error.fix)"' "$SSHD_DIR/out")"
done
check 'where no more processes may be, a command runs, or is told not to have' equal \
    "$(echo "$answers" | grep . | sort -u | tr '\n' '+')" 'exited null 1+not_started no 0+'
check '  and why' contains "$forks" \
    'the account can start no more processes; it says '
check '  and where to look' contains "$forks" 'how many may: ulimit -u'
check_end
