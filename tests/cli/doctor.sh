# doctor.sh - places are looked over: the way there, the account, the tools.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"

# state CHECK, seen CHECK, fix CHECK: of the JSON that was printed last.
state() {
    jq -r --arg n "$1" '.checks[] | select(.name == $n).state' "$T/out"
}
seen() {
    jq -r --arg n "$1" '.checks[] | select(.name == $n).seen' "$T/out"
}
fix() {
    jq -r --arg n "$1" '.checks[] | select(.name == $n).fix' "$T/out"
}
# states CHECK...: their states, a blank between.
states() {
    for states_name; do state "$states_name"; done | tr '\n' ' '
}
# tool NAME: a program of that name, its text from standard input, ahead on the PATH.
tool() {
    mkdir -p "$T/bin"
    cat >"$T/bin/$1"
    chmod +x "$T/bin/$1"
}
count='config address route port jump banner kex host-key auth connect latency login-shell rc-noise
terminal user system clock load home tmp tools tmux linger kill-user-processes containers gpu session-limit
tcp-forwarding agent-forwarding'
path=$PATH

run -F none doctor local
check 'this machine is well' equal "$status $err" '0 '
check 'the names stand in one column' equal \
    "$(awk '{ print substr($0, 10) }' "$T/out" | grep -c '^config  ')" 1
check 'the states are counted' grep -q -E '^local: [0-9]+ ok, [0-9]+ warn, 0 fail, ' "$T/out"
run -F none --json doctor local
check 'each check is there, in order' equal "$(jq -r '.checks[].name' "$T/out" | tr '\n' ' ')" \
    "$(echo $count) "
check 'no network is looked at' equal "$(states address route port kex host-key auth)" \
    'skipped skipped skipped skipped skipped skipped '
check 'what must be known of a machine is' equal \
    "$(states config connect latency login-shell user system clock home tmp session-limit)" \
    'ok ok ok ok ok ok ok ok ok ok '
check 'home is told of by name' contains "$(seen home)" "$HOME: "
check 'there is one place and no error' equal "$(jq -c '[.place, .ok, .connected, .error]' "$T/out")" \
    '["local",true,true,null]'

tool nvidia-smi <<'END'
#!/bin/sh
echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)'
echo 'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-1)'
END
PATH=$T/bin:$path run -F none --json doctor local
check 'GPUs are told by name' equal "$(state gpu) $(seen gpu)" \
    'ok NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3'
nap=$(nap 88)
printf '#!/bin/sh\nexec sleep %s\n' "$nap" | tool nvidia-smi
PATH=$T/bin:$path run -F none --json doctor local
check 'a GPU tool that hangs costs its own check only' equal \
    "$(states tools home gpu session-limit)" "$(state tools) ok warn ok "
check 'it is named' contains "$(seen gpu)" 'nvidia-smi hangs'
check 'and does not stay behind' none_runs "$nap"
PATH=$T/bin:$path run -F none --json doctor -t 4 local
check 'the limit of the whole holds' test "$(jq .duration_ms "$T/out")" -lt 5000
check 'what was not learnt is unknown' equal "$(states home gpu)" 'ok unknown '
printf '#!/bin/sh\necho "cannot talk to the driver"; exit 9\n' | tool nvidia-smi
PATH=$T/bin:$path run -F none doctor local
check 'a tool that fails is a warning, with its words' grep -q \
    '^warn  *gpu  *nvidia-smi fails: cannot talk to the driver$' "$T/out"
check 'the fix stands below' sh -c "grep -A1 '^warn  *gpu ' '$T/out' | grep -q '^  *try: '"
HOME=/nonexistent XDG_CONFIG_HOME=$XDG_CONFIG_HOME run -F none --json doctor local
check 'a home that is not there has failed' equal "$status $(state home) $(fix home)" \
    "1 fail ls -ld '/nonexistent'"

sshd_user few /bin/sh
few=$SSHD_USER
sshd_start "Match User $few" 'PermitTTY no' 'AllowTcpForwarding no'
sshd_user noisy /bin/bash
printf 'export A=1\nprintf "\\033[1mwelcome, it is %%s\\n" noon\n' |
    as_root sh -c "cat >'$SSHD_HOME/.bashrc'"
sshd_user loud "$(command -v fish)"
loud=$SSHD_HOME
as_root mkdir -p "$SSHD_HOME/.config/fish/conf.d"
echo 'echo all aboard' | as_root sh -c "cat >'$SSHD_HOME/.config/fish/conf.d/hello.fish'"
as_root chown -R "$SSHD_USER:" "$SSHD_HOME"
sshd_user ada /bin/sh
sshd_user fish "$(command -v fish)"
sshd_user csh "$(command -v tcsh)"
sshd_user nobody /bin/false
trap 'sshd_cleanup; rm -rf "$T"' EXIT
printf 'Host dead\n    HostName 127.0.0.1\n    Port 1\n' >>"$SSHD_CONFIG"
printf 'Host stranger\n    HostName 127.0.0.1\n    Port %s\n    IdentityFile none\n' "$SSHD_PORT" \
    >>"$SSHD_CONFIG"
