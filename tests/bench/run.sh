#!/bin/sh
# run.sh - measures us beside the tool that would be used otherwise, in one run.
#
#     sh tests/bench/run.sh [--quick] exec      on the loopback
#     sh tests/bench/run.sh [--quick] exec40    behind a line of 40 ms a round trip
#     sh tests/bench/run.sh [--quick] sync      trees, on both; beside rsync and tar
#     sh tests/bench/run.sh [--quick] probe     many hosts at once
#     sh tests/bench/run.sh [--quick] mcp       the MCP server
#     sh tests/bench/run.sh [--quick] jobs      starts, and lists of a hundred
#     sh tests/bench/run.sh [--quick] watch     a watchdog of 500 watches on 50 hosts
#     sh tests/bench/run.sh [--quick] python    the binding beside the C calls
#     sh tests/bench/run.sh [--quick] computers beside docker's own command line
#     sh tests/bench/run.sh [--quick] keeper    commands over a connection that is kept
#     sh tests/bench/run.sh [--quick] curves    time against round trip, hosts, megabytes
#     sh tests/bench/run.sh [--quick] all       all of these, into docs/bench.md
#
# docs/bench.md says what each row is.
# Needs a build (SBX_BUILD, else build/gcc) and OpenSSH, client and server. Prints a
# table of medians and ratios; the status is 1 when a bar is missed. On a machine that
# is busy otherwise the numbers mean little.

usage() {
    cat <<'END'
usage: sh tests/bench/run.sh [--quick] exec|exec40|sync|probe|mcp|jobs|watch|python|computers|keeper|curves|all

Measures us beside the installed ssh, or rsync, and prints a row for each comparison: medians, their
ratio, the bar it is held against. docs/bench.md explains the rows.

    exec       on the loopback
    exec40     behind a line of 40 ms a round trip
    sync       trees of files, on the loopback and behind such a line
    probe      how busy 50 hosts are
    mcp        how fast the MCP server answers
    jobs       starts of jobs, and lists of a hundred
    watch      what a watchdog of 500 watches on 50 hosts takes
    python     what the binding takes beside the C calls
    keeper     whole programs over a connection that is kept
    computers  containers made and entered, beside docker
    curves     time against round trip, hosts and megabytes
    all        all of these; docs/bench.md and its plots are made of the rows
    --quick    fewer turns, 64 MiB instead of 1 GiB: whether it works, not how fast

SBX_BUILD names the build (default: build/gcc). Needs OpenSSH, for sync rsync, and root or sudo without a
password. Status: 0 all bars met, 1 one was missed, 2 a mistake in the call.
END
}
case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
esac

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${SBX_BUILD:=$root/build/gcc}"
: "${SBX:=$SBX_BUILD/cli/sbx}"
TEST_SUPPORT=$root/tests/support
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"

quick=
[ "${1-}" != --quick ] || { quick=1 && shift; }
topic=${1-}
case $topic:$# in
exec:1 | exec40:1 | sync:1 | probe:1 | mcp:1 | jobs:1 | watch:1 | python:1 | \
    computers:1 | keeper:1 | curves:1) ;;
all:1)
    exec sh "$root/tests/bench/all.sh" ${quick:+--quick}
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
case $topic in
exec40 | keeper | curves) bench=$SBX_BUILD/tests/bench_exec ;;
*) bench=$SBX_BUILD/tests/bench_$topic ;;
esac
# What was measured by the shell is printed as it stands: value - - - UNIT NUMBER.
measure() {
    if [ "$1" = value ]; then
        echo "value $5 $6 - -"
    else
        "$bench" "$@"
    fi
}
if [ "$topic" = python ]; then
    SBX_SOURCE=$root
    . "$TEST_SUPPORT/python.sh"
    python_build "$SBX_BUILD/python.log" || sshd_fail "the binding does not build: $SBX_BUILD/python.log"
    "$PYTHON" -m compileall -q "$PYTHONPATH" || exit 1 # as an install does
    bench=$PYTHON
    measure() { "$PYTHON" "$root/tests/bench/python.py" "$@"; }
fi
for program in "$bench" "$SBX"; do
    [ -x "$program" ] || sshd_fail "'$program' is not built"
done

if [ -n "$quick" ]; then
    warm=40 fresh=8 bulk=3 crowd=3 mebibytes=64
