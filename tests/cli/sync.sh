# sync.sh - trees carried to places and back: what a person sees, and what arrives.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/trees.sh"
sshd_start
sshd_user plain /bin/bash
sshd_user box /bin/sh
trap 'chmod -R u+rwx "$T"; sshd_cleanup; rm -rf "$T"' EXIT
set -- -F "$SSHD_CONFIG"
cd "$T" || exit 1

tree make odd
run "$@" sync push odd "t:$T/there"
check 'a tree of odd names and kinds is pushed' equal "$status" 0
check 'it is the same over there, byte for byte, with modes, times and hard links' \
    alike odd there
check 'holes stay holes' test "$(stat -c %b there/sparse)" -lt 1000
check 'fifos and sockets are named' contains "$err" "$program: skipped 'fifo': a fifo, socket or device"
run "$@" sync push odd "t:$T/there"
check 'a second push sends nothing' contains "$out" 'sent: 0 files, 0 B; deleted: 0; '
run "$@" sync pull "t:$T/there" back
check 'it is pulled' equal "$status" 0
check 'it is the same again' alike odd back
run "$@" sync pull "t:$T/there" back
check 'a second pull gets nothing' contains "$out" 'sent: 0 files, 0 B; deleted: 0; '
# What a pull tells of the tree it has made is what the next one finds.
told() { echo "$out" | jq -r .local_hash; }
run "$@" sync pull "t:$T/there" third --json
check 'a pull tells the hash of what it has made' test "$(told)" != null
hash=$(told)
run "$@" sync pull -n "t:$T/there" third --json
check '  which is what is found then' equal "$(told)" "$hash"
cp -a there fourth && rm -r "fourth/$(ls there | head -n 1)" fourth/sparse
mkdir fourth/sparse && echo x >fourth/sparse/in-it && echo more >>fourth/one-more
run "$@" sync pull --delete "t:$T/fourth" third --json
hash=$(told)
run "$@" sync pull -n --delete "t:$T/fourth" third --json
check '  also where something was replaced and removed' equal "$status $(told)" "0 $hash"
check '  and the tree is that of the source' alike fourth third
rm -r third fourth
check 'nothing of ours is left' equal "$(find there back -name '.sbx*')" ''
run "$@" sync push odd plain:odd
check 'a plain user gets it too' equal "$status" 0
check 'it is the same there' alike odd "${SSHD_HOME%box}plain/odd"
run sync push odd "local:$T/near"
check 'a push to this machine is the same' alike odd near

rm odd/old # before 1970 a small tar knows nothing
sshd_chroot
run "$@" sync push odd box:/tmp/odd
check 'where BusyBox is all there is, it arrives' equal "$status" 0
check 'with times in whole seconds' alike odd "$BUSYBOX_ROOT/tmp/odd" s
run "$@" sync push odd box:/tmp/odd
check 'and is not sent again for the part of a second' contains "$out" 'sent: 0 files'
run "$@" sync pull box:/tmp/odd small
check 'it is pulled from there' equal "$status" 0
check 'with times in whole seconds' alike odd small s
run "$@" sync pull box:/tmp/odd small
check 'once' contains "$out" 'sent: 0 files'

needs=$(ldd "$SBX")
check 'a start loads no library that only trees need' test -z "$(echo "$needs" | grep libarchive)"
mkdir lib
echo none >"lib/$(grep -aoh 'libarchive\.so[.0-9]*' "$SBX_BUILD/libsandbox/libsandbox.so" | head -n 1)"
echo new >odd/one-more
LD_LIBRARY_PATH=$T/lib
export LD_LIBRARY_PATH
run "$@" sync push odd "t:$T/there"
check 'where it cannot be loaded that is told' contains "$err" "load 'libarchive"
check '  with what mends it' contains "$err" 'on this machine'
check '  and nothing is changed' test "$status" -ne 0 -a ! -e there/one-more
run "$@" exec t 'echo on'
check '  what needs no tree goes on' equal "$status $out" '0 on'
check_end
