# file_tools.sh - files are told alike whatever tools a place has: GNU's, BSD's, hardly any.
. "$(dirname "$0")/lib.sh"
# A place is this machine with another PATH, so that no login is paid for.
W=$T/work
mkdir "$W"
chmod 777 "$W"

# tools NAME WORD...: a folder with these programs and no others.
tools() {
    folder=$T/$1
    mkdir "$folder"
    shift
    for tool in "$@"; do
        ln -s "$(command -v "$tool")" "$folder/$tool"
    done
}
# script NAME TOOL: a program of our own in it.
script() {
    cat >"$T/$1/$2"
    chmod 755 "$T/$1/$2"
}
basic='sh ls cat chmod chown mkdir mv rm cp ln cut tail head wc df dd readlink date cksum
true find touch'
tools gnu $basic stat sha256sum sync flock
tools bsd $basic shasum perl
tools bare $basic
rm "$T/bsd/find" "$T/bare/find"
# Neither of the two has a find that prints.
for place in bsd bare; do
    script $place find <<'END'
#!/bin/sh
for word; do
    [ "$word" != -printf ] || { echo 'find: -printf: unknown primary or operator' >&2; exit 1; }
done
exec /usr/bin/find "$@"
END
done
# stat as BSD has it, in the forms that we ask for.
script bsd stat <<'END'
#!/bin/sh
[ "$1" = -f ] || { echo "stat: illegal option -- ${1#-}" >&2; exit 1; }
case $2 in
'b %p %z %Fm %u %g %l')
    shift 2
    for file; do
        set -- $(/usr/bin/stat -c '%f %s %.9Y %u %g %h' "$file") || exit 1
        printf 'b %o %s %s %s %s %s\n' "0x$1" "$2" "$3" "$4" "$5" "$6"
    done
    ;;
'%z %Mp%Lp %u:%g')
    shift 2
    set -- $(/usr/bin/stat -c '%s %a %u:%g' "$1") || exit 1
    printf '%s %04d %s\n' "$1" "$2" "$3"
    ;;
%p) echo 40755 ;;
*)
    echo "stat: $2: bad format" >&2
    exit 1
    ;;
esac
END
for place in gnu bsd bare; do
    printf '{"name": "%s", "prefix": ["env"], "env": {"PATH": "%s"}}\n' $place "$T/$place"
done | jq -s . >"$T/list"
file() {
    verb=$1
    shift
    run -F none --config "$T/list" file "$verb" "$@"
}
run -F none --config "$T/list" exec bare 'command -v stat sha256sum flock sync'
check 'a bare place has none of these' equal "$out" ''

# A tree of kinds and names, with whole seconds as ls knows no finer ones.
cd "$W" || exit 1
nl='
'
mkdir -p 'a b/c' empty
printf x >"a b/-n"
printf xyz >"new${nl}line"
printf '' >"$(printf 'n\377')"
printf 1 >"ends$nl"
ln -s "to${nl}" "link$nl"
ln -s "a b" folder
mkfifo pipe
chmod 4711 "a b/-n"
chmod 1777 empty
find . ! -type l -exec touch -d @1600000000.25 {} +
find . -type l -exec touch -h -d @1600000000.25 {} +
chmod 777 .

# What differs between tools that differ in how finely they tell of time.
told() {
    jq -S -c '.entries[] | (.mtime |= if . == null then null else floor end)'
}
for place in gnu bsd bare; do
    file ls -r --json "$place:$W"
    check "$place: a tree is listed" equal "$status $err" '0 '
    told <"$T/out" >"$T/$place.json"
done
check 'all of it' equal "$(wc -l <"$T/gnu.json")" 10
check 'BSD tools tell the same as those of GNU' cmp "$T/gnu.json" "$T/bsd.json"
check 'so does ls alone, but for the times of links' equal \
    "$(jq -c 'if .kind == "link" then .mtime = null else . end' <"$T/gnu.json")" \
    "$(cat "$T/bare.json")"
for place in gnu bsd bare; do
    file ls --glob '*line' "$place:$W"
    check "$place: a pattern is held against names" equal "$out" "new${nl}line"
    file ls --json "$place:$W/empty"
    check "$place: an empty folder has nothing" equal "$status $(jq -c .entries "$T/out")" '0 []'
    file stat --json "$place:$W/a b/-n"
    check "$place: one file is told of" equal "$(jq -c '[.mode, .size]' "$T/out")" '["4711",1]'
done

# What is written with those of GNU is asked for by all other tests.
sum=$(printf abc | sha256sum | cut -d' ' -f1)
for place in bsd bare; do
    printf abc >"$T/in"
    file write --mode 750 --from "$T/in" "$place:$W/$place.f"
    check "$place: a file is written" equal "$status $(cat "$W/$place.f")" '0 abc'
    file write --from "$T/in" "$place:$W/$place.f"
    check "$place: its mode is kept" equal "$(stat -c %a "$W/$place.f")" 750
    file append --from "$T/in" "$place:$W/$place.f"
    check "$place: it grows" equal "$(cat "$W/$place.f")" abcabc
    file cat --json "$place:$W/$place.f"
    check "$place: and is read" equal "$(jq -r .content "$T/out")" abcabc
    file cp "$place:$W/$place.f" "$place:$W/$place.g"
    file mv "$place:$W/$place.g" "$place:$W/$place.h"
    file rm "$place:$W/$place.f"
    check "$place: copied, moved, removed" equal "$(cd "$W" && echo $place.*)" "$place.h"
    file write --from "$T/in" "$place:$W/$place.h"
    check "$place: nothing is left beside" test -z "$(find "$W" -name '.sbx-*')"
    printf x >"$T/in"
    file write --if-hash "$sum" --from "$T/in" "$place:$W/$place.h"
    held=$status
    file sum "$place:$W/$place.h"
    case $place in
    bare)
        check 'without a tool no condition is taken for true' equal "$held $(cat "$W/bare.h")" '255 abc'
        check 'and the sum is told as what it is' equal "$out" \
            "cksum:$(printf abc | cksum | cut -d' ' -f1)  $W/bare.h"
        ;;
    *)
        check "$place: a condition that holds" equal "$held $(cat "$W/$place.h")" '0 x'
        check "$place: the sum" equal "${out%% *}" "$(printf x | sha256sum | cut -d' ' -f1)"
        ;;
    esac
done
check_end
