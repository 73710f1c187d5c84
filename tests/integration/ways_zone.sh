# ways_zone.sh - a link-local address with its zone, in a network of the test's own.
if [ -z "${SBX_ZONE-}" ]; then
    SBX_ZONE=1 exec unshare -n sh "$0"
fi
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

ip link set lo up
ip address add fe80::5b/64 dev lo nodad
sshd_start 'ListenAddress fe80::5b%lo'
sshd_user ada /bin/sh
. "$TEST_SUPPORT/login.sh"
ssh_config "User $SSHD_USER" "IdentityFile $SSHD_DIR/key"

list "$(object name:h host:fe80::5b%lo "port:$SSHD_PORT")"
lets_in 'an address with its zone is reached'
check '... and is known by it' grep -q "^\[fe80::5b%lo\]:$SSHD_PORT " "$SSHD_DIR/known"
lets_in '... and known again'
check '... by one line' equal "$(wc -l <"$SSHD_DIR/known")" 1
list "$(object name:h host:fe80::5b%nosuch "port:$SSHD_PORT")"
refuses 'a zone that is not there is told' "'fe80::5b%nosuch'"
list "$(object name:h host:fe80::5b "port:$SSHD_PORT")"
refuses 'an address without its zone is told' "'fe80::5b'"
ssh_config 'Host z' 'HostName fe80::5b%%lo' "Port $SSHD_PORT" "User $SSHD_USER" \
    "IdentityFile $SSHD_DIR/key"
list
login z
check 'so it is by ssh_config' equal "$status $out $err" '0 in '
check_end
