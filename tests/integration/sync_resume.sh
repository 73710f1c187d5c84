# sync_resume.sh - a large file goes on where the line was cut, both ways, and only if what
# is there is how it begins.
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

sync() {
    begin=$(date +%s)
    out=$(timeout 60 "$SBX" -F "$SSHD_CONFIG" sync "$@" --json 2>"$T/err")
    status=$?
    took=$(($(date +%s) - begin))
}
push() { sync push a "t:$T/there"; }
pull() { sync pull "t:$T/a" here; }
part() { find "$1/.sbx-sync" -name 'part-*' -size +5M 2>/dev/null | grep .; }
wire() { echo "$out" | jq ".$1 / 1000000 | floor"; }
kept() { within 20 part "$1" >/dev/null; }
# What the line must carry now: all of the file but what is kept, and a little around it.
rest() {
    left=$((25 - $(stat -c %s "$(part "$1")") / 1000000))
}
nothing_of_ours() { [ -z "$(find "$1" -name '.sbx-sync')" ]; }

mkdir -p a/d
head -c 24000000 /dev/urandom >a/d/large
chmod 640 a/d/large && touch -d '2020-01-01 01:02:03.456789' a/d/large
echo small >a/small

proxy_say after up 12000000 cut
push
check 'a push over a line that is cut fails' equal "$status" 255
check '  and at once, not when the next sign of life is due' test "$took" -lt 10
check 'what has come of the large file is kept' kept there
rest there
check '  and nothing else is there' equal "$(find there -name small -o -name large)" ''
push
check 'the next push sends the rest' equal "$status" 0
check '  and no more than that' test "$(wire wire_up)" -le "$left"
check '  and the file is whole' cmp a/d/large there/d/large
check '  with mode and mtime' equal "$(stat -c '%a %y' a/d/large)" "$(stat -c '%a %y' there/d/large)"
check '  and nothing of ours is left' within 10 nothing_of_ours there
push
check '  and nothing is sent twice' equal "$status $(echo "$out" | jq .sent_files)" '0 0'

rm -rf there
proxy_say after up 12000000 cut
push
check 'a push is cut once more' kept there
printf x | dd of="$(part there)" bs=1 seek=5000 conv=notrunc 2>/dev/null
push
check 'a part that is not how the file begins is not used' equal "$status $(wire wire_up)" '0 24'
check '  and the file is whole' cmp a/d/large there/d/large

rm -rf there
proxy_say after up 12000000 cut
push
kept there
head -c 1000 /dev/urandom >>a/d/large
push
check 'nor is a part of a file that has changed since' equal "$status $(wire wire_up)" '0 24'
check '  and the new one is whole' cmp a/d/large there/d/large

rm -rf there
for at in 9000000 7000000; do
    proxy_say after up "$at" cut
    push
    kept there
done
rest there
push
check 'a push that is cut twice goes on from there' equal "$status" 0
check '  with what is left' test "$(wire wire_up)" -le "$left"
check '  and the file is whole' cmp a/d/large there/d/large

proxy_say after down 12000000 cut
pull
check 'a pull over a line that is cut fails' equal "$status" 255
check '  and at once as well' test "$took" -lt 10
check 'what has come is kept' kept here
rest here
pull
check 'the next pull gets the rest' equal "$status" 0
check '  and no more than that' test "$(wire wire_down)" -le "$left"
check '  and the file is whole' cmp a/d/large here/d/large
check '  with mode and mtime' equal "$(stat -c '%a %y' a/d/large)" "$(stat -c '%a %y' here/d/large)"
check '  and nothing of ours is left' nothing_of_ours here
rm -rf here
proxy_say after down 12000000 cut
pull
printf x | dd of="$(part here)" bs=1 seek=5000 conv=notrunc 2>/dev/null
pull
check 'a part that is not how the file begins is not used' equal "$status $(wire wire_down)" '0 24'
check '  and the file is whole' cmp a/d/large here/d/large
rm -rf here
proxy_say after down 12000000 cut
pull
touch -d @1600000000 "$(part here)"
rm a/d/large
pull
check 'a part that nobody asked for is swept after a day' nothing_of_ours here
proxy_stop
check_end
