# sync_clock.sh - a far side whose clock goes wrong, or that keeps times in whole seconds:
# nothing is sent twice, and no change is missed.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
sshd_user box /bin/sh
trap 'sshd_cleanup; rm -rf "$T"' EXIT
sshd_chroot
cd "$T" || exit 1
# A clock that is off shows in what `date` says and in the times of what is written.
mkdir bin
cat >bin/date <<END
#!/bin/sh
exec $(command -v date) -d '3600 seconds' "\$@"
END
chmod +x bin/date
printf '[{"name": "off", "prefix": ["env"], "env": {"PATH": "%s:%s"}}]' "$T/bin" "$PATH" >list
sync() { run -F "$SSHD_CONFIG" --config list sync "$@"; }
counted() { echo "$out" | cut -d, -f1; }
# written SECONDS FILE TEXT: as by a clock that is so far off.
written() {
    printf %s "$3" >"$2" && touch -d "$(date -d "$1 seconds" '+%Y-%m-%d %H:%M:%S.%N')" "$2"
}

# both_ways NAME TARGET FOLDER: FOLDER is where we see the target.
both_ways() {
    for off in 3600 -3600; do
        rm -rf a back "$3"
        mkdir a
        for name in one two three; do written 0 a/$name "$name"; done
        written -0.2 a/four four
        sync push a "$2"
        check "$1, $off s: a push" equal "$status $(counted)" '0 sent: 4 files'
        sync push a "$2"
        check '  is one' equal "$(counted)" 'sent: 0 files'
        written 2 a/one ONE
        sync push a "$2"
        check '  what was changed since is sent, by its time alone' equal "$(counted) $(cat "$3/one")" 'sent: 1 files ONE'
        written $off "$3/two" TWO
        written $off a/three THREE
        sync push a "$2"
        check '  so is what the clock over there has dated, and what ours has' \
            equal "$(counted) $(cat "$3/two" "$3/three")" 'sent: 2 files twoTHREE'
        sync push a "$2"
        check '  once' equal "$(counted)" 'sent: 0 files'
        written $off "$3/one" Two
        sync pull "$2" back
        check '  a pull' equal "$status $(counted) $(cat back/one)" '0 sent: 4 files Two'
        sync pull "$2" back
        check '  is one' equal "$(counted)" 'sent: 0 files'
        written $((off + 1)) "$3/one" One
        sync pull "$2" back
        check '  what was changed there since is got' equal "$(counted) $(cat back/one)" 'sent: 1 files One'
        written 0 back/one oNE
        sync pull "$2" back
        check '  so is what was changed here' equal "$(counted) $(cat back/one)" 'sent: 1 files One'
        sync pull "$2" back
        check '  once' equal "$(counted)" 'sent: 0 files'
    done
}
both_ways 'a wrong clock' "off:$T/there" "$T/there"
mkdir -m 777 "$BUSYBOX_ROOT/tmp/work"
both_ways 'whole seconds' box:/tmp/work/there "$BUSYBOX_ROOT/tmp/work/there"

# Within one second of what was pushed before, to a side that knows no more of it.
written 5 a/one 111
sync push a box:/tmp/work/there
stamp=$(stat -c %Y a/one)
printf 222 >a/one && touch -d "@$stamp.9" a/one
sync push a box:/tmp/work/there
check 'a change within the same second is sent' equal "$(cat "$BUSYBOX_ROOT/tmp/work/there/one")" 222
check_end
