# openssh.sh - a host whose transport is the installed ssh: what libssh cannot verify is
# verified, and it goes with its session, however that ends.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_folder
H=$SSHD_DIR
XDG_RUNTIME_DIR=$H/run
export XDG_RUNTIME_DIR
mkdir -m 700 "$H/run"
ssh-keygen -q -t ed25519 -N '' -f "$H/authority" || exit 1
ssh-keygen -q -t ed25519 -N '' -f "$H/wrong" || exit 1
ssh-keygen -q -s "$H/authority" -I host -h -n 127.0.0.1 "$H/host_key.pub" || exit 1
sshd_start "HostCertificate $H/host_key-cert.pub"
. "$TEST_SUPPORT/login.sh"
nap=81.$(date +%s)$$

authority() {
    echo "@cert-authority [127.0.0.1]:$SSHD_PORT $(cut -d ' ' -f 1,2 "$H/$1.pub")" >"$H/known"
    printf '%s\n' "UserKnownHostsFile $H/known" 'GlobalKnownHostsFile /dev/null' \
        'StrictHostKeyChecking yes' 'IdentityFile none' >"$LOGIN_CONFIG"
}
sbx() {
    timeout -k 5 60 "$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" "$@"
}
no_ssh() {
    [ -z "$(pgrep -f -- "ControlPath=$H/run")" ] && [ -z "$(ls "$H/run/sbx/ssh" 2>/dev/null)" ]
}
one_ssh() {
    pid=$(pgrep -f -- "^ssh .*ControlPath=$H/run")
}
no_nap() {
    [ -z "$(pgrep -f -- "sleep $nap")" ]
}

authority authority
entry "user:$(id -un)" "key_file:$H/key"
refuses 'a certificate of a host is beyond libssh' 'asks for a host certificate' "set transport 'openssh'"
sbx doctor h >"$H/out" 2>&1
check 'the doctor says what would do it' contains "$(cat "$H/out")" "set transport 'openssh' there"
entry "user:$(id -un)" "key_file:$H/key" transport:openssh
lets_in 'over the installed ssh it is verified'
check '  and nothing is left' within 10 no_ssh
check 'both streams and the status pass through' equal \
    "$(sbx exec h 'echo out; echo err >&2; exit 3' 2>&1; echo $?)" 'out
err
3'
head -c 20000000 /dev/urandom >"$H/in"
check '20 MB pass through unchanged' sh -c '"$0" -F "$1" --config "$2" exec --stdin h cat <"$3" | cmp - "$3"' \
    "$SBX" "$LOGIN_CONFIG" "$LOGIN_LIST" "$H/in"
check 'a time-out kills the tree' contains "$(sbx exec -t .5 h "sleep $nap" 2>&1)" 'all of it is dead'
sbx doctor h >"$H/out" 2>&1
check 'the doctor looks it over' grep -q 'ok       auth' "$H/out"

authority wrong
refuses 'another authority vouches for nothing' "ssh says 'Host key verification failed.'" 'ssh -v 127.0.0.1'
check '  and nothing is left' within 10 no_ssh
authority authority
entry "user:$(id -un)" "key_file:$H/wrong" transport:openssh
refuses 'a key that is not let in' "connect to 'h': ssh says '$(id -un)@127.0.0.1: Permission denied (publickey).'"
check '  in one line and its advice' equal "$(printf '%s\n' "$err" | wc -l)" 2
check '  and nothing is left' within 10 no_ssh
port=$(random_port)
while port_answers "$port"; do
    port=$(random_port)
done
list "$(object name:h host:127.0.0.1 "port:$port" transport:openssh)"
refuses 'a host that does not answer' 'Connection refused'
check '  and nothing is left' within 10 no_ssh
entry "user:$(id -un)" transport:openssh password:secret
forbids 'a password is not for ssh' "key 'password' is of no use beside transport 'openssh'"
entry "user:$(id -un)" transport:telnet
forbids 'there are two' "key 'transport' is none of 'libssh', 'openssh'"
entry "user:$(id -un)" "key_file:$H/key" transport:openssh
mkdir "$H/bin"
check 'where no ssh is installed it says so' contains \
    "$(PATH=$H/bin "$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec h true 2>&1)" 'no ssh is installed here'

# A server that hangs, and whoever waits for it.
kill -STOP "$SSHD_PID"
entry "user:$(id -un)" "key_file:$H/key" transport:openssh connect_timeout:1
login
check 'a frozen server is given up' equal "$status" 255
check '  and nothing is left' within 10 no_ssh
kill -CONT "$SSHD_PID"
entry "user:$(id -un)" "key_file:$H/key" transport:openssh

# However it ends.
"$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec h "echo x >>'$H/ran'; echo ready; sleep $nap" \
    >"$H/out" 2>"$H/err" </dev/null &
ours=$!
check 'a command runs' within 20 grep -q ready "$H/out"
check 'over an ssh of ours' one_ssh
kill -KILL "$pid"
wait $ours
check 'an ssh that is killed on the way is a lost connection' equal "$?" 255
check '  and told' contains "$(cat "$H/err")" ': h: lost: '
check '  the command ran once' equal "$(cat "$H/ran")" x
check '  and is ended over there' within 10 no_nap
check '  and nothing is left' within 10 no_ssh
"$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec h "echo ready; sleep $nap" >"$H/out" 2>"$H/err" </dev/null &
ours=$!
check 'another runs' within 20 grep -q ready "$H/out"
kill -KILL $ours
wait $ours 2>/dev/null
check 'where we are killed ssh goes with us' within 10 no_ssh
check '  and so does what ran' within 10 no_nap

# Asked on the terminal by ssh itself, and a Ctrl-C that is not for it.
ssh-keygen -q -p -P '' -N secret -f "$H/key" >/dev/null
printf '%s\n' 'expect passphrase for key' 'send secret\r' 'expect ready' 'send \x03' 'expect cancel' \
    'status 130' >"$H/steps"
check 'ssh asks on the terminal, and a Ctrl-C ends what runs' sh -c '/usr/bin/python3 "$@" <"$0"' "$H/steps" \
    "$SBX_SOURCE/tests/cli/terminal.py" "$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec h \
    "echo ready; sleep $nap"
check '  all of it' within 10 no_nap
login
check 'without a terminal nothing is asked' contains "$err" 'Permission denied'
check '  and nothing is left' within 10 no_ssh
check_end
