# sync_plan.sh - what a sync decides: plans, tokens, deletions and their rails, rules,
# contents against times, kinds that change places, single files.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
there=$T/there
push() { run -F none sync push "$@" "local:$there"; }
pull() { run -F none sync pull "$@"; }
alike() { diff -r a there; }
counted() { echo "$out" | tail -n 1 | sed 's/ unchanged.*//'; }

mkdir -p a/sub a/.git there
for name in 1 2 3 4 5 6; do echo $name >a/$name; done
echo x >a/sub/x && echo o >a/skip.o && echo '*.o' >a/.gitignore && : >a/.git/HEAD
push -n a
check 'a dry run tells what would be sent' contains "$out" 'send        sub/x  ('
check 'and changes nothing' equal "$status $(ls -A there)" '0 '
token=$(echo "$out" | sed -n 's/^plan: //p')
echo 7 >a/7
push --plan "$token" a
check 'a plan is refused once a side has changed' contains "$status $err" \
    "2 $program: push 'a' to '"
check '  for that reason' contains "$err" 'the plan is no longer what it was'
check 'and nothing was done' equal "$(ls -A there)" ''
push -n a
token=$(echo "$out" | sed -n 's/^plan: //p')
push --plan "$token" a
check 'the plan as it is now is carried out' alike
refuses 'what is no token is refused' "--plan 'zz': not the token of a plan, which --dry-run prints" \
    -F none sync push --plan zz a local:b
push -n --json a
check 'a plan is JSON as well' equal "$(echo "$out" | jq -c '[.direction, .send_files, .unchanged > 8, (.items | length)]')" \
    '["push",0,true,0]'

echo extra >there/extra
push a
check 'what is there alone stays' test -e there/extra
push --delete a
check 'with --delete it goes' test ! -e there/extra
check 'and is counted' equal "$(counted)" 'sent: 0 files, 0 B; deleted: 1;'
echo keep >there/keep.log
push --delete --exclude '*.log' a
check 'what a rule keeps back is not deleted' test -e there/keep.log
rm there/keep.log
mkdir empty
push --delete empty
check 'an empty source deletes nothing' equal "$status $(ls there | wc -l)" '2 9'
push --delete nosuch
check 'nor does a missing one' equal "$status $(ls there | wc -l)" '2 9'
mkdir few && cp a/1 few
push --delete few
check 'nor is over half of the target deleted' equal "$status $(ls there | wc -l)" '2 9'
check 'with the way to do it all the same' contains "$err" --force
push --delete --force few
check 'which --force does' equal "$(ls there)" 1
check 'and prints first' contains "$out" 'sub/x  ('
refuses 'force is for delete' "option '--force' is for '--delete'" -F none sync push --force a local:b
run -F none sync push --delete --force few "local:$HOME/.."
check 'what holds a home is never emptied' equal "$status $(ls -d a home)" '2 a
home'
run -F none sync push --delete --force few local:/
check 'nor is /' equal "$status" 2

rm -rf there && mkdir there
push --git a
check 'git rules leave out what git would' equal "$(cd there && find . | sort | tr '\n' ' ')" \
    '. ./.gitignore ./1 ./2 ./3 ./4 ./5 ./6 ./7 ./sub ./sub/x '
rm -rf there
printf '6\n!7\n' >a/.sbxignore
push --exclude sub/ --exclude '[1-7]' --include '2' a
check 'rules by strength: include, exclude, .sbxignore' equal "$(cd there && ls -A | tr '\n' ' ')" \
    '.git .gitignore .sbxignore 2 skip.o '
rm -rf a/.sbxignore a/.git there
push a

printf 'one\n' >a/1 && touch -d @1000000000 a/1 && push a
printf 'two\n' >there/1 && touch -d @1000000000 there/1
push a
check 'size and time decide' equal "$(cat there/1)" two
push --checksum a
check 'contents do where it is asked for' equal "$(cat there/1)" one
printf 'six\n' >a/1.new && touch -d @1000000000 a/1.new && mv a/1.new a/1
push a
check 'a file that was replaced without a trace in size and time is noticed' equal "$(cat there/1)" six
touch -d @1000000001 a/1
push --checksum a
check 'a time alone is set without sending' equal "$(counted) $(stat -c %Y there/1)" \
    'sent: 0 files, 0 B; deleted: 0; 1000000001'
