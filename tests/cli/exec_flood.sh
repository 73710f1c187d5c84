# exec_flood.sh - what prints without end, or a line without end, is held back where
# nobody reads as fast: the program's memory stays flat.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
for name in a b; do
    sed "s/^Host t\$/Host $name/" "$SSHD_CONFIG"
done >"$T/ssh_config"
FLOOD='yes 0123456789abcdef | head -c 60000000' # 3529412 lines, the last without its end

# peak PACE ARGS...: the KiB that the program has at most, read so many MiB a second
# (0: as fast as it comes), and its status, into $T/peak; what came is counted.
peak() {
    /usr/bin/python3 - "$@" >"$T/peak" <<'END'
import os, subprocess, sys, time
pace, line = float(sys.argv[1]), [os.environ["SBX"], *sys.argv[2:]]
program = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0)
came, begin = 0, time.monotonic()
while piece := program.stdout.read(65536):
    came += len(piece)
    if pace:
        time.sleep(max(0, begin + came / pace / 1048576 - time.monotonic()))
_, status, used = os.wait4(program.pid, 0)
print(used.ru_maxrss, os.waitstatus_to_exitcode(status), came)
END
    read -r kib status came <"$T/peak"
}
# grows_by PLACES: at most 16 MiB for each over what a command takes that prints nothing.
grows_by() {
    [ "$kib" -le $((quiet + $1 * 16384)) ] || {
        echo "    $quiet KiB at rest, $kib at most"
        return 1
    }
}
flat() {
    sentence=$1
    places=$2
    bytes=$3
    shift 3
    peak "$@"
    check "$sentence" grows_by "$places"
    check '  and all of it comes' equal "$status $came" "0 $bytes"
}

set -- -F "$T/ssh_config"
peak 0 "$@" exec a true
quiet=$kib
flat 'a flood from a host passes' 1 60000000 0 "$@" exec a "$FLOOD"
flat 'one that is read slowly is held back' 1 60000000 20 "$@" exec a "$FLOOD"
flat 'so are both streams' 1 60000000 20 "$@" exec a "($FLOOD) >&2 & $FLOOD; wait" 2>/dev/null
flat 'one of this machine too' 1 60000000 20 "$@" exec local "$FLOOD"
flat 'and those of several places' 3 $((3 * 60000001 + 3529412 * 13)) 40 "$@" exec a,b,local "$FLOOD"
flat 'a line of 200 MB passes' 1 200000000 0 "$@" exec a 'head -c 200000000 /dev/zero | tr "\000" x'
peak 0 "$@" --json exec a "$FLOOD"
check 'of a flood that is returned only a part is kept' grows_by 1
check '  and all of it is counted' equal "$status $("$SBX" output last | wc -c)" '0 60000000'
peak 0 "$@" exec -t 2 a yes
check 'what never ends costs no more' grows_by 1
check '  until its limit' equal "$status" 124
check_end
