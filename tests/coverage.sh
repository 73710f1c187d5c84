#!/bin/sh
# coverage.sh - which branches of the library its tests take.
#
#     sh tests/coverage.sh [--add] [CTEST_OPTION ...]     such as -L unit; without any: all
#                                                         but lint
#
# Builds build/coverage, runs the tests there, prints the share of each layer and the files
# with the most branches that none has taken, and writes build/coverage/report/index.html,
# line by line. 1 when base, session or sync is below its bar. With --add what earlier runs
# took counts, too: for a test that is new. What a program took that a signal ended is not
# counted: it had no time to say.

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$root" || exit 1
. tests/support/packages.sh
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH

BAR=85
build=${SBX_BUILD:-build/coverage}
launcher=$(command -v ccache)

add=
if [ "${1-}" = --add ]; then
    add=1
    shift
fi
packages_need gcovr || exit 1
cmake -G Ninja -S . -B "$build" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
    -DCMAKE_C_FLAGS='-O0 -g --coverage -fprofile-update=atomic' >/dev/null &&
    ninja -C "$build" >/dev/null || exit 1
[ -n "$add" ] || find "$build" -name '*.gcda' -delete
[ $# -gt 0 ] || set -- -LE 'lint|install|headers|valgrind'
ctest --test-dir "$build" -j "$(($(nproc) * 2))" --repeat until-pass:2 --no-label-summary "$@" |
    tail -n 12
mkdir -p "$build/report"
gcovr -r . --object-directory "$build" -f 'libsandbox/src/' \
    --json-summary "$build/report/summary.json" --html-details "$build/report/index.html" \
    "$build/libsandbox" >/dev/null || exit 1

# One row a layer, then the files; the status is that of the bars.
python3 - "$build/report/summary.json" $BAR <<'END'
import collections, json, sys
layers = collections.defaultdict(lambda: [0, 0, 0, 0])
files = json.load(open(sys.argv[1]))["files"]
for one in files:
    layer = layers[one["filename"].split("/")[-2]]
    for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
        layer[i] += one[key]
bar, low = float(sys.argv[2]), 0
print("%-12s %8s %9s" % ("layer", "lines", "branches"))
for name, (lines, all_lines, taken, all_taken) in sorted(layers.items()):
    share = 100.0 * taken / max(all_taken, 1)
    missed = name in ("base", "session", "sync") and share < bar
    low += missed
    print("%-12s %7.1f%% %8.1f%%%s" % (name, 100.0 * lines / max(all_lines, 1), share,
                                       "   below %g %%" % bar if missed else ""))
print("\n%8s %8s  %s" % ("missed", "branches", "file"))
files.sort(key=lambda one: one["branch_covered"] - one["branch_total"])
for one in files[:20]:
    print("%8d %8d  %s" % (one["branch_total"] - one["branch_covered"], one["branch_total"],
                           one["filename"]))
sys.exit(low > 0)
END
