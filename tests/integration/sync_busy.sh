# sync_busy.sh - what cannot be put in its place is told once, by its name and with the
# reason, all else arrives, and the next sync makes it good.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

# Names that are mounted on cannot be replaced; nobody else sees these mounts.
if [ -z "${SBX_TEST_INSIDE-}" ]; then
    as_root env SBX_TEST_INSIDE=1 TEST_SUPPORT="$TEST_SUPPORT" SBX="$SBX" SBX_KEEPER=off \
        unshare -m sh "$0"
    exit $?
fi
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
trap 'umount "$T"/*/f "$T/there/gone/file" 2>/dev/null; rm -rf "$T"' EXIT
cd "$T" || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
: >mounted

fresh() {
    rm -rf here there
    mkdir -p here/d there/d there/gone
    echo new >here/f
    echo new >here/g
    echo x >here/d/x
    echo old >there/f
    echo old >there/g
    echo 1 >there/gone/file
    touch -d @1700000000 there/f there/g
    mount --bind mounted there/f && mount --bind mounted there/gone/file
}
freed() {
    umount there/f there/gone/file
}
# told FIELDS: of what failed.
told() {
    jq -r '.items[] | select(.action == "fail") | [.path, .reason] | join(": ")' out | sort
}

fresh
"$SBX" sync push --delete --force here "local:$T/there" --json >out 2>err
check 'a push that could not place all is no success' equal $? 1
check '  what it could not is told by name, with the reason' equal "$(told)" \
    "f: Device or resource busy
gone/file: Device or resource busy
gone: Device or resource busy"
check '  and the rest is there' equal "$(cat there/g there/d/x)" "new
x"
freed
check '  the next one makes it good' "$SBX" sync push --delete --force here "local:$T/there"
check '  to the last name' diff -r here there

fresh
"$SBX" sync pull --delete --force "local:$T/here" there --json >out 2>err
check 'a pull that could not place all is no success' equal $? 1
check '  what it could not is told once, by name, with the reason' equal "$(told)" \
    "f: Device or resource busy
gone/file: Device or resource busy
gone: Directory not empty"
check '  and the rest is there' equal "$(cat there/g there/d/x)" "new
x"
freed
check '  the next one makes it good' "$SBX" sync pull --delete --force "local:$T/here" there
check '  to the last name' diff -r here there
check_end
