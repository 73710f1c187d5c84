# sync_faults.sh - killed at any instant, on either side, or cut from one another: each
# file is the old or the new one, and the sync after that ends with equal trees.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"

T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
real=$SSHD_PORT
proxy_sshd
SSHD_PORT=$real
cd "$T" || exit 1

# Two states of one tree: every file is all a's, or all b's.
fill() {
    mkdir -p "$1/d1/d2" "$1/d3"
    for n in $(seq 15); do
        for d in . d1 d1/d2 d3; do
            head -c $((n * 3000)) /dev/zero | tr '\0' "$2" >"$1/$d/f$n"
        done
    done
    head -c 3000000 /dev/zero | tr '\0' "$2" >"$1/large"
}
fill old a
fill new b
find new -type f -exec touch -d @1700000000 {} +

sums() {
    (cd "$1" && find . -path ./.sbx-sync -prune -o -type f -exec sha256sum {} +)
}
sums old >sums
sums new >>sums

# Each file is there, and is one of the two.
whole() {
    sums "$1" >found
    ! grep -vxFf sums found && [ "$(wc -l <found)" = 61 ]
}

start() {
    rm -rf there here
    cp -a old there && cp -a old here
    if [ "$way" = push ]; then
        setsid "$SBX" -F "$SSHD_CONFIG" sync push new "t:$T/there" >"$T/out" 2>&1 </dev/null &
    else
        setsid "$SBX" -F "$SSHD_CONFIG" sync pull "t:$T/new" here >"$T/out" 2>&1 </dev/null &
    fi
    client=$!
}

# The session processes of sshd, and what they started.
sessions() {
    for pid in $(cat "/proc/$SSHD_PID/task/$SSHD_PID/children"); do process_tree "$pid"; done
}

fault() {
    case $1 in
    client) kill -KILL "$client" ;;
    server) kill -KILL $(sessions) ;;
    line) proxy_say cut ;;
    esac 2>/dev/null
}

nothing_runs() {
    [ -z "$(sessions)" ]
}

for way in push pull; do
    target=there
    [ "$way" = push ] || target=here
    for who in client server line; do
        for wait in 0.4; do
            start
            sleep "$wait" # when it strikes is what differs, not what must hold
            fault "$who"
            wait "$client" 2>/dev/null
            within 20 nothing_runs || true
            check "$way, $who gone after $wait s: each file is old or new" whole "$target"
            if [ "$way" = push ]; then
                "$SBX" -F "$SSHD_CONFIG" sync push new "t:$T/there" >"$T/out" 2>&1
            else
                "$SBX" -F "$SSHD_CONFIG" sync pull "t:$T/new" here >"$T/out" 2>&1
            fi
            check 'and the next sync ends with equal trees' \
                diff -r --exclude=.sbx-sync new "$target"
        done
    done
done

start
sleep 0.3
kill -TERM "$client"
begin=$(date +%s%N)
wait "$client"
check 'a signal ends it within a moment, as cancelled or done' test "$(($(date +%s%N) - begin))" -lt 5000000000
check 'and leaves each file whole' whole here

if [ "$(id -u)" = 0 ]; then
    mkdir full && mount -t tmpfs -o size=1m tmpfs full
    head -c 3000000 /dev/urandom >new/large
    "$SBX" -F none sync push new "local:$T/full/x" >"$T/out" 2>&1
    check 'a full disk over there is told' equal "$?" 255
    check 'by its name' contains "$(cat "$T/out")" 'no space left on device'
    check 'and nothing is left on it' equal "$(find full -type f | wc -l)" 0
    "$SBX" -F none sync pull "local:$T/new" full/y >"$T/out" 2>&1
    check 'a full disk here too' equal "$?" 255
    check 'by its name' contains "$(cat "$T/out")" 'no space left on device'
    check 'and what came is whole' test -z "$(cd full/y && find . -type f | while read -r f; do cmp -s "$f" "$T/new/$f" || echo "$f"; done)"
    umount full
fi
proxy_stop
check_end
