# large_files.sh - files of more than 4 GiB: carried both ways, and looked at behind that
# mark, with tools of GNU and of BusyBox. They are made of holes, and stay so.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
sshd_start
sshd_user box /bin/sh
sshd_chroot
trap 'sshd_cleanup; rm -rf "$T"' EXIT
cd "$T" || exit 1
run() {
    timeout -k 5 150 "$SBX" -F "$SSHD_CONFIG" "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
}
# It has a text at its start, around 4 GiB, and at its end.
size=4404019200
put() { printf %s "$2" | dd of=a/large bs=4k seek="$1" oflag=seek_bytes conv=notrunc status=none; }
get() { dd if="$1" bs=4k skip="$2" count="$3" iflag=skip_bytes,count_bytes status=none; }
is_whole() {
    equal "$(stat -c %s "$1") $(get "$1" 0 5) $(get "$1" 4294967290 12) $(get "$1" $((size - 3)) 3)" \
        "$size begin 0123456789ab end" && [ "$(stat -c %b "$1")" -lt 8000 ]
}
mkdir a
truncate -s $size a/large
put 0 begin && put 4294967290 0123456789ab && put $((size - 3)) end
touch -d @1600000000 a/large

run sync push a "t:$T/there"
check 'a file of over 4 GiB is pushed' equal "$status $(cat err)" '0 '
check '  whole, and takes no room' is_whole there/large
run sync push --json a "t:$T/there"
check '  once' equal "$(jq '[.sent_files, .unchanged]' -c out)" '[0,2]'
run sync pull "t:$T/a" back
check 'it is pulled' equal "$status $(cat err)" '0 '
check '  as it is, too' is_whole back/large
run sync pull --json "t:$T/a" back
check '  once' equal "$(jq '[.sent_files, .unchanged]' -c out)" '[0,2]'

mkdir "$BUSYBOX_ROOT/tmp/a"
cp --sparse=always -p a/large "$BUSYBOX_ROOT/tmp/a"
for at in "t:$T/a" box:/tmp/a; do
    place=${at%%:*}
    run file stat --json "$at/large"
    check "$place: it is told of as it is" equal "$(jq -c '[.size, .mtime]' out)" "[$size,1600000000]"
    run file ls --json "$at"
    check '  and listed' equal "$(jq -c '[.entries[] | [.path, .size]]' out)" "[[\"large\",$size]]"
    while read -r range what; do
        run file cat --range "$range" "$at/large"
        check "  its bytes $range" equal "$status $(tr -d '\0' <out) $(cat err)" "0 $what "
    done <<END
0:5 begin
4294967290:4294967302 0123456789ab
4294967295: 56789abend
$((size - 3)): end
-3: end
$size:
6000000000:
END
    run file cat --max-output 12 --range -$((size - 4294967290)): "$at/large"
    check '  and its last 100 million' equal "$(cat out)" 0123456789ab
    run file cat --max-output 5 --range "-9000000000:" "$at/large"
    check '  or more than it has' equal "$(cat out)" begin
done
check_end
