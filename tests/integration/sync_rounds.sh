# sync_rounds.sh - fifty syncs of a tree that changes, each struck at another instant by a
# kill of the client or of the server's side: the one after that ends with equal trees, and
# the next has nothing to do.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/trees.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
sshd_start
trap 'chmod -R u+rwx "$T"; sshd_cleanup; rm -rf "$T"' EXIT
cd "$T" || exit 1
# The session processes of sshd, and what they started.
sessions() {
    for pid in $(cat "/proc/$SSHD_PID/task/$SSHD_PID/children"); do process_tree "$pid"; done
}
nothing_runs() { [ -z "$(sessions)" ]; }
# change ROUND: some files, one that is a folder and a file in turns, at times a large one.
change() {
    find base -name 'file*' | sort | awk -v r="$1" 'NR % 7 == r % 7' | while read -r name; do
        echo "$1 $name" >"$name"
    done
    rm -rf base/swap
    if [ $(($1 % 3)) = 0 ]; then mkdir base/swap && echo "$1" >base/swap/in; else echo "$1" >base/swap; fi
    [ $(($1 % 5)) != 0 ] || head -c 9000000 /dev/urandom >base/large
}
sync() { "$SBX" -F "$SSHD_CONFIG" sync "$@" >out 2>err; }

tree many base 60
tree make base/odd
rm base/odd/fifo base/odd/sock
round=1
failed=
while [ $round -le 50 ]; do
    change $round
    if [ $((round % 2)) = 0 ]; then set -- push --delete base "t:$T/there"; else set -- pull --delete "t:$T/base" here; fi
    "$SBX" -F "$SSHD_CONFIG" sync "$@" >out 2>err &
    client=$!
    # When it strikes is what differs, not what must hold.
    sleep "0.$(($(od -An -N2 -tu2 /dev/urandom) % 600 + 100))"
    if [ $((round / 2 % 2)) = 0 ]; then kill -KILL $client; else kill -KILL $(sessions); fi 2>/dev/null
    wait $client 2>/dev/null
    # What a client that was killed has sent may be placed for a moment yet.
    within 20 nothing_runs || failed="$failed $round: still there"
    target=there
    [ "$1" = push ] || target=here
    sync "$@" && alike base $target || failed="$failed $round: $* $(cat err)"
    sync "$@" && grep -q '^sent: 0 files, 0 B; deleted: 0; ' out || failed="$failed $round, again: $(cat out err)"
    round=$((round + 1))
done
check 'each sync after one that was killed ends with equal trees, and is the last one needed' equal "$failed" ''
check 'both sides were synced' test -s there/swap -o -d there/swap -a -s here/large
check_end
