# file.sh - files of a place on the command line, and what becomes of them when all fails.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
tmpfs=
read_only=
unmount() {
    for mounted in $tmpfs $read_only; do
        as_root umount -l "$mounted"
    done
}
trap 'unmount; sshd_cleanup; rm -rf "$T"' EXIT
# A bare account: what the start-up files of whoever runs this do takes its time.
sshd_user u /bin/sh
W=$T/work/u
mkdir "$T/work" "$T/work/local" "$W"
chmod 755 "$T"
chmod 777 "$W"
file() {
    verb=$1
    shift
    run -F "$SSHD_CONFIG" file "$verb" "$@"
}
put() { # TEXT ARGS...: writes TEXT
    printf '%s' "$1" >"$T/in"
    shift
    input=$T/in file write "$@"
}
# The address of a file of the work folder on `u`, which is this machine over SSH; and
# without a login, for what is not about the way there.
at() { printf '%s' "u:$W/$1"; }
near() { printf '%s' "local:$W/$1"; }
nothing_left() { [ -z "$(find "$1" -name '.sbx-*')" ]; }

# Addresses.
refuses 'a file without its place' "'/etc/passwd' names no place: PLACE:PATH" \
    file cat /etc/passwd
check 'is told how to name it' contains "$err" 'try: local:/etc/passwd'
refuses 'a path with a colon' "'./a:b' names no place: PLACE:PATH" file cat ./a:b
refuses 'an empty place' "address ':x': no place before ':'" file cat :x
refuses 'two places' "address 'a,b:x': it takes one place" file cat a,b:x
refuses 'a tag' "address '@lab:x': it takes one place" file cat @lab:x
refuses 'a bracket without its end' "address '[::1:x': no ']:' behind the place" \
    file cat '[::1:x'
refuses 'two places for one move' "'a:x' and 'b:y': it takes two names on one place" \
    file mv a:x b:y
refuses 'half a move' 'no PLACE:TO given' file mv a:x
cd "$T/work/local" || exit 1
for verb in write append mkdir; do
    file "$verb" local:no/such/x
    check "$verb below a folder that is not there names that folder" contains "$err" \
        "there is no folder 'no/such'"
    check '  and the way to make it' contains "$err" "$program: try: -p"
done
put one local:a:b
check 'the first colon ends the place' equal "$status $(cat a:b)" '0 one'
file cat local:./a:b
check 'a path may hold more' equal "$out" one
rm a:b

# Words of the command line.
for hash in abc "$(printf '%064d' 0 | tr 0 G)"; do
    refuses "'$hash' is no hash" "--if-hash '$hash': not a sha256 of 64 lower-case hex digits" \
        file write --if-hash "$hash" local:x
done
for mode in 0 9 rwx 77777 ''; do
    refuses "'$mode' is no mode" "--mode '$mode': not an octal mode like 644 or 0755" \
        file write --mode "$mode" local:x
done
refuses 'a range that ends before it starts' "option '--range' '5:2': it ends before it starts" \
    file cat --range 5:2 local:x
refuses 'an end that counts from the end' \
    "option '--range' ':-2': with a negative number only the start is given" \
    file cat --range :-2 local:x
refuses 'an edit without texts' 'no OLD given' file edit local:x
refuses 'an edit without its new text' 'no NEW given' file edit local:x a
refuses 'an edit with a word too many' "one word too many: 'c'" \
    file edit --old-file f local:x b c

# Everyday, on both kinds of place.
for place in local u; do
    folder=$T/work/$place
    put 'hello
world
' "$place:$folder/f"
    check "$place: a file is written" equal "$status $err $(cat "$folder/f")" '0  hello
world'
    file cat "$place:$folder/f"
    check "$place: and read" cmp "$T/out" "$folder/f"
    file cat --lines 2:2 "$place:$folder/f"
    check "$place: a line of it" equal "$out" world
    file cat --lines -1: "$place:$folder/f"
    check "$place: the last line" equal "$out" world
    file cat --range 1:4 "$place:$folder/f"
    check "$place: bytes of it" equal "$out" ell
    file cat --max-output 3 "$place:$folder/f"
    check "$place: no more than is asked" equal "$out" hel
    check "$place: and that is said" contains "$err" 'cut at 3 bytes'
    file edit "$place:$folder/f" world there
    check "$place: edited" equal "$status $(cat "$folder/f")" '0 hello
