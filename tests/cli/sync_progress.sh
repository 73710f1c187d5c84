# sync_progress.sh - how far a sync is: a line on a terminal, nothing at all in a pipe, and
# an end within a moment where it is cancelled in its middle.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
proxy_sshd
cd "$T" || exit 1
mkdir a
head -c 9000000 /dev/urandom >a/large
for name in 1 2 3; do echo $name >a/$name; done
check 'a session is to be had' run -F "$SSHD_CONFIG" exec t true

# Slow enough that it is told of before it is over.
proxy_say rate 4000000
for way in push pull; do
    if [ $way = push ]; then set -- a "t:$T/there"; else set -- "t:$T/a" back; fi
    steps 'expect \rlooking' 'expect \rcarrying' 'expect /4 files' 'expect /9.0 MB' \
        'expect B/s' 'expect  left' 'expect \x1b[K' 'expect \rplacing' 'expect 4/4 files' \
        'expect 9.0 MB/9.0 MB' 'expect \r\x1b[Ksent: 4 files, 9.0 MB' 'status 0'
    check "$way: a terminal is told files, bytes, rate and time left, and has its line back" \
        on_terminal "$SBX" -F "$SSHD_CONFIG" sync $way "$1" "$2"
    rm -rf there back
    run -F "$SSHD_CONFIG" sync $way "$1" "$2"
    check "$way: a pipe is told nothing of it" equal "$status $(wc -c <err) $out" \
        '0 0 sent: 4 files, 9.0 MB; deleted: 0; unchanged: 0'
    rm -rf there back
    steps 'expect {"place"' 'status 0'
    check "$way: nor is who reads JSON" on_terminal sh -c \
        '"$@" --json 2>err; s=$?; [ ! -s err ] && exit $s' sbx "$SBX" -F "$SSHD_CONFIG" sync $way "$1" "$2"
    rm -rf there back

    proxy_say rate 200000
    steps 'expect \rcarrying' 'expect B/s' 'run date +%s%N >begin' 'signal INT' 'expect cancelled' \
        'status 130' 'run date +%s%N >end'
    check "$way: Ctrl-C ends it" on_terminal "$SBX" -F "$SSHD_CONFIG" sync $way "$1" "$2"
    took=$((($(cat end) - $(cat begin)) / 1000000))
    # A second is what it may take, and another one what a busy machine needs for the rest.
    check "  at once ($took ms)" test "$took" -lt 2000
    proxy_say rate 4000000
    rm -rf there back
done
proxy_stop
check_end