printf '    IdentityAgent none\n    UserKnownHostsFile %s\n' "$SSHD_DIR/known_hosts" >>"$SSHD_CONFIG"
printf '    PubkeyAuthentication no\n' >>"$SSHD_CONFIG"
printf 'Host behind\n    HostName 127.0.0.1\n    Port 1\n    ProxyJump t\n' >>"$SSHD_CONFIG"
set -- -F "$SSHD_CONFIG"
run "$@" --json doctor ada
check 'a host over SSH is well' equal "$status $(jq -c '[.ok, .failed]' "$T/out")" '0 [true,0]'
check 'so is each step of the way' equal \
    "$(states config address route port jump banner kex host-key auth connect latency)" \
    'ok ok ok ok skipped ok ok ok ok ok ok '
check 'the server is named' contains "$(seen banner)" SSH-2.0-OpenSSH
check 'its key is' equal "$(seen host-key)" \
    "ssh-ed25519 $(ssh-keygen -lf "$SSHD_DIR/host_key.pub" | cut -d' ' -f2)"
check 'the facts are JSON too' equal \
    "$(jq -r '.facts | [.kind, .peer, (.kex | type), (.cipher | type), (.mac | type)] | join(" ")' "$T/out")" \
    'ssh 127.0.0.1 string string string'
check 'nothing is printed, a terminal is had, connections go through' equal \
    "$(states rc-noise terminal tcp-forwarding)" 'ok ok ok '
check 'four commands took one connection' equal "$(seen session-limit)" '4 commands at once'

for place in fish csh; do
    run "$@" --json doctor $place
    check "$place as login shell hides nothing" equal \
        "$status $(states login-shell user clock home tmp session-limit)" '0 ok ok ok ok ok ok '
    check 'and is named' contains "$(seen login-shell)" "$place"
done
run "$@" --json doctor noisy
check 'what start-up files print is told, with the words' equal \
    "$status $(state rc-noise) $(seen rc-noise | grep -c "likely by ~/.bashrc: .*welcome, it is noon")" \
    '0 warn 1'
run "$@" --json doctor loud
check 'with the very file, where the words stand in it' contains "$(seen rc-noise)" \
    "by $loud/.config/fish/conf.d/hello.fish: 'all aboard'"
check 'and what mends it' contains "$(fix rc-noise)" 'hello.fish print nothing'
run "$@" --json doctor few
check 'an account without terminals and forwarding works, and is told of' equal \
    "$status $(states terminal tcp-forwarding)" '0 warn warn '
check 'with what mends it' equal "$(fix terminal | grep -c PermitTTY)$(fix tcp-forwarding | grep -c AllowTcpForwarding)" 11

run "$@" --json doctor nobody
check 'an account whose shell runs nothing is told of as that' equal \
    "$status $(states auth connect login-shell user gpu session-limit terminal tcp-forwarding)" \
    '1 ok ok fail skipped skipped skipped skipped skipped '
check 'there was a way in' equal "$(jq -c '[.ok, .connected, .failed]' "$T/out")" '[false,true,1]'

run "$@" --json doctor dead
check 'a port that nobody listens on has failed' equal \
    "$status $(states config address route port jump auth login-shell gpu)" \
    '255 ok ok ok fail skipped skipped skipped skipped '
check 'with its fix' contains "$(fix port)" 'port 1'
check 'the error is there' equal "$(jq -r '[.connected, .error.code] | join(" ")' "$T/out")" \
    'false SBX_ERR_CONNECT'
check 'and told' contains "$err" "$program: "
run "$@" --json doctor stranger
check 'a login that is refused has failed, all before it held' equal \
    "$status $(states address port banner kex host-key auth connect)" \
    '255 ok ok ok ok ok fail skipped '
run "$@" --json doctor behind
check 'behind a jump host, it is the jump that fails' equal \
    "$status $(states config address port jump auth)" '255 ok unknown unknown fail skipped '
run "$@" doctor ada,dead local
check 'several places are looked at, the worst is the status' equal \
    "$status $(grep -c -E '^(ada|dead|local): ' "$T/out")" '255 3'
run "$@" --json doctor ada dead
check 'in the order given' equal "$(jq -r .place "$T/out" | tr '\n' ' ')" 'ada dead '
sed 's/^Host ada$/Frobnicate yes\n&/' "$SSHD_CONFIG" >"$T/odd"
run -F "$T/odd" --json doctor ada
check 'what ssh_config says that is not understood is told' equal "$(state config)" warn
check 'by its line' contains "$(seen config)" 'unknown keyword'

dropbear_start
tinysshd_start
for place in ada.dropbear ada.tinysshd; do
    run -F "$SSHD_CONFIG" --json doctor $place
    check "$place is well" equal "$status $(states banner kex host-key auth user home)" \
        '0 ok ok ok ok ok ok '
done
check 'a server that answers no keepalive is warned of' equal "$(state latency)" warn
check 'a server of one command a connection takes four' contains "$(seen session-limit)" \
    'over 4 connections'

run doctor
check 'a place must be named' equal "$status" 2
run doctor -t 0 local
check 'a limit of nothing is refused' equal "$status" 2
run "$@" doctor -- -x
check 'what can be no place is refused' equal "$status $out" '2 '
check_end