else
    warm=200 fresh=40 bulk=5 crowd=9 mebibytes=1024
fi
missed=0

# row NAME RELATION BAR MODE ROUNDS PLACE [THING ...]: one line of the table; the bar is of the
# ratio, or of the value where there is nothing to compare with. BENCH_ROWS names a file that
# gets it as well, tabs between its fields, for page.py.
row() {
    row_name=$1 row_relation=$2 row_bar=$3 row_mode=$4 row_rounds=$5
    shift 5
    numbers=$(measure "$row_mode" "$row_rounds" "$SSHD_CONFIG" "$@") || exit 1
    echo "$numbers" | awk -v topic="$topic" -v name="$row_name" -v relation="$row_relation" \
        -v bar="$row_bar" -v rows="${BENCH_ROWS-/dev/null}" '{
        value = $5 == "-" ? $3 : $5
        met = bar == "-" || (relation == "<=" ? value + 0 <= bar + 0 : value + 0 >= bar + 0)
        printf "%-36s %-5s %10s %10s %8s   %s %-6s %s\n", name, $2, $3, $4, $5,
            relation, bar, met ? "pass" : "FAIL"
        OFS = "\t"
        print topic, name, $2, $3, $4, $5, $6, $7, relation, bar, met ? "pass" : "FAIL" >>rows
        exit !met
    }' || missed=1
}

if [ "$topic" = sync ]; then
    . "$root/tests/bench/sync.sh"
    exit "$missed"
fi
if [ "$topic" = computers ]; then
    . "$root/tests/bench/computers.sh"
    exit "$missed"
fi
sshd_start
sshd_user bench /bin/bash
topic_exec() {
    row 'warm exec of true' '<=' 0.6 warm "$warm" bench "$SSHD_DIR/ctl"
    row 'fresh exec of true' '<=' 1.0 fresh "$fresh" bench "$SBX"
    row "$mebibytes MiB down" '>=' 0.95 down "$bulk" bench "$SSHD_DIR/file"
    row "$mebibytes MiB up" '>=' 0.95 up "$bulk" bench "$SSHD_DIR/file"
    row 'memory of 50 sessions' '<=' 60 memory 50 bench
}

# Every connection goes through the proxy, those between two hops too.
topic_exec40() {
    row 'warm exec of true' '<=' 0.6 warm "$warm" bench "$SSHD_DIR/ctl"
    row 'fresh exec of true' '<=' 1.0 fresh "$fresh" bench "$SBX"
    row 'through two jump hosts' '<=' 1.0 fresh "$fresh" behind "$SBX"
    row '50 hosts from cold' '<=' 0.7 crowd "$crowd" "$many" "$SBX"
    row "$mebibytes MiB down" '>=' 1.2 down "$bulk" bench "$SSHD_DIR/file"
    row "$mebibytes MiB up" '>=' 1.2 up "$bulk" bench "$SSHD_DIR/file"
}

[ "$topic" != keeper ] || . "$root/tests/bench/keeper.sh"

topic_probe() {
    row '50 hosts from cold' '<=' 0.7 cold "$crowd" "$many" "$SBX"
    row '50 hosts warm' '<=' 1.2 warm "$crowd" bench 50
    row 'CPU of the script' '<=' 60 cpu "$fresh" bench
}

topic_mcp() {
    server=$(dirname "$SBX")/../mcp-stdio/$(basename "$SBX")-mcp
    row 'ping, the slowest of a hundred' '<=' 2 ping "$((warm * 50))" bench "$server"
    row 'pings a second on one pipe' '>=' 3000 rate "$bulk" bench "$server"
    row 'from its start to its first answer' '<=' 50 start "$fresh" bench "$server"
    row 'exec_bash of true, over the library' '<=' 1 exec "$warm" bench "$server"
}

# The first row of the list makes the jobs that the second one finds.
topic_jobs() {
    row 'start of a job' '<=' 6.0 start "$fresh" bench "$SSHD_DIR/ctl"
    row 'start of a job, round trips' '<=' 2.0 trips "$fresh" bench far
    row 'list of 100 jobs, round trips' '<=' 1.5 ls "$fresh" bench far
    row 'list of 100 jobs, CPU there' '<=' 100 cpu "$fresh" bench
}

