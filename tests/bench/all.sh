# all.sh - every table in one go, and docs/bench.md made of them; run.sh starts it.
#
#     sh tests/bench/all.sh [--quick] [TOPIC ...]     default: all topics
#
# The status is 1 when a bar was missed.

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
: "${SBX_BUILD:=$root/build/gcc}"
export SBX_BUILD
quick=
[ "${1-}" != --quick ] || { quick=--quick && shift; }
[ $# -gt 0 ] || set -- exec exec40 sync probe mcp jobs watch python computers keeper curves
BENCH_ROWS=$SBX_BUILD/bench_rows
export BENCH_ROWS
: >"$BENCH_ROWS"
missed=0
for topic in "$@"; do
    sh "$root/tests/bench/run.sh" $quick "$topic" || missed=1
done
python3 "$root/tests/bench/page.py" "$BENCH_ROWS" "$root/docs" "$quick" || missed=1
exit $missed
