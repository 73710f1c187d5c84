# forward.sh - ports here that lead over there, the other way round, and SOCKS.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
XDG_RUNTIME_DIR=$T/run
export XDG_RUNTIME_DIR
mkdir -m 700 "$T/run"
sshd_start
trap '"$SBX" forward stop; [ -z "$ECHO" ] || kill $ECHO; sshd_cleanup; rm -rf "$T"' EXIT
set -- -F "$SSHD_CONFIG"

# Says what it was sent, with a word in front, once it was sent all of it.
cat >"$T/echo.py" <<'END'
import socket, sys, threading
def serve(listener):
    while True:
        at, _ = listener.accept()
        threading.Thread(target=answer, args=(at,), daemon=True).start()
def answer(at):
    got = bytearray(b"heard ")
    while piece := at.recv(65536):
        got += piece
    at.sendall(got)
    at.close()
tcp = socket.create_server(("127.0.0.1", 0))
unix = socket.socket(socket.AF_UNIX)
unix.bind(sys.argv[1])
unix.listen(64)
threading.Thread(target=serve, args=(unix,), daemon=True).start()
print(tcp.getsockname()[1], flush=True)
serve(tcp)
END
cat >"$T/ask.py" <<'END'
import socket, sys
where, word = sys.argv[1:]
at = socket.socket(socket.AF_UNIX) if where[0] == "/" else socket.socket()
at.settimeout(30)
at.connect(where if where[0] == "/" else ("127.0.0.1", int(where)))
at.sendall(word.encode())
at.shutdown(socket.SHUT_WR)
said = b""
while piece := at.recv(65536):
    said += piece
print(said.decode())
END
/usr/bin/python3 "$T/echo.py" "$T/far.sock" >"$T/echo" &
ECHO=$!
check 'something listens' within 10 test -s "$T/echo"
PORT=$(cat "$T/echo")

ask() {
    timeout 40 /usr/bin/python3 "$T/ask.py" "$@" 2>/dev/null
}
# open ARGS...: behind the scenes; OPEN is the port of each, in order.
open() {
    run "$@"
    OPEN=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$T/out" | tr '\n' ' ' | sed 's/ $//')
}
free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
# listed TEXT: a line of `forward ls` has it.
listed() {
    "$SBX" forward ls | grep -q -- "$1"
}
none_listed() {
    [ -z "$("$SBX" forward ls)" ]
}

open "$@" forward -b --json t "0:127.0.0.1:$PORT" -L "$T/here.sock:127.0.0.1:$PORT" \
    -L "0:$T/far.sock" -L "$T/both.sock:$T/far.sock"
check 'four at once go behind the scenes' equal "$status $(wc -l <"$T/out")" '0 4'
# shellcheck disable=SC2086
set -- "$@" $OPEN
check 'a port here leads to a port there' equal "$(ask "$3" one)" 'heard one'
check 'by IPv6, too' equal "$(/usr/bin/python3 -c "
import socket
at = socket.create_connection(('::1', $3)); at.sendall(b'six'); at.shutdown(socket.SHUT_WR)
print(at.recv(99).decode())")" 'heard six'
check 'a socket here leads to a port there' equal "$(ask "$T/here.sock" two)" 'heard two'
check 'it is for us alone' equal "$(stat -c %a "$T/here.sock")" 600
check 'a port here leads to a socket there' equal "$(ask "$4$5" three)" 'heard three'
check 'a socket here leads to a socket there' equal "$(ask "$T/both.sock" four)" 'heard four'
head -c 20000000 /dev/urandom | base64 -w 0 >"$T/in"
/usr/bin/python3 - "$3" "$T/in" >"$T/back" <<'END'
import socket, sys, threading
at = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def send():
    at.sendall(open(sys.argv[2], "rb").read())
    at.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
while piece := at.recv(65536):
    sys.stdout.buffer.write(piece)
END
check '26 MB go there and come back' sh -c '{ printf "heard "; cat "$0"; } | cmp - "$1"' "$T/in" "$T/back"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    ask "$3" "$i" >"$T/many.$i" &
    asked="$asked $!"
done
wait $asked
check 'twenty at once get each its own answer' equal "$(cat "$T"/many.* | sort -k2n | tr -d '\n')" \
    "$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf 'heard %s' $i; done)"
check 'they are listed' listed "127.0.0.1:$3 -> 127.0.0.1:$PORT on t"
check 'and that they are up, with nothing open' within 10 listed '  up       0  '
before=$("$SBX" forward ls | wc -l)
run -F "$SSHD_CONFIG" forward t "$3:127.0.0.1:$PORT"
check 'a port that is taken is refused' equal "$status $(cat "$T/err")" \
    "2 $program: forward '$3:127.0.0.1:$PORT' on 't': listen on 'localhost:$3': Address already in use
$program: try: take another port, or 0 for any that is free"
check 'and costs the others nothing' equal "$("$SBX" forward ls | wc -l) $(ask "$3" still)" "$before heard still"
run -F "$SSHD_CONFIG" forward t "$T/here.sock:127.0.0.1:$PORT"
check 'so is a socket that is answered at' equal "$status" 2
run -F "$SSHD_CONFIG" forward t "$T/echo:127.0.0.1:$PORT"
check 'and a file' contains "$err" 'a file that is no socket is there'

# The connection breaks behind it, and the server goes and comes back.
for pid in $(pgrep -P "$SSHD_PID"); do
    end_tree "$pid"
done
check 'after a broken connection the next one is made anew' equal "$(ask "$3" again)" 'heard again'
sshd_stop
check 'it is known to be down' within 20 listed '  down  '
ask "$3" waits >"$T/waits" &
waits=$!
sshd_start
wait $waits
check 'what came meanwhile was carried once the server was back' equal "$(cat "$T/waits")" 'heard waits'
check 'and all is up again' within 20 listed '  up  '

