# sync_tools.sh - trees are made alike whatever tools a place has: BSD's tar, stat and
# options alone, or GNU's. A place is this machine with another PATH.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/trees.sh"
cd "$T" || exit 1
tools() { # NAME WORD...: a folder with these programs and no others
    folder=$T/$1
    mkdir "$folder"
    shift
    for tool in "$@"; do
        ln -s "$(command -v "$tool")" "$folder/$tool"
    done
}
script() { # NAME TOOL: a program of our own in it
    rm -f "$T/$1/$2"
    cat >"$T/$1/$2"
    chmod 755 "$T/$1/$2"
}
basic='sh cat sleep grep ls cut head tail wc date mkdir rmdir ln xargs id uname perl'
tools gnu $basic find tar cp mv rm chmod touch sort stat sha256sum gzip
tools bsd $basic shasum gzip
# What BSD's have, by what they refuse: long options, and those that GNU alone has.
for tool in cp mv rm chmod touch mkdir ln wc; do
    script bsd $tool <<END
#!/bin/sh
for word; do
    case \$word in
    --) break ;;
    --*) echo "$tool: illegal option -- -" >&2; exit 64 ;;
    -*t* | -*T*) case $tool in cp | mv | ln) echo "$tool: illegal option" >&2; exit 64 ;; esac ;;
    -d) [ $tool != touch ] || { echo 'touch: out of range or illegal time' >&2; exit 1; } ;;
    -*) ;;
    *) break ;;
    esac
done
exec $(command -v $tool) "\$@"
END
done
script bsd find <<'END'
#!/bin/sh
for word; do
    case $word in
    -printf | -executable | -readable) echo "find: $word: unknown primary or operator" >&2; exit 1 ;;
    esac
done
exec /usr/bin/find "$@"
END
script bsd tar <<END
#!/bin/sh
exec $(command -v bsdtar) "\$@"
END
script bsd stat <<'END'
#!/usr/bin/perl
use Time::HiRes;
my $follow = $ARGV[0] eq '-L' && shift;
exit(print(STDERR "stat: illegal option -- $ARGV[0]\n") && 1) unless shift eq '-f';
my ($format, $bad) = (shift, 0);
for my $name (@ARGV) {
    my @s = $follow ? stat($name) : lstat($name);
    my $fine = $follow ? (Time::HiRes::stat($name))[9] : (Time::HiRes::lstat($name))[9];
    if (!@s) { print STDERR "stat: $name: stat: $!\n"; $bad = 1; next }
    my %value = (N => $name, p => sprintf('%o', $s[2]), z => $s[7], m => $s[9], d => $s[0],
                 i => $s[1], l => $s[3], Y => -l $name ? readlink($name) : '');
    my $line = $format;
    $line =~ s/%Fm/sprintf('%.9f', $fine)/e;
    $line =~ s/%([NpzmdilY])/$value{$1}/ge;
    print "$line\n";
}
exit $bad;
END
for place in gnu bsd; do
    printf '{"name": "%s", "prefix": ["env"], "env": {"PATH": "%s"}}\n' $place "$T/$place"
done | jq -s . >"$XDG_CONFIG_HOME/sbx/hosts.json"
sync() { run -F none sync "$@"; }
run -F none exec bsd 'find / -maxdepth 0 -printf x || cp -t . x || touch -d 1 x || command -v sha256sum sort'
check 'the tools of BSD refuse what GNU alone has' equal "$status" 127

mkdir -p tree/sub/deep tree/empty
printf x >'tree/a b'
printf y >"tree/new
line"
printf b >'tree/back\slash\n'
printf '%s' 1234 >tree/-n
printf z >tree/--help
seq 20000 >tree/sub/many
ln -s sub tree/link
ln -s nowhere tree/sub/dead
ln tree/-n tree/sub/hard
chmod 4755 'tree/a b'
chmod 1777 tree/sub
chmod 400 tree/sub/many
find tree -exec touch -h -d @1600000000 {} +
for place in gnu bsd; do
    again=0
    [ $place = gnu ] || again=1
    sync push tree "$place:$T/$place.there"
    check "$place: a tree is pushed" equal "$status $err" '0 '
    check '  and is the same there' alike tree $place.there
    sync push tree "$place:$T/$place.there"
    check '  again sends nothing' contains "$out" 'sent: 0 files, 0 B; deleted: 0; unchanged: 13'
    sync push --checksum tree "$place:$T/$place.there"
    # Only GNU's tell a newline in a name so that it can be read.
    check '  nor where contents are compared' equal "$status $(echo "$out" | cut -d, -f1)" "0 sent: $again files"
    echo changed >$place.there/--help
    rm -r $place.there/sub/deep $place.there/link
    mkdir $place.there/link
    : >$place.there/extra
    chmod 600 "$place.there/a b"
    sync push --delete tree "$place:$T/$place.there"
    check '  what was changed there is mended, what is more goes' equal "$status $err" '0 '
    check '  all of it' alike tree $place.there
    sync pull "$place:$T/$place.there" $place.back
    check '  and comes back' equal "$status $err" '0 '
    check '  as it was' alike tree $place.back
    head -c 20000000 /dev/zero | tr '\0' x >large
    sync push large "$place:$T/$place.large/"
    check '  a large file too' cmp large $place.large/large
    check '  with nothing of ours beside' equal "$(find $place.there $place.large -name '.sbx*')" ''
done
check_end
