# disk_room.sh - file systems that take nothing more: full, out of inodes, read-only, under
# a quota, or not with files so large. Each is named as what it is by `file write`, by
# pushes to this machine, over SSH and to BusyBox, and by pulls; nothing is left behind.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
sshd_start
sshd_user box /bin/sh
sshd_chroot
# What the users of a chroot see as /tmp/fs.
fs=$BUSYBOX_ROOT/tmp/fs
mounted=
unmount() {
    [ -z "$mounted" ] || as_root umount "$fs" || as_root umount -l "$fs"
    mounted=
}
trap 'unmount; sshd_cleanup; rm -rf "$T"' EXIT
cd "$T" || exit 1
program=$(basename "$SBX")
mkdir a many old "$fs"
head -c 3000000 /dev/urandom >a/large
echo small >a/small
for n in $(seq 40); do echo "$n" >many/$n; done
mounts() { # OPTION...: a tmpfs with one old file in it
    unmount
    as_root mount -t tmpfs -o "mode=777,$1" none "$fs" && mounted=1 && echo old >"$fs/small"
}
run() {
    timeout -k 5 60 "$SBX" -F "$SSHD_CONFIG" "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
    err=$(head -n 1 "$T/err")
}
as_it_was() { equal "$(cd "$fs" && find . | sort | tr '\n' ' ') $(cat "$fs/small")" '. ./small  old'; }
# tells 'KIND' 'WHY' SOURCE: of each way there, and that nothing is changed.
tells() {
    run file write --from "$3/large" "local:$fs/large"
    [ ! -e "$3/large" ] || check "$1: file write tells" contains "$err" "$2"
    run sync push "$3" "local:$fs"
    check "$1: a push to this machine tells" contains "$status $err" "255 $program: push '$3' to 'local:$fs': $2"
    check '  and leaves nothing' as_it_was
    run sync push "$3" "t:$fs"
    check "$1: a push over SSH" contains "$status $err" "255 $program: push '$3' to 't:$fs': $2"
    check '  leaves nothing either' as_it_was
    run sync push "$3" box:/tmp/fs
    check "$1: a push to BusyBox" contains "$status $err" \
        "255 $program: push '$3' to 'box:/tmp/fs': $(echo "$2" | sed "s|$BUSYBOX_ROOT||")"
    check '  nor does that' as_it_was
    run sync pull "t:$T/$3" "$fs"
    check "$1: a pull" contains "$status $err" "255 $program: pull 't:$T/$3' to '$fs': "
    check '  names it too' contains "$err" "$2"
    check '  and leaves nothing of ours' equal "$(find "$fs" -name '.sbx*')" ''
}

mounts size=1m
rm a/small
tells full 'no space left on device: 0 bytes and ' a
check '  and no part of a file' as_it_was
mounts size=10m,nr_inodes=25
tells 'no inodes' "no space left on device: " many
check '  with how many are left' contains "$err" 'and 0 inodes free'
mounts size=10m
as_root mount -o remount,ro "$fs"
tells read-only "the file system of '$fs' is read-only" a
run sync push a "t:$fs/new/folder"
check 'so is one that the target would be made in' contains "$err" "the file system of "
check '  told' contains "$err" " is read-only"
run sync pull "t:$T/a" "$fs/new/folder"
check '  here as well' contains "$err" "is read-only"
unmount

# A limit of what a folder may hold, which is told as a quota of a person is. Of what can be
# mounted here btrfs alone has one, and not every kernel has that.
quota() {
    truncate -s 200M btrfs.image
    mkfs.btrfs -q -f btrfs.image >mkfs 2>&1 || cat mkfs
    as_root mount -o loop btrfs.image "$fs" && mounted=1
    as_root chmod 777 "$fs" && echo old >"$fs/small"
    as_root btrfs -q quota enable "$fs" && as_root btrfs qgroup limit 2M "$fs" >mkfs 2>&1
    tells quota "the disk quota in '$fs' is used up" a
    check '  and no part of a file' as_it_was
    unmount
}
if grep -qw btrfs /proc/filesystems; then quota; else echo 'NOT TRIED: a quota, since this kernel has no btrfs'; fi

# The program, and with it its place, this machine, may write no larger files.
limited() {
    (trap '' XFSZ && ulimit -f 2000 && run "$@" && equal "$status $err" "$expected")
}
mkdir limits && echo small >limits/small
expected="1 $program: write 'local:$T/limits/large': a file over there cannot be so large"
check 'a file that is too large is told' limited file write --from a/large "local:$T/limits/large"
expected="255 $program: push 'a' to 'local:$T/limits': a file in '$T/limits' cannot be so large"
check '  by a push' limited sync push a "local:$T/limits"
expected="1 $program: failed 'large': a file in '$T/limits' cannot be so large"
check '  and by a pull, which brings the rest' limited sync pull "local:$T/a" limits
check '  nothing is left of it' equal "$(ls -A limits)" small

expected="1 $program: append to 'local:$T/limits/small': a file over there cannot be so large"
check '  nor does an append say nothing' limited file append --from a/large "local:$T/limits/small"
check '  and it adds nothing' equal "$(cat limits/small)" small

# Only a part of the target is read-only: the rest is done.
mkdir -p part/shut there/shut aside
echo new >part/small && echo new >part/shut/x && echo old >aside/x
as_root mount --bind aside there/shut && as_root mount -o remount,bind,ro there/shut
for way in push pull; do
    echo $way >part/small && echo $way >part/shut/x
    if [ $way = push ]; then run sync push part "t:$T/there"; else run sync pull "t:$T/part" there; fi
    check "a $way tells what lies on another file system" contains "$(cat err)" 'ead-only'
    check '  by its name' contains "$(cat err)" "shut/x"
    check '  and the rest is done' equal "$status $(cat there/small there/shut/x)" "1 $way
old"
done
as_root umount there/shut

# One that is not read-only is written to, and there as well a file is old or new.
as_root mount -t tmpfs -o mode=777,size=1m none there/shut && echo old >there/shut/x
ln -s x part/shut/link && ln part/shut/x part/shut/hard && ln part/small part/shut/other
truncate -s 20M part/shut/holes && touch -d @1600000000 part/shut/holes
for way in pull push; do
    echo $way >part/shut/x && echo more >>part/shut/holes
    if [ $way = push ]; then run sync push part "t:$T/there"; else run sync pull "t:$T/part" there; fi
    check "a $way brings all to a file system in the target" equal "$status $(cat err)" '0 '
    check '  as it is' diff -r part there
    check '  with its links and times' equal "$(readlink there/shut/link) $(stat -c '%h %Y' there/shut/x there/shut/holes)" \
        "x $(stat -c '%h %Y' part/shut/x part/shut/holes)"
done
head -c 2000000 /dev/urandom >part/shut/x
run sync pull "t:$T/part" there
check 'what it has no room for is told' contains "$(cat err)" "shut/hard': no space left on device: "
check '  and the old one stands' equal "$status $(cat there/shut/x)" '1 push'
check '  with nothing of ours beside' equal "$(find there -name '.sbx*')" ''
as_root umount there/shut
check_end
