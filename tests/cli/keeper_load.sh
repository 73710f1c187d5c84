# keeper_load.sh - a keeper and its clients: two users, waves of clients, one keeper that
# takes the place of another while they run.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/keeper.sh"
keeper_lab
sshd_user other /bin/sh

keep() {
    "$SBX" -F "$SSHD_CONFIG" keeper run -b t
    told=$("$SBX" -F "$SSHD_CONFIG" --json keeper status t)
    SOCKET=$(echo "$told" | sed 's/.*"socket":"\([^"]*\)".*/\1/')
    KEEPER=$(echo "$told" | sed 's/.*"pid":\([0-9]*\),.*/\1/')
}
as_other() {
    as_root setpriv --reuid "$SSHD_USER" --regid "$SSHD_USER" --clear-groups "$@"
}
# What a socket says to a hello, and to whom it is that connects.
cat >"$T/hello.py" <<'END'
import socket, sys
at = socket.socket(socket.AF_UNIX)
at.settimeout(10)
try:
    at.connect(sys.argv[1])
    at.sendall(bytes.fromhex("00000008" "00000001" "00000004"))
    print("heard", len(at.recv(100)))
except OSError as fault:
    print(type(fault).__name__)
END
# Listens, and writes down the length of whatever is said to it.
cat >"$T/listen.py" <<'END'
import os, socket, sys
at = socket.socket(socket.AF_UNIX)
at.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
at.listen(8)
print("listens", flush=True)
while True:
    peer, _ = at.accept()
    peer.settimeout(5)
    heard = peer.recv(100)
    print("heard", len(heard), flush=True)
    peer.close()
END
chmod 755 "$T"
chmod 644 "$T"/*.py

keep
check 'we are answered' equal "$(/usr/bin/python3 "$T/hello.py" "$SOCKET")" 'heard 12'
check 'another user does not reach the socket' equal \
    "$(as_other /usr/bin/python3 "$T/hello.py" "$SOCKET")" PermissionError
chmod 755 "$T/run" "$T/run/sbx" "$T/run/sbx/keeper"
chmod 666 "$SOCKET"
answer=$(as_other /usr/bin/python3 "$T/hello.py" "$SOCKET")
check 'nor is answered where the folders have been opened' sh -c \
    'case $0 in "heard 0" | ConnectionResetError | BrokenPipeError) ;; *) echo "$0"; exit 1 ;; esac' "$answer"
chmod 700 "$T/run" "$T/run/sbx" "$T/run/sbx/keeper"
chmod 600 "$SOCKET"
check 'and we still are' equal "$(/usr/bin/python3 "$T/hello.py" "$SOCKET")" 'heard 12'
"$SBX" keeper stop
chmod 777 "$T/run/sbx/keeper"
chmod 711 "$T/run" "$T/run/sbx"
as_other /usr/bin/python3 "$T/listen.py" "$SOCKET" >"$T/theirs" &
theirs=$!
check 'another user listens in the place of ours' within 10 grep -q listens "$T/theirs"
run -F "$SSHD_CONFIG" -v exec t 'echo direct'
check 'it is passed by' equal "$out $status" 'direct 0'
check 'by its owner' contains "$err" "user $(id -u "$SSHD_USER") has it"
check 'and is told nothing' sh -c '! grep -q "heard [1-9]" "$0"' "$T/theirs"
kill $theirs
wait $theirs 2>/dev/null
rm -f "$SOCKET"
chmod 700 "$T/run" "$T/run/sbx" "$T/run/sbx/keeper"

# Waves of clients.
descriptors() {
    ls "/proc/$KEEPER/fd" | wc -l
}
threads() {
    ls "/proc/$KEEPER/task" | wc -l
}
as_before() {
    [ "$(descriptors)" -le "$1" ] && [ "$(threads)" -le "$2" ]
}
# All are at work before any may end: the keeper has as many connections as it will need.
wave() {
    clients=
    for i in $(seq "$1" "$2"); do
        "$SBX" -F "$SSHD_CONFIG" exec t "echo >>$T/began.$1; until [ -e $T/go.$1 ]; do sleep 0.1; done; echo $i" >"$T/wave.$i" 2>"$T/wave_err.$i" </dev/null &
        clients="$clients $!"
    done
    within 60 all_began "$1"
    touch "$T/go.$1"
    wait $clients
}
all_began() {
    [ "$(wc -l <"$T/began.$1")" = 50 ]
}
# From its second run on a connection has a warden, and a supervisor that is ready.
keep
wave 1 50
wave 51 100
check 'they are all served' within 20 as_before 80 20
fds=$(descriptors)
tasks=$(threads)
for i in 101 151; do
    wave $i $((i + 49))
done
check 'two hundred clients in four waves get each its own answer' equal \
    "$(for i in $(seq 200); do cat "$T/wave.$i"; done | tr '\n' ' ')" "$(seq 200 | tr '\n' ' ')"
check 'and no complaint' equal "$(cat "$T"/wave_err.*)" ''
check "then the keeper has no more descriptors and threads than before ($fds, $tasks)" within 20 as_before "$fds" "$tasks"

# Replaced under load.
client() {
    for round in 1 2 3 4 5 6; do
        "$SBX" -F "$SSHD_CONFIG" exec t "echo $1.$round >>'$T/ran'; sleep .1; echo $1.$round" \
            >"$T/got.$1.$round" 2>"$T/got_err.$1.$round" </dev/null
        echo $? >"$T/got_status.$1.$round"
    done
}
: >"$T/ran"
clients=
for i in 1 2 3 4 5 6 7 8; do
    client $i &
    clients="$clients $!"
done
first=$KEEPER
ran() {
    [ "$(wc -l <"$T/ran")" -ge "$1" ]
}
check 'they are at work' within 60 ran 8
"$SBX" keeper stop
keep
check 'and go on' within 60 ran 24
kill -KILL "$KEEPER"
keep
wait $clients
check 'another keeper has the place' test "$KEEPER" -ne "$first"
check 'no command ran twice' equal "$(sort "$T/ran" | uniq -d)" ''
whole() {
    for i in 1 2 3 4 5 6 7 8; do
        for round in 1 2 3 4 5 6; do
            case $(cat "$T/got_status.$i.$round") in
            0) [ "$(cat "$T/got.$i.$round")" = "$i.$round" ] && grep -qx "$i.$round" "$T/ran" ;;
            255) grep -q ': lost: ' "$T/got_err.$i.$round" ;;
            *) false ;;
            esac || {
                cat "$T/got_status.$i.$round" "$T/got.$i.$round" "$T/got_err.$i.$round"
                return 1
            }
        done
    done
}
check 'each got its own answer, or was told that it is lost' whole
check 'most were served' test "$(cat "$T"/got_status.* | grep -c '^0$')" -ge 30
check_end