topic_watch() {
    row '500 watches on 50 hosts, of a core' '<=' 1 cpu "$fresh" "$many" "$SBX"
    row '500 watches on 50 hosts, memory' '<=' 60 memory 1 "$many" "$SBX"
}

topic_python() {
    row 'run("true") over the C call' '<=' 100 warm "$warm" bench
    row 'import sandbox' '<=' 60 import "$fresh" bench
    row "$mebibytes MiB through the iterator" '>=' 0.9 down "$bulk" bench "$SSHD_DIR/file"
}

# The master of before ends with the line that it went over.
curve_of_line() {
    proxy_start "$SSHD_PORT" --delay "$1"
    alias_of_bench "at$1" "$PROXY_PORT" >>"$SSHD_CONFIG"
    ssh -F "$SSHD_CONFIG" -S "$SSHD_DIR/ctl$1" -M -N -f "at$1" || exit 1
    row "warm exec, round trip of $(($1 * 2)) ms" '<=' - warm "$fresh" "at$1" "$SSHD_DIR/ctl$1"
    row "fresh exec, round trip of $(($1 * 2)) ms" '<=' - fresh "$fresh" "at$1" "$SBX"
    ssh -F "$SSHD_CONFIG" -S "$SSHD_DIR/ctl$1" -O exit "at$1" 2>/dev/null
    proxy_stop
}

topic_curves() {
    for delay in 0 5 10 20 40; do
        curve_of_line $delay
    done
    many_of_bench "$SSHD_PORT" >>"$SSHD_CONFIG"
    for hosts in 1 5 10 25 50; do
        row "exec from cold, $hosts hosts" '<=' - crowd "$bulk" "$(seq -f 'h%g' -s, $hosts)" "$SBX"
    done
    for size in 1 4 16 64 256; do
        truncate -s "${size}M" "$SSHD_DIR/file"
        row "down, $size MiB" '<=' - down "$bulk" bench "$SSHD_DIR/file"
    done
}

# alias NAME PORT [LINE]
alias_of_bench() {
    sed -n '/^Host bench$/,/^Host /p' "$SSHD_DIR/base" | sed "1s/.*/Host $1/; s/Port .*/Port $2/; 2,\$ { /^Host/d }"
    [ $# -lt 3 ] || echo "    $3"
}

# The hosts h1 to h50, all at that port.
many_of_bench() {
    n=0
    while [ $n -lt 50 ]; do
        n=$((n + 1))
        alias_of_bench "h$n" "$1"
    done
}

many=$(seq -f 'h%g' -s, 50)
cp "$SSHD_CONFIG" "$SSHD_DIR/base"
if [ "$topic" = exec40 ]; then
    mebibytes=64
    proxy_start "$SSHD_PORT" --delay 20
    {
        alias_of_bench bench "$PROXY_PORT"
        alias_of_bench one "$PROXY_PORT"
        alias_of_bench two "$PROXY_PORT"
        alias_of_bench behind "$PROXY_PORT" 'ProxyJump one,two'
        many_of_bench "$PROXY_PORT"
    } >"$SSHD_CONFIG"
fi
if [ "$topic" = keeper ]; then
    proxy_start "$SSHD_PORT" --delay 20
    alias_of_bench far "$PROXY_PORT" >>"$SSHD_CONFIG"
fi
if [ "$topic" = jobs ]; then
    proxy_start "$SSHD_PORT" --delay 100
    alias_of_bench far "$PROXY_PORT" >>"$SSHD_CONFIG"
fi
[ "$topic" != probe ] && [ "$topic" != watch ] || many_of_bench "$SSHD_PORT" >>"$SSHD_CONFIG"
printf 'Host *\n    Ciphers aes128-gcm@openssh.com\n    KexAlgorithms curve25519-sha256\n' \
    >>"$SSHD_CONFIG"
truncate -s "${mebibytes}M" "$SSHD_DIR/file"
chmod 644 "$SSHD_DIR/file"
ssh -F "$SSHD_CONFIG" -S "$SSHD_DIR/ctl" -M -N -f bench || exit 1

printf '%-36s %-5s %10s %10s %8s   %s\n' '' unit sandbox openssh ratio bar
topic_$topic
ssh -F "$SSHD_CONFIG" -S "$SSHD_DIR/ctl" -O exit bench 2>/dev/null
exit "$missed"
