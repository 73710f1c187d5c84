# host_keys.sh - what an entry of the list says of a host is what its commands get.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"
sshd_start
trap 'proxy_stop; sshd_cleanup; rm -rf "$T"' EXIT
sshd_user ada /bin/sh
proxy_start "$SSHD_PORT"
list=$XDG_CONFIG_HOME/sbx/hosts.json
to_server="\"host\": \"127.0.0.1\", \"user\": \"$SSHD_USER\", \"key_file\": \"$SSHD_DIR/key\",
    \"host_key\": \"$(cut -d' ' -f1,2 "$SSHD_DIR/host_key.pub")\""
cat >"$list" <<END
// Comments stand anywhere: here,
[ /* here, */
  {"name": "plain", "port": $SSHD_PORT, $to_server}, // and here
  {"name": "set", "port": $SSHD_PORT, $to_server,
   "cwd": "/usr/bin", "shell": "/bin/dash", "env": {"A": "x \"y\" // no comment", "B_2": ""}},
  {"name": "alive", "port": $PROXY_PORT, $to_server, "keepalive": 1}
]
END
set -- -F none

run "$@" exec plain 'pwd; id -un; echo "${A-none}"'
check 'an entry alone is enough to log in as that user' equal "$status $out$err" "0 $SSHD_HOME
$SSHD_USER
none"
run "$@" exec set 'pwd; echo "$A|$B_2|"; readlink /proc/$$/exe'
check 'cwd, env and shell are those of its commands' equal "$out" "/usr/bin
x \"y\" // no comment||
$(readlink -f /bin/dash)"
run "$@" exec -C /tmp -e A=ours set 'pwd; echo "$A"'
check 'what the command line says counts more' equal "$out" '/tmp
ours'
run "$@" exec set sh -c 'pwd'
check 'a program and its words begin in that folder, too' equal "$out" /usr/bin

begin=$(date +%s)
"$SBX" "$@" exec alive 'echo ready; sleep 1000' >"$T/out" 2>"$T/err" </dev/null &
alive=$!
check 'a command runs behind a line' within 20 grep -q ready "$T/out"
proxy_say blackhole
wait $alive
check 'keepalive finds that it is dead' equal "$?" 255
took=$(($(date +%s) - begin))
check "  in seconds ($took), not in three times fifteen" test $took -lt 30
check '  and it is told' contains "$(cat "$T/err")" "$program: alive: lost: "
check_end
