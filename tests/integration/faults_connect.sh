# faults_connect.sh - hosts that cannot be reached, or are no SSH servers: one clear
# line within the deadline, and the word that nothing ran.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

# try SECONDS PLACE: `true` there; sets took (ms), status, and of the JSON end, executed,
# code, text, fix and explains, the doctor's check.
try() {
    printf '[{"name": "far", "host": "%s", "port": %s%s}]\n' "${2%:*}" "${2##*:}" \
        "${1:+, \"connect_timeout\": $1}" >"$SSHD_DIR/hosts"
    begin=$(date +%s%N)
    ${INSIDE-} timeout 60 "$SBX" --json -F "$SSHD_DIR/far_config" --config "$SSHD_DIR/hosts" \
        exec far true >"$SSHD_DIR/out" 2>"$SSHD_DIR/err"
    status=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    end=$(jq -r .end <"$SSHD_DIR/out")
    executed=$(jq -r .error.executed <"$SSHD_DIR/out")
    code=$(jq -r .error.code <"$SSHD_DIR/out")
    text=$(jq -r .error.text <"$SSHD_DIR/out")
    fix=$(jq -r .error.fix <"$SSHD_DIR/out")
    explains=$(jq -r .error.check <"$SSHD_DIR/out")
}

# fails SENTENCE SECONDS PLACE CODE TEXT: all of what a failed connection must say.
fails() {
    try "$2" "$3"
    check "$1" equal "$status $end $executed $code" "255 not_started no $4"
    check '... the text says why' contains "$text" "$5"
    check '... and names the place' contains "$text" "'far'"
    check '... and what mends it' test -n "$fix" -a "$fix" != null
    check "... and the doctor's check, '$explains'" grep -q "^    {\"$explains\", " \
        "$SBX_SOURCE/libsandbox/src/doctor/checks.c"
    check '... on one line' equal "$(jq -r .error.text <"$SSHD_DIR/out" | wc -l)" 1
    check "... in time ($took ms)" test "$took" -lt $(($2 * 1000 + 3000))
}

sshd_start
cat >"$SSHD_DIR/far_config" <<END
Host *
    User $(id -un)
    IdentityFile $SSHD_DIR/key
    IdentitiesOnly yes
    UserKnownHostsFile $SSHD_DIR/known
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking accept-new
END

# What listens here is no SSH server. Each line of standard output is "NAME PORT".
cat >"$SSHD_DIR/odd.py" <<'END'
import os, socket, sys, threading

def listen(address='127.0.0.1', port=0, backlog=16):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    s.listen(backlog)
    return s

def serve(name, talk):
    s = listen()
    print(name, s.getsockname()[1], flush=True)
    def run():
        while True:
            c, _ = s.accept()
            threading.Thread(target=guard, args=(talk, c), daemon=True).start()
    threading.Thread(target=run, daemon=True).start()

def guard(talk, c):
    try:
        talk(c)
    except OSError:
        pass
    c.close()

def silent(c):
    while c.recv(4096):
        pass

def garbage(c):
    c.sendall(bytes(range(256)) * 16)
    c.recv(4096)

def http(c):
    c.recv(64)
    c.sendall(b'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')

def flood(c):
    while True:
        c.sendall(b'no banner, only words\r\n' * 1000)

def endless(c):
    while True:
        c.sendall(b'x' * 65536)

def late(c):
    c.sendall(b'SSH-2.0-OpenSSH_9.2\r\n')
    silent(c)

def half(c):
    c.sendall(b'SSH-2.0-Open')
    silent(c)

def old(c):
    c.sendall(b'SSH-1.5-ancient\r\n')
    silent(c)

def badkex(c):
    c.sendall(b'SSH-2.0-OpenSSH_9.2\r\n' + b'\x7f\xff\xff\xff' + b'\x00' * 4096)
    silent(c)

for name, talk in (('silent', silent), ('garbage', garbage), ('http', http),
                   ('flood', flood), ('endless', endless), ('late', late),
                   ('half', half), ('old', old), ('badkex', badkex),
                   ('closes', lambda c: None)):
    serve(name, talk)
# A queue that is full drops every further SYN, as a firewall does.
hole = listen('127.0.0.2', int(sys.argv[1]), 0)
fill = []
for _ in range(4):
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(('127.0.0.2', int(sys.argv[1])))
    fill.append(s)