there'
    file edit "$place:$folder/f" e E
    check "$place: two matches are refused" equal "$status $err" \
        "1 $program: edit '$place:$folder/f': the text is there 3 times, not once
$program: try: --all, or more of the text around it"
    file edit --all "$place:$folder/f" e E
    check "$place: unless all are meant" equal "$(cat "$folder/f")" 'hEllo
thErE'
    printf more >"$T/in"
    file append --from "$T/in" "$place:$folder/f"
    check "$place: appended" equal "$(tail -c 4 "$folder/f")" more
    file sum "$place:$folder/f"
    check "$place: the sum is that of sha256sum" equal "$out" "$(sha256sum "$folder/f")"
    file mkdir -p "$place:$folder/d/e"
    file cp "$place:$folder/f" "$place:$folder/d/e/"
    file mv "$place:$folder/f" "$place:$folder/d/g"
    file ls -r "$place:$folder/d"
    check "$place: listed" equal "$out" 'e/
e/f
g'
    file ls -r --glob 'e/*' "$place:$folder/d"
    check "$place: listed by pattern" equal "$out" e/f
    file ls --limit 1 "$place:$folder/d"
    check "$place: and cut" contains "$err" 'only 1 of more are listed'
    file rm "$place:$folder/d"
    check "$place: a folder is no file" equal "$status $err" \
        "1 $program: remove '$place:$folder/d': it is a folder
$program: try: -r"
    file rm -r "$place:$folder/d"
    check "$place: gone" test "$status" = 0 -a ! -e "$folder/d"
done
printf 'a\nb' >"$T/old"
printf 'x' >"$T/new"
put '1a
b2' local:f
file edit --old-file "$T/old" --new-file "$T/new" local:f
check 'texts come from files too' equal "$(cat f)" 1x2

# JSON.
put abc --json "$(near f)"
sum=$(printf abc | sha256sum | cut -d' ' -f1)
check 'a write tells the sum' equal "$(jq -r .sha256 "$T/out")" "$sum"
put abcd --json --if-hash "$sum" "$(near f)"
check 'which the next one is given' equal "$status $(jq -r .created "$T/out")" '0 false'
put lost --json --if-hash "$sum" "$(near f)"
check 'and is refused by then' equal "$status $(jq -r .error.code "$T/out") $(cat "$W/f")" \
    '1 SBX_ERR_CONFLICT abcd'
put x --new "$(near f)"
check '--new wants none there' equal "$status" 1
file cat --json "$(near f)"
check 'content is text' equal "$(jq -r '.content + .encoding' "$T/out")" abcdutf-8
printf '\377' >"$T/in"
input=$T/in file write "$(near bytes)"
file cat --json "$(near bytes)"
check 'or base64' equal "$(jq -r '.content + .encoding' "$T/out")" /w==base64
put x "$(near "$(printf 'n\377')")"
file ls --json "$(near '')"
check 'so are names' equal \
    "$(jq -r '.entries[] | select(.encoding == "base64").path' "$T/out" | base64 -d | od -An -tx1)" \
    ' 6e ff'
file stat --json "$(near f)"
check 'what a file is' equal "$(jq -r '.kind + .mode + (.size | tostring)' "$T/out")" file06444
file mkdir --json "$(near j)" && check 'what has no more to tell' equal "$(jq -r .done "$T/out")" true
file cat --json "$(near nosuch)"
check 'an error is an object' equal "$status $(jq -r .error.code "$T/out")" '1 SBX_ERR_NOT_FOUND'

