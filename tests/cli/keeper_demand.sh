# keeper_demand.sh - a keeper that is started by the first call for a place.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/keeper.sh"
keeper_lab
set -- -F "$SSHD_CONFIG" --config "$T/hosts.json"
printf '[{"name": "kept", "host": "127.0.0.1", "port": %s, "user": "%s", "key_file": "%s", "keeper": true},
  {"name": "not", "host": "127.0.0.1", "port": %s, "user": "%s", "key_file": "%s", "keeper": false}]' \
    "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" >"$T/hosts.json"
printf 'Host 127.0.0.1\n    UserKnownHostsFile %s\n    StrictHostKeyChecking accept-new\n' \
    "$SSHD_DIR/known_hosts" >>"$SSHD_CONFIG"

logins() {
    grep -c 'Accepted publickey' "$SSHD_LOG"
}
kept() {
    "$SBX" -F "$SSHD_CONFIG" --config "$T/hosts.json" keeper status "$1" >/dev/null
}
no_keeper() {
    [ -z "$(pgrep -f -- "--config $T/hosts.json keeper run")$(pgrep -f -- "$SSHD_CONFIG keeper run")" ]
}

run "$@" exec t 'echo out'
check 'without a word nothing is started' equal "$out $status" 'out 0'
run "$@" exec not 'echo out'
check 'nor where the entry says no' equal "$out $status" 'out 0'
run "$@" --no-keeper exec kept 'echo out'
SBX_KEEPER=off run "$@" exec kept 'echo out'
check 'nor with --no-keeper, or SBX_KEEPER=off' no_keeper

run "$@" exec kept 'echo out; exit 3'
check 'the first call for a place that is to be kept is as ever' equal "$out|$err|$status" 'out||3'
check 'and a keeper takes over' within 20 kept kept
before=$(logins)
for i in 1 2 3; do
    run "$@" exec kept "echo $i"
    check "call $i goes over it" equal "$out $(logins)" "$i $before"
done
"$SBX" keeper stop
check 'it can be stopped' within 10 no_keeper

SBX_KEEPER=on run "$@" exec t 'echo out'
check 'SBX_KEEPER=on asks for one, too' equal "$out|$err|$status" 'out||0'
check 'and there it is' within 20 kept t
"$SBX" keeper stop
check 'it can be stopped' within 10 no_keeper

# Who was asked is not asked twice, behind the scenes.
ssh-keygen -q -p -P '' -N secret -f "$SSHD_DIR/key" >/dev/null
printf '#!/bin/sh\necho asked >>%s/asked\necho secret\n' "$T" >"$T/askpass"
chmod 755 "$T/askpass"
SSH_ASKPASS=$T/askpass SSH_ASKPASS_REQUIRE=force run "$@" -v exec kept 'echo out'
check 'where the login asks it is asked once' equal "$out $(cat "$T/asked")" 'out asked'
check 'and none is started' sh -c '! grep -q "keeper is started" "$0"' "$T/err"
check 'as can be seen' no_keeper
check_end
