# sync_many.sh - more names of one file that is there, and more files that differ in mode or time alone,
# than one list of them holds: all arrive as they are.
. "$TEST_SUPPORT/check.sh"

T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
long=$(printf '%0100d' 0)

tell() {
    (cd "$1" && find . -path ./.sbx-sync -prune -o ! -type d -printf '%p %m %n %TY-%Tm-%Td %TT\n' | sort)
}
alike() {
    tell here >here.told && tell there >there.told && test -s here.told &&
        diff here.told there.told
}
push() {
    "$SBX" sync push "$@" here "local:$T/there" >out 2>err || { cat err; return 1; }
}

mkdir -p here/d
echo one >here/first
push
for n in $(seq 300); do ln here/first "here/d/$long.$n"; done
check 'hundreds of names of a file that is there are pushed' push
check '  and are one file there' alike
check '  under so many names' equal "$(stat -c %h there/first)" 301

for n in $(seq 300); do echo "$n" >"here/d/$long.own.$n"; done
push
for n in $(seq 300); do
    chmod $((600 + n % 5 * 10)) "here/d/$long.own.$n"
    touch -d "@$((1700000000 + n / 3)).$((n % 3))" "here/d/$long.own.$n"
done
check 'hundreds of other modes and times are pushed' push --checksum
check '  file by file' alike
check '  and no content with them' contains "$(cat out)" 'sent: 0 files'
check_end
