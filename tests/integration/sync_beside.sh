# sync_beside.sh - two syncs of one target at the same time: the second waits for the
# first, and both end with a tree that is whole.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/wait.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
sshd_start
trap 'kill -CONT $first 2>/dev/null; sshd_cleanup; rm -rf "$T"' EXIT
cd "$T" || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
tell() { /usr/bin/python3 "$TEST_SUPPORT/sync_tree.py" tell "$1"; }
alike() {
    tell "$1" >"$T/one" && tell "$2" >"$T/two" && test -s "$T/one" && diff "$T/one" "$T/two"
}

/usr/bin/python3 "$TEST_SUPPORT/sync_tree.py" many a 200
/usr/bin/python3 "$TEST_SUPPORT/sync_tree.py" many b 100
echo new >b/other
head -c 60000000 /dev/urandom >a/large
"$SBX" -F "$SSHD_CONFIG" sync push --delete a "t:$T/there" >first.out 2>first.err &
first=$!
check 'a sync is under way' within 30 test -d there/.sbx-sync
kill -STOP $first
"$SBX" -F "$SSHD_CONFIG" sync push --delete b "t:$T/there/" --json --force >second.out 2>second.err &
second=$!
check 'another one of its target says that it waits' within 30 grep -q 'is under way: waiting' second.err
check '  and does' kill -0 $second
kill -CONT $first
wait $first
check 'the first ends well' equal $? 0
wait $second
check '  and the second then' equal $? 0
check 'the target is what the second made it' alike b there
check '  with nothing left' equal "$(find there -name '.sbx*')" ''
check_end
