# ways_proxy.sh - proxies, proxy commands and sockets lead to a host, or say why not.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start
sshd_user u /bin/sh
. "$TEST_SUPPORT/login.sh"
ssh_config "User $SSHD_USER" "IdentityFile $SSHD_DIR/key" 'IdentitiesOnly yes'

# proxy HOW: starts one, its port in PROXY.
PROXIES=
proxy() {
    rm -f "$SSHD_DIR/proxy_out" "$SSHD_DIR/proxy_in"
    mkfifo "$SSHD_DIR/proxy_in" || exit 1
    python3 "$TEST_SUPPORT/proxy_server.py" "$1" <"$SSHD_DIR/proxy_in" >"$SSHD_DIR/proxy_out" &
    LOGIN_AGENTS="$LOGIN_AGENTS $!"
    exec 6>"$SSHD_DIR/proxy_in"
    within 20 test -s "$SSHD_DIR/proxy_out" || sshd_fail 'the proxy does not start'
    PROXY=$(cat "$SSHD_DIR/proxy_out")
}

in_time() {
    begin=$(date +%s%N)
    "$@"
    elapsed=$((($(date +%s%N) - begin) / 1000000))
    check "  in time ($elapsed ms)" test "$elapsed" -lt 4000
}

proxy open
for kind in socks5 http; do
    entry "jump:$kind://127.0.0.1:$PROXY"
    lets_in "an open $kind proxy"
    list "$(object name:h host:localhost "port:$SSHD_PORT" "jump:$kind://127.0.0.1:$PROXY")"
    lets_in "a $kind proxy that looks the name up"
    list "$(object name:h host:127.0.0.1 port:1 "jump:$kind://127.0.0.1:$PROXY")"
    refuses "a $kind proxy that cannot reach the host" \
        "reach '127.0.0.1' port 1 through the proxy '127.0.0.1' port $PROXY"
    list "$(object name:h host:127.0.0.1 "port:$SSHD_PORT" "jump:$kind://127.0.0.1:$PROXY,mid")" \
        "$(object name:mid host:127.0.0.1 "port:$SSHD_PORT")"
    lets_in "a $kind proxy before a jump host"
    list "$(object name:h host:127.0.0.1 "port:$SSHD_PORT" "jump:$kind://127.0.0.1:1")"
    refuses "a $kind proxy that is not there" "connect to '127.0.0.1' port 1"
done
head -c 20000000 /dev/urandom >"$SSHD_DIR/big"
entry "jump:socks5://127.0.0.1:$PROXY"
"$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec --stdin h cat <"$SSHD_DIR/big" >"$SSHD_DIR/back"
check '20 MB pass through it unchanged' cmp "$SSHD_DIR/big" "$SSHD_DIR/back"

proxy login
for kind in socks5 http; do
    entry "jump:$kind://us%20er:p%40:ss@127.0.0.1:$PROXY"
    lets_in "a $kind proxy that wants a login"
    entry "jump:$kind://us%20er:wrong@127.0.0.1:$PROXY"
    refuses "a wrong password for a $kind proxy" 'it refuses the user or the password'
    check '  which is not shown' sh -c '! grep -q wrong "$1"' - "$SSHD_DIR/err"
    "$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" --json host show h >"$SSHD_DIR/out" 2>&1
    check '  nor by host show' sh -c '! grep -q wrong "$1" && grep -q "us%20er:\*\*\*@" "$1"' - "$SSHD_DIR/out"
    entry "jump:$kind://127.0.0.1:$PROXY"
    refuses "no password for a $kind proxy" 'it wants a user and a password' 'USER:PASSWORD@'
done
entry "jump:socks5://u:p@127.0.0.1:$PROXY"
chmod 644 "$LOGIN_LIST"
forbids 'a list with the password of a proxy that all may read' chmod

for how in refuse silent garbage; do
    proxy $how
    for kind in socks5 http; do
        entry connect_timeout:2 "jump:$kind://127.0.0.1:$PROXY"
        in_time refuses "a $kind proxy that is $how" 'through the proxy'
    done
done
entry 'jump:ftp://127.0.0.1:1'
forbids 'what is no proxy' "neither socks5:// nor http://"
entry 'jump:mid,socks5://127.0.0.1:1'
forbids 'a proxy behind a jump host' "key 'jump'"

# Proxy commands.
command() {
    ssh_config "User $SSHD_USER" "IdentityFile $SSHD_DIR/key" 'IdentitiesOnly yes' \
        "ProxyCommand $1"
}
none_runs() {
    [ -z "$(ps -eo stat=,args= | grep -v '^Z' | grep -F "$1" | grep -v grep)" ]
}
nap=1000.$(date +%s)
entry
command 'nc %h %p'
lets_in 'a command that leads there'
command 'exec 3<&0; nc %h %p <&3 & wait'
lets_in 'one that does so in the background'
command "nc %h %p; sleep $nap"
lets_in 'one that goes on behind the connection'
check '  nothing of it is left' none_runs "sleep $nap"
entry connect_timeout:2
command 'exit 7'
in_time refuses 'one that ends at once' "ProxyCommand 'exit 7' ended: status 7"
command 'no-such-command %h'
in_time refuses 'one that is not there' 'status 127' 'not installed'
command 'kill -KILL $$'
in_time refuses 'one that is killed' 'signal 9'
command "sleep $nap"
in_time refuses 'one that hangs' "ProxyCommand 'sleep $nap' runs, and no server answers"
check '  nothing of it is left' none_runs "sleep $nap"
command "trap '' HUP; sleep $nap; sleep $nap"
in_time refuses 'one that hangs and does not hear a hang-up' 'no server answers'
check '  nothing of it is left' none_runs "sleep $nap"
command 'echo this is no server; sleep 1'
in_time refuses 'one that leads to something else' ProxyCommand

# A socket and IPv6.
ssh_config "User $SSHD_USER" "IdentityFile $SSHD_DIR/key" 'IdentitiesOnly yes'
nc -lkU "$SSHD_DIR/socket" >/dev/null 2>&1 </dev/null &
quiet=$!
within 10 test -S "$SSHD_DIR/socket"
list "$(object name:h connect_timeout:1 "host:unix:$SSHD_DIR/socket")"
in_time refuses 'a socket behind which nobody answers' 'no answer in time'
kill "$quiet"
rm -f "$SSHD_DIR/socket"
refuses 'a socket that is not there' "connect to the socket '$SSHD_DIR/socket'"
cat >"$SSHD_DIR/listen.py" <<END
import os, socket, subprocess, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
while True:
    client = listener.accept()[0]
    subprocess.Popen(["nc", "127.0.0.1", sys.argv[2]], stdin=client, stdout=client)
    client.close()
END
python3 "$SSHD_DIR/listen.py" "$SSHD_DIR/socket" "$SSHD_PORT" &
LOGIN_AGENTS="$LOGIN_AGENTS $!"
within 10 test -S "$SSHD_DIR/socket"
list "$(object name:h "host:unix:$SSHD_DIR/socket")"
lets_in 'a host behind a socket on this machine'
check '  known by the name of its entry' grep -q '^h ssh-' "$SSHD_DIR/known"
check_end
