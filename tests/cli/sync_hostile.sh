# sync_hostile.sh - a far side that lies: names that lead out of the target, links on the
# way, things that nobody asked for. Nothing outside of the target is ever touched.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
pull() { PATH=$T/bin:$PATH run -F none sync pull "local:$T/a" "$@"; }
outside() { find "$T" -name '*evil*' | grep -v '/hostile'; ls outside; cat secret; }

mkdir -p a/sub outside bin hostile
echo good >a/file && echo inner >a/sub/inner && echo last >a/zlast
printf secret >secret
/usr/bin/python3 - "$T" <<'END' || exit 1
import io, os, sys, tarfile
T = sys.argv[1]
TIME = {name: os.stat(T + '/a/' + name).st_mtime for name in ('file', 'sub/inner', 'zlast')}

def archive(name, *items):
    with tarfile.open(T + '/hostile/' + name, 'w', format=tarfile.GNU_FORMAT) as tar:
        for path, kind, what in items:
            info = tarfile.TarInfo(path)
            info.type = kind
            info.mtime = int(TIME.get(path.removeprefix('./'), 0))
            if kind == tarfile.REGTYPE:
                info.size = len(what)
                tar.addfile(info, io.BytesIO(what))
            else:
                info.linkname = what
                tar.addfile(info)

F, L, H = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
archive('above', ('../evil', F, b'x'), ('./../evil', F, b'x'), ('./sub/../../evil', F, b'x'))
archive('absolute', (T + '/evil', F, b'x'), ('//' + T + '/evil', F, b'x'))
archive('through', ('./sub', L, T + '/outside'), ('./sub/inner', F, b'inner\n'))
archive('wanted', ('./file', L, T + '/secret'), ('./file', F, b'good\n'))
archive('hard', ('./file', H, '../secret'), ('./sub/inner', H, T + '/secret'))
archive('unasked', ('./evil', F, b'x'), ('./sub/evil', F, b'x'), ('./dev', tarfile.CHRTYPE, ''))
archive('twice', ('./file', F, b'good\n'), ('./file', F, b'evil\n'))
archive('longer', ('./file', F, b'good\n' + bytes(100000)))
END
tar=$(command -v tar)
cat >bin/tar <<END
#!/bin/sh
case \$1 in --version) exec $tar --version ;; esac
cat >/dev/null
cat "$T/hostile/now"
END
chmod +x bin/tar
for name in above absolute through wanted hard unasked twice longer; do
    rm -rf here && cp "hostile/$name" hostile/now
    pull here
    check "an archive of names '$name' is told as partial" equal "$status" 1
    check '  nothing comes to be outside' equal "$(outside)" secret
    check '  nor any link in the target' equal "$(find here -type l)$(find here -links +1 -type f)" ''
    check '  and what is there is what was asked for' test -z "$(cd here && find . -type f ! -path '*/.sbx*' -exec sh -c 'cmp -s "$1" "$2/a/$1" || echo "$1"' sbx {} "$T" \;)"
done
rm -rf here && head -c 3000 hostile/twice >hostile/now
head -c 2000 /dev/urandom >>hostile/now
pull here
check 'garbage is no archive' equal "$(outside)$(find here -type l)" secret
rm bin/tar

find=$(command -v find)
cat >bin/find <<END
#!/bin/sh
case "\$*" in *maxdepth*) exit 0 ;; esac
cat "$T/hostile/now"
END
chmod +x bin/find
for name in ../evil /evil a/../../evil ./evil a//evil; do
    rm -rf here
    printf '//d 755 0 0 - - - \0%s//f 644 5 1500000000.0000000000 - - - \0' "$name" >hostile/now
    pull here
    check "a listing with '$name' is refused" test "$status" -ge 1
    check '  nothing comes to be outside' equal "$(outside)" secret
done
printf '//d 755 0 0 - - - \0sub//l 777 0 1500000000.0000000000 - - - %s\0sub/evil//f 644 5 1500000000.0000000000 - - - \0' "$T/outside" >hostile/now
pull here
check 'so is one with files below a link' test "$status" -ge 1
check '  nothing comes to be outside' equal "$(outside)" secret
rm bin/find

rm -rf here && mkdir here && ln -s "$T/outside" here/sub
pull here
check 'a link of ours in the way of a folder gives way' equal "$status $(cat here/sub/inner) $(outside)" '0 inner secret'
check '  and is no link any more' test ! -h here/sub
check_end