# Large. What is there belongs to whoever was asked without a login.
rm -f "$W"/*
head -c 50000000 /dev/urandom >"$T/large"
input=$T/large file write "$(at large)"
check '50 MB are written' cmp "$T/large" "$W/large"
head -c 1000 "$T/large" | timeout 60 "$SBX" -F "$SSHD_CONFIG" file write "$(at large)"
check 'a pipe of unknown length too' equal "$(wc -c <"$W/large")" 1000
input=$T/large file write "$(at large)"
file cat "$(at large)"
check 'and read' cmp "$T/large" "$T/out"
file cat --range 49999990: "$(at large)"
check 'and read at the end' equal "$(wc -c <"$T/out")" 10
"$SBX" -F "$SSHD_CONFIG" file cat "$(at large)" 2>"$T/err" | head -c 10 >"$T/out"
check 'who has enough goes away in peace' equal "$(wc -c <"$T/out") $(cat "$T/err")" '10 '

# The client dies in the middle: the file is old.
put old "$(at f)"
mkfifo "$T/fifo"
"$SBX" -F "$SSHD_CONFIG" file write "$(at f)" <"$T/fifo" 2>/dev/null &
victim=$!
exec 7>"$T/fifo"
head -c 3000000 "$T/large" >&7
grown() { find "$W" -name '.sbx-write.*' -size +900k | grep -q .; }
check 'half of it is over there' within 20 grown
kill -KILL $victim
wait $victim 2>/dev/null
exec 7>&-
check 'a killed client leaves nothing beside' within 20 nothing_left "$W"
check 'and the old file' equal "$(cat "$W/f")" old
"$SBX" -F "$SSHD_CONFIG" file append "$(at f)" <"$T/fifo" 2>"$T/err" &
victim=$!
exec 7>"$T/fifo"
head -c 3000000 "$T/large" >&7
check 'half of an append is over there' within 20 grown
kill -TERM $victim
wait $victim
check 'a signal cancels' equal "$? $(head -n 1 "$T/err")" \
    "130 $program: append to '$(at f)': cancelled"
exec 7>&-
check 'nothing is beside' within 20 nothing_left "$W"
check 'nothing was added' equal "$(cat "$W/f")" old

# Two who write at once.
put 0 "$(near count)"
for i in 1 2 3; do
    for j in 1 2 3; do
        until "$SBX" -F "$SSHD_CONFIG" file edit "$(near count)" 0 "0$i" 2>>"$T/log"; do :; done
    done &
done
wait $(jobs -p)
check 'no edit is lost' equal "$(grep -o '[123]' "$W/count" | sort | tr -d '\n')" 111222333

# A disk that is full, or closed.
tmpfs=$T/tmpfs
mkdir "$tmpfs"
as_root mount -t tmpfs -o size=1m,mode=777 none "$tmpfs"
put old "local:$tmpfs/f"
input=$T/large file write "local:$tmpfs/f"
check 'a full disk is told with what is free' contains "$err" \
    "$program: write 'local:$tmpfs/f': no space left on device: 0 bytes and"
check 'as what it is' equal "$status" 1
check 'the old file stands' equal "$(cat "$tmpfs/f")" old
check 'nothing is left of the new one' nothing_left "$tmpfs"
head -c 600000 "$T/large" >"$T/in"
file append --from "$T/in" "local:$tmpfs/f"
check 'an append that does not fit is told' contains "$err" 'no space left on device'
check 'and adds nothing' equal "$(cat "$tmpfs/f")" old
check 'nothing is left of it' nothing_left "$tmpfs"
cp "$T/large" "$W/tree.bin" && mkdir "$W/tree" && mv "$W/tree.bin" "$W/tree"
file cp -r "$(near tree)" "local:$tmpfs/tree"
check 'a copy that does not fit is told' contains "$err" 'no space left on device'
check 'and is not there' equal "$(ls -A "$tmpfs")" f
as_root mount -o remount,nr_inodes=4 "$tmpfs" 2>/dev/null
: >"$tmpfs/1" && : >"$tmpfs/2"
put x "local:$tmpfs/3"
check 'so are inodes' contains "$err" 'and 0 inodes free'
read_only=$T/read-only
mkdir "$read_only"
as_root mount -t tmpfs -o ro none "$read_only"
for verb in write mkdir; do
    input=$T/old file $verb "local:$read_only/x"
    check "$verb: a read-only file system is told" equal "$status $err" \
        "1 $program: $(echo $verb | sed 's/mkdir/make folder/') 'local:$read_only/x': the file system of '$read_only' is read-only"
done

# A line that breaks.
put old "$(at f)"
"$SBX" -F "$SSHD_CONFIG" file write "$(at f)" <"$T/fifo" 2>"$T/err" &
victim=$!
exec 7>"$T/fifo"
head -c 3000000 "$T/large" >&7
check 'half of it is over there again' within 20 grown
end_tree "$SSHD_PID"
wait $victim
check 'a connection that breaks is 255' equal "$?" 255
exec 7>&-
check 'the old file stands, whole' equal "$(cat "$W/f")" old
check_end
