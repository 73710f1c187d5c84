# hostkey_known.sh - what the files of known hosts say decides, before anything secret is
# sent, and a refusal says what to do.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_folder
H=$SSHD_DIR
for type in ecdsa rsa; do
    ssh-keygen -q -t $type -N '' -f "$H/host_$type" || exit 1
done
ssh-keygen -q -t ed25519 -N '' -f "$H/other" || exit 1
ssh-keygen -q -t ecdsa -N '' -f "$H/other_ecdsa" || exit 1
sshd_start "HostKey $H/host_ecdsa" "HostKey $H/host_rsa" 'PasswordAuthentication yes' 'LogLevel DEBUG1'
sshd_user u /bin/sh
. "$TEST_SUPPORT/login.sh"
entry "user:$SSHD_USER" "key_file:$H/key"

# knows LINE...: the one file of known hosts; more lines of ssh_config in CONFIG.
CONFIG=
knows() {
    printf '%s\n' "$@" >"$H/known"
    cp "$H/known" "$H/known.before"
    {
        [ -z "$CONFIG" ] || printf '%s\n' "$CONFIG"
        printf '%s\n' "UserKnownHostsFile $H/known $H/known2" "GlobalKnownHostsFile $H/known3" \
            'StrictHostKeyChecking yes' 'IdentityFile none'
    } >"$LOGIN_CONFIG"
}
pub() { cut -d ' ' -f 1,2 "$H/$1.pub"; }
print_of() { ssh-keygen -l -f "$H/$1.pub" | cut -d ' ' -f 2; }
unchanged() { cmp "$H/known" "$H/known.before"; }
nothing_sent() {
    refused_log=$(wc -l <"$SSHD_LOG")
    refuses "$@"
    check '  before anybody tries to log in' sh -c \
        '! tail -n "+$1" "$2" | grep -q userauth-request' - $((refused_log + 1)) "$SSHD_LOG"
    check '  and the file stays as it was' unchanged
}
name="[127.0.0.1]:$SSHD_PORT"

for type in key ecdsa rsa; do
    knows "$name $(pub host_$type)"
    lets_in "a host that is known by its $type key alone is asked for that"
    check '  and nothing is written' unchanged
done
knows "127.0.0.1 $(pub host_key)"
lets_in 'a line without a port stands for every port'
knows "$name $(pub host_key)"
ssh-keygen -q -H -f "$H/known" >/dev/null 2>&1
rm -f "$H/known.old"
lets_in 'a hashed line'
knows ''
echo "$name $(pub host_rsa)" >"$H/known2"
lets_in 'the second file of the user'
rm "$H/known2"
echo "[127.0.0.?]:* $(pub host_rsa)" >"$H/known3"
lets_in 'a pattern in the file of the system'
rm "$H/known3"

CONFIG='HostKeyAlias cluster'
knows "cluster $(pub host_key)"
lets_in 'HostKeyAlias is looked for, without a port'
knows "$name $(pub host_key)"
nothing_sent 'and nothing else is' "$(print_of host_key)" 'is not known' accept-new
knows "# a remark" "cluster $(pub other)"
nothing_sent 'a changed key of an alias' "'$H/known' line 2" "ssh-keygen -f '$H/known' -R 'cluster'"
CONFIG=

knows '# a remark' '' "$name $(pub other)"
nothing_sent 'a changed key' 'HAS CHANGED' "$(print_of other)" "'$H/known' line 3" \
    "ssh-keygen -f '$H/known' -R '$name'"
check '  and shows what it shows' contains "$err" "shows ssh-ed25519 $(print_of host_key)"
ssh-keygen -f "$H/known" -R "$name" >/dev/null 2>&1
{ cat "$LOGIN_CONFIG"; } | sed 's/StrictHostKeyChecking yes/StrictHostKeyChecking accept-new/' >"$H/c"
mv "$H/c" "$LOGIN_CONFIG"
lets_in 'what the advice says mends it'
CONFIG='HostKeyAlgorithms ssh-ed25519'
knows "$name $(pub other_ecdsa)"
nothing_sent 'a host that shows none of the types by which it is known' \
    'is of another type than before' "$(print_of other_ecdsa)"
CONFIG=

knows "$name $(pub host_key)" "@revoked * $(pub host_key)"
nothing_sent 'a revoked key' 'is marked revoked' "line 2"
knows "@cert-authority $name $(pub other)"
nothing_sent 'a host that only an authority vouches for' 'asks for a host certificate' \
    "pin it: host_key '$(print_of host_key)'"
knows "@cert-authority $name $(pub other)" "$name $(pub host_key)"
lets_in 'a line of its own beside the authority lets it in'

# Pinned.
knows ''
entry "user:$SSHD_USER" "key_file:$H/key" "host_key:$(pub host_rsa)"
lets_in 'a pinned key is asked for by its type'
entry "user:$SSHD_USER" "key_file:$H/key" "host_key:$(print_of host_key)"
lets_in 'a fingerprint pins as well'
entry "user:$SSHD_USER" "key_file:$H/key" "host_key:$(pub other)"
nothing_sent 'another than the pinned key' 'not the pinned one' "$(print_of host_key)"
check_end
