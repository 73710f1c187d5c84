# sync_once.sh - a push sends what differs before the far side has told what it holds, and
# is right all the same: where that has changed, moved, or what is remembered is damaged.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/trees.sh"
cd "$T" || exit 1
XDG_STATE_HOME=$T/state
export XDG_STATE_HOME
push() { run -F none sync push "$@"; }
# Every tenth file, in many folders, gets other content.
change() {
    find a -type f | sort | awk 'NR % 10 == 1' | while read -r name; do
        echo "$1 $name" >"$name"
    done
}
memory() { ls "$T"/state/sbx/sync/*.far; }

tree many a 600
mkdir a/empty
push a "local:$T/there"
check 'a first push makes the tree' alike a there
change one
push a "local:$T/there"
check 'what changed in many folders arrives' equal "$status $(echo "$out" | cut -d, -f1)" '0 sent: 60 files'
check '  and folders have the times of the source' alike a there
push a "local:$T/there"
check 'and nothing is sent twice' contains "$out" 'sent: 0 files, 0 B; deleted: 0;'
check '  nor is anything of ours left' equal "$(find there -name '.sbx*')" ''

echo other >there/d0/e0/file00000.txt
echo more >there/d0/more
change two
push a "local:$T/there"
check 'a far side that has changed meanwhile is listed' equal "$status" 0
check '  and its own changes are undone where they differ' cmp a/d0/e0/file00000.txt there/d0/e0/file00000.txt
check '  but what it has alone stays' test -f there/d0/more
echo three >a/new
push --delete a "local:$T/there"
check 'and goes with --delete' alike a there
echo more >there/d0/more && echo four >a/new
push --delete a "local:$T/there"
check '  though it was not there when the last push ended' alike a there

mkdir b && echo five >a/new
push a "local:$T/there" && mv there first && cp -a first second && ln -s first there
push a "local:$T/there"
check 'a root that is another folder is looked at again' equal "$status" 0
ln -sfn second there && echo six >a/new
push a "local:$T/there"
check '  even where it holds just the same' equal "$status $(cat second/new) $(cat first/new)" '0 six five'
rm there && mv second there

change seven
printf garbage | dd of="$(memory)" bs=1 seek=400 conv=notrunc 2>/dev/null
push a "local:$T/there"
check 'a damaged memory is none' equal "$status" 0
check '  and the tree arrives' alike a there
change eight
truncate -s 5000 "$(memory)"
push a "local:$T/there"
check 'nor is one that was cut' alike a there

change nine
head -c 3000000 /dev/urandom >a/large
push a "local:$T/there"
check 'what is more than a little is sent once the far side has answered' alike a there
echo late >>a/large && echo late >there/late
push --delete a "local:$T/there"
check '  or has listed' alike a there

mkdir bin && printf '#!/bin/sh\nexit 1\n' >bin/ln && chmod +x bin/ln
change ten
path=$PATH && PATH=$T/bin:$PATH && push a "local:$T/there"
PATH=$path
check 'where there are no hard links, files are moved' equal "$status $(echo "$out" | cut -d, -f1)" '0 sent: 61 files'
check '  and arrive' alike a there

echo 1 >file && push file "local:$T/single"
echo 22 >file && push file "local:$T/single"
check 'a single file is pushed again' cmp file single
echo 333 >single && echo 4444 >file && push file "local:$T/single"
check '  over one that changed' cmp file single

if [ "$(id -u)" = 0 ]; then user='setpriv --reuid 65534 --regid 65534 --clear-groups'; else user=; fi
mkdir -m 777 part part/open part/shut && echo x >part/open/x && echo y >part/shut/y && chmod 777 . && mkdir -m 777 state2
XDG_STATE_HOME=$T/state2 $user "$SBX" -F none sync push part "local:$T/part2" >/dev/null 2>&1
rm part/open/x && chmod 0 part/shut
err=$(XDG_STATE_HOME=$T/state2 $user "$SBX" -F none sync push --delete --force part "local:$T/part2" 2>&1)
status=$?
check 'what could not be read whole deletes nothing, not by force either' equal "$status $(ls part2/open)" '2 x'
check '  and it is told what mends that' contains "$err" '--exclude'
chmod 777 part/shut
check_end