print('ready', flush=True)
sys.stdin.read()
END
mkfifo "$SSHD_DIR/odd_in" || exit 1
/usr/bin/python3 "$SSHD_DIR/odd.py" "$SSHD_PORT" <"$SSHD_DIR/odd_in" >"$SSHD_DIR/odd_out" &
exec 8>"$SSHD_DIR/odd_in"
check 'the odd servers stand' within 20 grep -q ready "$SSHD_DIR/odd_out"
port_of() { sed -n "s/^$1 //p" "$SSHD_DIR/odd_out"; }

try 10 "127.0.0.1:$SSHD_PORT"
check 'the right port answers' equal "$status $end" '0 exited'

free=$(random_port)
while port_answers "$free"; do free=$(random_port); done
fails 'a refused port' 5 "127.0.0.1:$free" SBX_ERR_CONNECT 'Connection refused'
check '... at once' test "$took" -lt 3000
fails 'an address that drops all' 1 "127.0.0.2:$SSHD_PORT" SBX_ERR_TIMEOUT 'no answer in time'
fails 'a name that is not there' 8 "no-such-name.invalid:$SSHD_PORT" SBX_ERR_CONNECT 'look up'
fails 'a host that says nothing' 1 "127.0.0.1:$(port_of silent)" SBX_ERR_TIMEOUT 'no answer in time'
fails 'a host that closes at once' 5 "127.0.0.1:$(port_of closes)" SBX_ERR_CONNECT 'exchange keys'
fails 'garbage for a banner' 3 "127.0.0.1:$(port_of garbage)" SBX_ERR_CONNECT 'exchange keys'
fails 'a web server' 3 "127.0.0.1:$(port_of http)" SBX_ERR_CONNECT 'exchange keys'
fails 'lines without end ahead of a banner' 2 "127.0.0.1:$(port_of flood)" SBX_ERR_TIMEOUT 'no answer in time'
fails 'a banner without end' 3 "127.0.0.1:$(port_of endless)" SBX_ERR_CONNECT 'exchange keys'
fails 'a banner and then silence' 1 "127.0.0.1:$(port_of late)" SBX_ERR_TIMEOUT 'no answer in time'
fails 'half a banner' 1 "127.0.0.1:$(port_of half)" SBX_ERR_TIMEOUT 'no answer in time'
fails 'a server of the first protocol' 3 "127.0.0.1:$(port_of old)" SBX_ERR_CONNECT 'exchange keys'
fails 'a packet of 2 GiB' 3 "127.0.0.1:$(port_of badkex)" SBX_ERR_CONNECT 'exchange keys'

echo '    ConnectTimeout 1' >>"$SSHD_DIR/far_config"
try '' "127.0.0.1:$(port_of silent)"
check "the ConnectTimeout of ssh_config holds ($took ms)" test "$took" -lt 4000
check '... and ends in a time-out' equal "$code" SBX_ERR_TIMEOUT

# A name of two addresses is one of a hosts file that only the program sees.
with_hosts() {
    unshare -m sh -c 'mount --bind "$0" /etc/hosts && exec "$@"' "$SSHD_DIR/etc_hosts" "$@"
}
printf '127.0.0.1 localhost alone.test\n127.0.0.2 both.test\n127.0.0.1 both.test\n' \
    >"$SSHD_DIR/etc_hosts"
# A name server that takes each question and answers none.
cat >"$SSHD_DIR/mute.py" <<'END'
import signal, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('127.0.0.53', 53))
print('ready', flush=True)
signal.pause()
END
with_mute_server() {
    unshare -n -m sh -c 'ip link set lo up && mount --bind "$0/resolv" /etc/resolv.conf &&
        mount --bind "$0/switch" /etc/nsswitch.conf || exit 1
        python3 "$0/mute.py" >"$0/mute_out" &
        mute=$!
        until grep -q ready "$0/mute_out"; do sleep 0.02; done
        "$@"
        status=$?
        kill $mute
        exit $status' "$SSHD_DIR" "$@"
}
echo 'nameserver 127.0.0.53' >"$SSHD_DIR/resolv"
echo 'hosts: files dns' >"$SSHD_DIR/switch"
INSIDE=with_mute_server
fails 'a name server that says nothing' 2 "slow.test:$SSHD_PORT" SBX_ERR_TIMEOUT "look up 'slow.test': no answer in time"
INSIDE=with_hosts
try 20 "alone.test:$SSHD_PORT"
alone=$took
check 'a name of one live address works' equal "$status" 0
try 20 "both.test:$SSHD_PORT"
check 'a name whose first address is dead works' equal "$status" 0
check "... and costs less than a second more ($alone and $took ms)" test "$took" -lt $((alone + 1000))
exec 8>&-
check_end
