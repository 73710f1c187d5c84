# scale.sh - what many hosts take: descriptors, threads, memory and time, as docs/scale.md
# has them.
#
#     sh tests/bench/scale.sh [MOST]      default: 200 hosts at once
#
# One server plays all hosts, so the time of the logins is its work as much as ours. Needs a
# build (SBX_BUILD, else build/gcc), and what run.sh needs.

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${SBX_BUILD:=$root/build/gcc}"
: "${SBX:=$SBX_BUILD/cli/sbx}"
TEST_SUPPORT=$root/tests/support
. "$TEST_SUPPORT/sshd.sh"
most=${1:-200}
[ -x "$SBX" ] || sshd_fail "'$SBX' is not built"
sshd_start 'MaxStartups 1000'
sshd_user bench /bin/sh
XDG_RUNTIME_DIR=$SSHD_DIR/run
XDG_STATE_HOME=$SSHD_DIR/state
export XDG_RUNTIME_DIR XDG_STATE_HOME
unset SBX_KEEPER
mkdir -m 700 "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME"
trap '"$SBX" keeper stop; sshd_cleanup' EXIT

# configured N: an ssh_config of so many hosts, h1 and on, all of them this server.
configured() {
    sed -n '/^Host bench$/,/^Host /p' "$SSHD_CONFIG" | sed '2,$ { /^Host/d }' >"$SSHD_DIR/one"
    awk -v count="$1" '{ lines[NR] = $0 } END {
        for (n = 1; n <= count; n++)
            for (i = 1; i <= NR; i++) print i == 1 ? "Host h" n : lines[i]
    }' "$SSHD_DIR/one" >"$SSHD_DIR/many"
}
now_ms() {
    echo $(($(date +%s%N) / 1000000))
}
# spent COMMAND...: milliseconds of it.
spent() {
    from=$(now_ms)
    "$@" >/dev/null 2>&1 || echo "failed: $*" >&2
    echo $(($(now_ms) - from))
}
status() {
    awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"
}

printf '%s\n' 'hosts configured: milliseconds of' ''
printf '%8s %10s %14s\n' hosts 'host ls' 'exec local'
for count in 10 100 1000 10000; do
    configured $count
    printf '%8s %10s %14s\n' $count "$(spent "$SBX" -F "$SSHD_DIR/many" host ls)" \
        "$(spent "$SBX" -F "$SSHD_DIR/many" exec local true)"
done

# The keeper logs in one behind another, the commands run 64 at a time.
configured 1000
printf '\n%s\n\n' 'hosts at once, of 1000 configured: a keeper, and a command on all over it'
printf '%6s %9s %12s %8s %8s %8s %9s\n' hosts 'login ms' 'command ms' fds threads 'MB' 'sshd MB'
for count in 1 10 50 100 200; do
    [ $count -le "$most" ] || continue
    hosts=$(seq -f 'h%g' $count)
    logins=$(spent "$SBX" -F "$SSHD_DIR/many" keeper run -b $hosts)
    keeper=$("$SBX" -F "$SSHD_DIR/many" --json keeper status h1 | sed 's/.*"pid":\([0-9]*\).*/\1/')
    command=$(spent "$SBX" -F "$SSHD_DIR/many" exec "$(echo $hosts | tr ' ' ,)" true)
    servers=$(ps -eo args,rss | awk -v user="$SSHD_USER" '/^sshd: / && index($0, user) { sum += $NF } END { printf "%d", sum / 1024 }')
    printf '%6s %9s %12s %8s %8s %8s %9s\n' $count "$logins" "$command" \
        "$(ls "/proc/$keeper/fd" | wc -l)" "$(status "$keeper" Threads)" \
        "$(status "$keeper" VmRSS | awk '{ printf "%.1f", $1 / 1024 }')" "$servers"
    "$SBX" keeper stop
done