run forward stop nosuch
check 'what is not there cannot be stopped' equal "$status $err" "1 $program: nosuch: no forward of that"
run forward stop "127.0.0.1:$3"
check 'it ends by what it listens on' equal "$status" 0
check 'with all of its forwards' none_listed
check 'its sockets are gone' test ! -e "$T/here.sock" -a ! -e "$T/both.sock"
check 'its port is free' equal "$(ask "$3" gone)" ''
set -- -F "$SSHD_CONFIG"

# SOCKS, by a client that has it.
open "$@" forward -b --json t -D 0
check 'a SOCKS proxy is opened' equal "$status" 0
mkdir "$T/www"
echo page >"$T/www/page"
(cd "$T/www" && exec /usr/bin/python3 -u -m http.server --bind 127.0.0.1 0 >"$T/http" 2>&1) &
HTTP=$!
within 10 grep -q port "$T/http"
http=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$T/http")
for version in 4 4a 5 5h; do
    check "socks$version reaches a page" equal \
        "$(curl -s -m 20 --proxy "socks$version://127.0.0.1:$OPEN" "http://127.0.0.1:$http/page")" page
done
check 'a name is looked up over there' equal \
    "$(curl -s -m 20 --proxy "socks5h://127.0.0.1:$OPEN" "http://localhost:$http/page")" page
closed=$(free_port)
curl -s -m 20 --proxy "socks5h://127.0.0.1:$OPEN" "http://127.0.0.1:$closed/" >/dev/null
check 'what nothing answers at is refused' test $? -eq 97
check 'and noted' listed "127.0.0.1:$closed"
kill $HTTP
run forward stop t
check 'it ends by its place' equal "$status" 0

# From over there to here.
open "$@" forward -b --json t -R "0:127.0.0.1:$PORT" -R "0:$T/far.sock"
check 'ports over there lead here' equal "$status" 0
# shellcheck disable=SC2086
set -- "$@" $OPEN
check 'one to a port' equal "$(ask "$3" five)" 'heard five'
check 'one to a socket' equal "$(ask "$4" six)" 'heard six'
for i in 1 2 3 4 5 6 7 8; do
    ask "$3" "$i" >"$T/many.$i" &
    waits="$waits $!"
done
wait $waits
check 'eight at once get each its own answer' equal \
    "$(cat "$T"/many.[1-8] | sort -k2n | tr -d '\n')" 'heard 1heard 2heard 3heard 4heard 5heard 6heard 7heard 8'
for pid in $(pgrep -P "$SSHD_PID"); do
    end_tree "$pid"
done
comes_back() {
    [ "$(ask "$1" again)" = 'heard again' ]
}
check 'after a broken connection it is listened on again, by itself' within 30 comes_back "$3"
run -F "$SSHD_CONFIG" forward t -R "$3:127.0.0.1:$PORT"
check 'a port that is taken over there is refused' contains "$err" "the server does not listen on port $3 for us"
run forward stop
check 'all end where none is named' equal "$status" 0
check 'and the port over there is free' equal "$(ask "$3" gone)" ''
set -- -F "$SSHD_CONFIG"

# In the foreground, until a signal.
"$SBX" "$@" forward t "0:127.0.0.1:$PORT" >"$T/out" 2>"$T/err" &
front=$!
check 'in the foreground it says what leads where' within 20 grep -q "on t" "$T/out"
port=$(sed -n 's/127.0.0.1:\([0-9]*\) .*/\1/p' "$T/out")
check 'and works' equal "$(ask "$port" seven)" 'heard seven'
kill -TERM $front
wait $front
check 'a signal ends it well' equal "$? $(cat "$T/err")" '0 '
open "$@" forward -b --json t "0:127.0.0.1:$PORT"
kill -KILL $("$SBX" forward ls --json | sed 's/{"pid":\([0-9]*\),.*/\1/')
check 'one that was killed is listed no more' within 10 none_listed

# Words that are none, and places without a server.
refuses 'a text that is none is refused before anything' "'8080' is no forward of that kind" \
    "$@" forward t 8080
refuses 'a port is one' "'80800:h:1' is no forward of that kind" "$@" forward t 80800:h:1
refuses 'so is nothing to do' 'nothing to forward given: PORT:HOST:HOSTPORT, -R or -D' "$@" forward t
run "$@" forward local 0:localhost:80
check 'this machine is none to forward to' contains "$err" 'it is this machine itself'

# A server that lets nothing through.
sshd_stop
sshd_start 'AllowTcpForwarding no' 'AllowStreamLocalForwarding no'
"$SBX" "$@" forward t "0:127.0.0.1:$PORT" >"$T/out" 2>"$T/err" &
front=$!
within 20 grep -q "on t" "$T/out"
port=$(sed -n 's/127.0.0.1:\([0-9]*\) .*/\1/p' "$T/out")
check 'where it is forbidden the client is hung up on' equal "$(ask "$port" eight)" ''
check 'and one line says so, with the setting' within 10 grep -q \
    "forward 127.0.0.1:$port to '127.0.0.1:$PORT' on 't': it lets no connection through to there: .*; try: AllowTcpForwarding yes" \
    "$T/err"
ask "$port" nine
kill -TERM $front
wait $front
check 'once, however often it is met' equal "$(wc -l <"$T/err")" 1
run "$@" forward t -R "0:127.0.0.1:$PORT"
check 'a port over there is refused at once' equal "$status" 255
check 'with the setting' contains "$err" 'AllowTcpForwarding yes, and a PermitListen'
check_end
