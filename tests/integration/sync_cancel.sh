# sync_cancel.sh - a sync that is cancelled ends at once, on a line that lives and on
# one that is dead, and leaves no process behind.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"

T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
proxy_sshd
cd "$T" || exit 1
mkdir a
head -c 60000000 /dev/urandom >a/large

# More than so many bytes have gone that way since the start.
carried() {
    proxy_say count
    set -- "$1" $PROXY_ANSWER
    if [ "$1" = push ]; then test $(($3 - up)) -gt 3000000; else test $(($4 - down)) -gt 3000000; fi
}

# It stands still in the middle, so that it is certainly not over by itself.
for way in push pull; do
    if [ $way = push ]; then set -- a t:$T/there; else set -- t:$T/a here; fi
    proxy_say count
    set -- "$@" $PROXY_ANSWER
    up=$4 down=$5
    if [ $way = push ]; then proxy_say after up 4000000 blackhole; else proxy_say after down 4000000 blackhole; fi
    setsid "$SBX" -F "$SSHD_CONFIG" sync $way "$1" "$2" >"$T/out" 2>&1 </dev/null &
    client=$!
    check "a $way is under way" within 30 carried $way
    begin=$(date +%s%N)
    kill -TERM "$client"
    wait "$client"
    status=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    check '  and ends as cancelled' equal "$status" 130
    # Of which a second is ours by right; a dead line is noticed after many.
    check "  long before the line would be given up ($took ms)" test "$took" -lt 5000
    proxy_say cut
    proxy_say heal
done

nothing_runs() {
    [ -z "$(cat "/proc/$SSHD_PID/task/$SSHD_PID/children")" ]
}
check 'nothing of it runs any more over there' within 20 nothing_runs
"$SBX" -F "$SSHD_CONFIG" sync push a "t:$T/there" >"$T/out" 2>&1
check 'and the next sync ends with equal trees' cmp a/large there/large
proxy_stop
check_end
