# support_selftest.sh - the servers, users and faulty lines that other tests stand on work.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"

on() {
    host=$1
    shift
    timeout 20 ssh -F "$SSHD_CONFIG" -o BatchMode=yes "$@" "$host" "$COMMAND" </dev/null 2>"$SSHD_DIR/err"
}

milliseconds() {
    begin=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - begin) / 1000000))
}

# The proxy in one session of ssh, which stays up while the line is played with.
via_proxy() {
    on sh -p "$PROXY_PORT" -o ServerAliveInterval=0 "$@"
}

sshd_start 'ClientAliveInterval 0'
sshd_user sh /bin/sh
sshd_user fish "$(command -v fish)"

COMMAND='echo hello; exit 3'
output=$(on sh)
check 'a user logs in with the key and a command ends with its code' equal "$output $?" 'hello 3'
COMMAND='echo $FISH_VERSION | count'
check 'a user has the login shell that was asked for' equal "$(on fish)" 1
COMMAND='ls -A ~ | tr "\n" " "'
check 'a home is bare but for the key' equal "$(on sh)" '.ssh '
COMMAND=true
check 'whoever runs the tests logs in as t' on t
check 'sftp works' sh -c "echo pwd | sftp -q -b - -F '$SSHD_CONFIG' sh >/dev/null"

dropbear_start
tinysshd_start
COMMAND='echo hello'
check 'dropbear lets the user in' equal "$(on sh.dropbear)" hello
check 'tinysshd lets the user in' equal "$(on sh.tinysshd)" hello

COMMAND='sleep 1000'
on sh -v &
client=$!
session_runs() { [ -n "$(processes_of "$(sed -n 's/^sh //p' "$SSHD_DIR/users")")" ]; }
check 'a session runs' within 10 session_runs
port=$SSHD_PORT
sshd_stop
wait "$client" 2>/dev/null
check 'no session is left when the server was stopped' is_gone "$client"
COMMAND=true
on sh -o ConnectTimeout=5
check 'a stopped server refuses' contains "$(cat "$SSHD_DIR/err")" refused

busybox_root
sshd_start 'Match User sbxt*' "ChrootDirectory $BUSYBOX_ROOT"
check 'a server comes back on its port' equal "$SSHD_PORT" "$port"
COMMAND='readlink /bin/ls; ls -d /usr; sed -n s/Name://p /proc/self/status'
check 'a chroot has BusyBox and nothing else' equal "$(on sh | tr '\n' ' ')" '/bin/busybox 	sed '
sshd_stop
sshd_start

proxy_start "$SSHD_PORT"
COMMAND='head -c 33554432 /dev/zero'
check 'a line through the proxy is whole' equal "$(via_proxy | wc -c)" 33554432
proxy_say delay 50
COMMAND=true
time=$(milliseconds via_proxy)
check "a delay is felt, at least five round trips ($time ms)" test "$time" -ge 500
proxy_say count
check 'the proxy counts connections' equal "${PROXY_ANSWER%% *}" 2
proxy_say delay 0

COMMAND='echo started; sleep 1000'
has_started() { grep -q started "$SSHD_DIR/out"; }
: >"$SSHD_DIR/out"
via_proxy >"$SSHD_DIR/out" &
client=$!
check 'a command runs through the proxy' within 10 has_started
proxy_say cut
wait "$client"
check 'a cut line ends the client with 255' equal $? 255
COMMAND=true
proxy_say refuse
via_proxy
check 'a refused line is refused' contains "$(cat "$SSHD_DIR/err")" refused
proxy_say heal
check 'a healed line works' via_proxy

proxy_say blackhole
via_proxy -o ConnectTimeout=1
check 'nothing comes through a black hole' contains "$(cat "$SSHD_DIR/err")" 'imed out'
proxy_say heal
check 'and all comes after it' via_proxy

# The line is read by bash, whose error tells a reset from an end.
LC_ALL=C bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1"; read -r line <&3; echo "$line"; read -r line <&3' \
    - "$PROXY_PORT" >"$SSHD_DIR/out" 2>"$SSHD_DIR/err" &
client=$!
has_banner() { grep -q SSH-2 "$SSHD_DIR/out"; }
check 'the banner comes through' within 10 has_banner
proxy_say cut
wait "$client"
check 'a cut is a reset' contains "$(cat "$SSHD_DIR/err")" reset
proxy_stop

users=$(cut -d ' ' -f 2 "$SSHD_DIR/users")
folder=$SSHD_DIR
server=$SSHD_PID
sshd_cleanup
check 'the folder is gone' test ! -e "$folder"
check 'the server is gone' is_gone "$server"
for user in $users; do
    check 'the user is gone' test -z "$(getent passwd "$user")"
done

has_ready() { grep -q '^ready$' "$folder.out"; }
mkfifo "$folder.in" || exit 1
sh "$TEST_SUPPORT/places.sh" sh:plain:/bin/sh <"$folder.in" >"$folder.out" &
served=$!
exec 8>"$folder.in"
check 'a program can have it served' within 20 has_ready
. "$folder.out" 2>/dev/null
COMMAND='echo hello'
check 'and log in there' equal "$(timeout 20 ssh -F "$SSHD_CONFIG" sh 'echo hello')" hello
exec 8>&-
wait "$served"
check 'all of it ends with the pipe' test ! -e "$SSHD_DIR"
rm -f "$folder.in" "$folder.out"
SSHD_DIR=
check_end
