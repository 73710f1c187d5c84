# sync_beside.sh - two syncs of one target at the same time: the second waits for the
# first, by whatever name it was told, and both end with a tree that is whole.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/trees.sh"
. "$TEST_SUPPORT/wait.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
sshd_start
trap 'kill -CONT $first 2>/dev/null; sshd_cleanup; rm -rf "$T"' EXIT
cd "$T" || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
tree many a 200
tree many b 100
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

# One target has many names. Each is tried while the first is held in its middle.
waits() { # SYNC...
    : >second.err # of the one before, ahead of one that has not begun
    "$SBX" -F "$SSHD_CONFIG" sync "$@" >second.out 2>second.err &
    second=$!
    within 30 grep -q 'is under way: waiting' second.err || cat second.err
    kill -TERM $second
    wait $second
    [ $? = 130 ]
}
hold() { # FOLDER SYNC...: once something of ours is in that folder
    folder=$1
    shift
    "$SBX" -F "$SSHD_CONFIG" sync "$@" >first.out 2>first.err &
    first=$!
    timeout 30 sh -c 'until [ -d "$0" ]; do :; done' "$folder/.sbx-sync" && kill -STOP $first
}
push_b() {
    "$SBX" -F "$SSHD_CONFIG" sync push --delete --force b "$1" >second.out 2>second.err
}
is_b() { diff -r --exclude=.sbx-sync b "$1"; }
sshd_user u /bin/sh
as_root ln -s . "$SSHD_HOME/short"
check 'a first push is under way' hold "$SSHD_HOME/new/proj" push a u:new/proj
for name in new/proj '~/new/proj' ./new//proj/ "$SSHD_HOME/new/proj" short/new/proj \
    new/../new/proj; do
    check "'$name' is that target too" waits push b "u:$name"
done
push_b u:new/other
check 'another target is not waited for' equal "$? $(cat second.err)" '0 '
kill -KILL $first
push_b u:new/../new/proj
check 'and who comes then sees what it has left' is_b "$SSHD_HOME/new/proj"
check 'a pull is under way' hold back pull "t:$T/a" back
ln -s "$T/a" aside
for name in "push b local:back" "push b local:$T/back" "push b local:aside/../back/" \
    "pull t:$T/b ./back/" "pull t:$T/b $T/aside/../back"; do
    check "'$name' waits for it" waits $name
done
kill -KILL $first
"$SBX" -F "$SSHD_CONFIG" sync pull --delete "t:$T/b" back >second.out 2>second.err
check 'and is over with its process' is_b back
check_end