chmod 4711 a/1
push a
check 'so is a mode' equal "$(counted) $(stat -c %a there/1)" 'sent: 0 files, 0 B; deleted: 0; 4711'

rm a/2 && mkdir a/2 && echo in >a/2/in
push a
check 'a folder takes the place of a file' equal "$status $(cat there/2/in)" '0 in'
rm -r a/2 && ln -s nowhere a/2
push a
check 'a folder with something in it does not give way unasked' test -d there/2
push --delete a
check 'but with --delete' equal "$(readlink there/2)" nowhere
ln -sf / there/out && mkdir a/out && echo in >a/out/tmp-sbx
push a
check 'nothing is written through a link' equal "$(cat there/out/tmp-sbx) $(ls /tmp-sbx 2>&1 | wc -l)" 'in 1'
rm -rf back && pull "local:$there" back
ln -s / back/elsewhere && mkdir there/elsewhere && echo in >there/elsewhere/tmp-sbx
pull "local:$there" back
check 'here neither' equal "$(cat back/elsewhere/tmp-sbx) $(ls /tmp-sbx 2>&1 | wc -l)" 'in 1'
echo gone >back/gone
pull --delete "local:$there" back
check 'a pull deletes too' test ! -e back/gone
ln -s 3 a/l3 && ln -s sub a/lsub && push --follow a
check 'links are followed on request' equal "$(cat there/l3) $(test -L there/l3; echo $?) $(cat there/lsub/x)" '3 1 x'

run -F none cp a/3 "local:$T/one"
check 'cp gives a file the name that is told' cmp a/3 one
run -F none cp a/3 "local:$there/sub"
check 'or puts it into a folder that is there' cmp a/3 there/sub/3
run -F none cp a/3 "local:$T/new/dir/"
check 'or that is named with a slash' cmp a/3 new/dir/3
run -F none cp "local:$there/3" got
check 'and back' cmp a/3 got
run -F none cp "local:$there/4" new/dir
check 'into a folder' cmp a/4 new/dir/4
run -F none cp "local:$there/sub" copy
check 'a tree as well' diff -r there/sub copy
mkdir -p links/deep
echo old >"links/the
file"
ln -s ../deep/up links/deep/first && ln -s "../the
file" links/deep/up
run -F none cp a/3 "local:$T/links/deep/first"
check 'a link to a file is that file' equal "$status $(cat "links/the
file") $(find links -type l | wc -l)" '0 3 2'
run -F none cp a/3 "local:$T/links/deep/first"
check '  also the second time' contains "$out" 'sent: 0 files'
run -F none cp "local:$T/links/deep/first" links/deep/first
check '  and where it is pulled to itself' equal "$status $out" '0 sent: 0 files, 0 B; deleted: 0; unchanged: 1'
echo four >four
run -F none cp "local:$T/four" links/deep/first
check '  or another is pulled to it' equal "$status $(cat "links/the
file") $(find links -type l | wc -l)" '0 four 2'
run -F none cp a b
check 'one of the two must be of a place' equal "$status" 2
pull local:/no/such back
check 'a source over there that is missing is told' equal "$status $err" \
    "2 $program: pull 'local:/no/such' to 'back': read 'local:/no/such': there is no such file or folder"
if [ "$(id -u)" = 0 ]; then
    mkdir -p mine/sub && chmod 777 . mine && echo 1 >mine/sub/f && chmod 700 mine/sub
    setpriv --reuid 65534 --clear-groups env HOME="$T" "$SBX" -F none sync pull --delete "local:$T/mine" nobody \
        >"$T/out" 2>"$T/err"
    check 'what may not be read is told, and the status says partial or refuses' test "$?" -ge 1
    check 'by its name' contains "$(cat "$T/err")" sub
fi
check_end
