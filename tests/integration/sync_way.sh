# sync_way.sh - what a sync makes of the way that it goes: how a tree is listed on a short
# and on a long one, and what is packed on a slow and on a fast one; told by what went over
# the wire. Whatever it makes of it, the trees are alike.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"
. "$TEST_SUPPORT/trees.sh"
. "$TEST_SUPPORT/wait.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
cp "$SSHD_CONFIG" "$T/short"
proxy_sshd --delay 20
cp "$SSHD_CONFIG" "$T/long"
cd "$T" || exit 1
# on LINE ARGS...: a sync of one call; `said FIELD` is a number that it told.
on() {
    config=$1
    shift
    "$SBX" -F "$T/$config" sync "$@" --json >out 2>err || sed 's/^/    /' err >&2
}
said() { jq -r ".$1" out; }
more() { [ "$(said "$1")" -gt "$2" ] || { echo "    $1: $(said "$1"), not over $2" && false; }; }
less() { [ "$(said "$1")" -lt "$2" ] || { echo "    $1: $(said "$1"), not under $2" && false; }; }
state() {
    XDG_STATE_HOME=$T/state.$1
    export XDG_STATE_HOME
}
kept() { ls "$XDG_STATE_HOME"/sbx/sync/*."$1"; }
fresh() { n=$((${n-0} + 1)); }

# A machine that is busy answers late, and the way seems longer than it is: asked again.
tree many a 300
state short
listed_as_found() {
    echo change >>a/d0/e0/file00000.txt
    on short push a "t:$T/there"
    [ "$(said wire_down)" -gt 5000 ] && ! kept far >/dev/null 2>&1
}
on short push a "t:$T/there"
check 'on a short way the listing comes as it is found, each time' within 100 listed_as_found
check '  and what has changed arrives' alike a there
on short push a "t:$T/there"
check '  once' equal "$(said sent_files)" 0
on long push a "t:$T/there"
check 'a way that has become long is known as one behind the next push' test -e "$(kept far)"
on long push a "t:$T/there"
check '  and then nothing of the listing comes' less wire_down 500
check '  where all is as it was' alike a there
state long
on long push a "t:$T/far"
echo change >>a/d0/e0/file00000.txt
on long push a "t:$T/far"
check 'on a long one it is hashed over there' less wire_down 500
check '  and what has changed arrives' alike a far
check '  so that both are alike' equal "$(on short push a "t:$T/there" && tree tell there)" "$(tree tell far)"
echo other >far/d0/e0/file00000.txt
on long push a "t:$T/far"
check '  and comes where it is another' more wire_down 1000
check '  which is made as it was' alike a far

# Text that packs to less than half of it: for each way as much as all that is on it holds.
mkdir text
for i in 1 2 3 4 5 6 7 8; do
    head -c 1000000 /dev/urandom | od -An -tx1 >"text/$i"
done
raw=$(cat text/* | wc -c)
head -c 17000 /dev/urandom | od -An -tx1 >some
head -c 200000 /dev/urandom | od -An -tx1 >more
rate_kept() { sed -n 's/^sbx way 1 [a-z]* \([0-9]*\)$/\1/p' "$(kept way)"; }
holds() {
    echo "sbx way 1 $1 $2" >"$(kept way)"
}
state rate
proxy_say rate 4000000
fresh && on long push text "t:$T/t$n"
check 'on a slow line what is pushed is packed' less wire_up $((raw * 6 / 10))
check '  and arrives' alike text "t$n"
check '  and how slow it is is kept' test "$(rate_kept)" -gt 0 -a "$(rate_kept)" -lt 4400000
on long pull "t:$T/text" back
check 'what is pulled is packed, too' less wire_down $((raw * 6 / 10))
check '  and arrives' alike text back
fresh && on long push some "t:$T/t$n"
check 'little is packed where it is known that the line is slow' less wire_up 40000
state none
fresh && on long push some "t:$T/t$n"
check '  and is not where nothing is known' more wire_up 50000

state rate
proxy_say rate 0
holds far 200000000
fresh && on long push text "t:$T/t$n"
check 'on a fast line what is pushed is not packed' more wire_up "$raw"
check '  and arrives' alike text "t$n"
holds far 200000000
on long pull "t:$T/text" back2
check 'nor is what is pulled' more wire_down "$raw"
check '  and arrives' alike text back2
holds far 200000000
touch -d '2 days ago' "$(kept way)"
fresh && on long push more "t:$T/t$n"
check 'what was known days ago is not believed' less wire_up 400000
holds near 200000000
fresh && on long push more "t:$T/t$n"
check '  nor what was known of a shorter way' less wire_up 400000
printf 'sbx way 1 far 200000000000000000000000\n' >"$(kept way)"
fresh && on long push more "t:$T/t$n"
check '  nor what makes no sense' less wire_up 400000
proxy_say rate 4000000
holds far 200000000
fresh && on long push text "t:$T/t$n"
check 'a line that has become slow is known as one behind the next push' test "$(rate_kept)" -lt 4400000
holds far 200000000
on long pull "t:$T/text" back3
check '  or pull' test "$(rate_kept)" -lt 4400000

state rate
sent_as_it_is() {
    fresh && on short push more "t:$T/t$n"
    [ "$(said wire_up)" -gt "$(wc -c <more)" ]
}
way=$(kept way) && rm "$way"
check 'on a short way of which nothing is known, some is not packed' within 100 sent_as_it_is
check '  and arrives' cmp more "t$n"
echo 'sbx way 1 near 4000000' >"$way"
fresh && on short push more "t:$T/t$n"
check '  and is where it is known to be slow' less wire_up 400000
check_end
