#!/bin/sh
# run.sh - runs sbx from a fresh checkout: installs what its build needs, builds, executes.
#
#     sh cli/run.sh exec local 'uname -a'
#
# Standard output is the program's alone.

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
. "$root/tests/support/packages.sh"
build=$root/build/release

make_sbx() {
    [ -f "$build/build.ninja" ] ||
        cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DSANDBOX_TESTS=OFF \
            -DSANDBOX_WERROR=OFF -DSANDBOX_PROGRAM_NAME=sbx || return 1
    ninja -C "$build" sbx
}

# Two at once take turns. Quiet unless it fails.
locked_make() {
    mkdir -p "$build" || return 1
    exec 9>"$build/run.lock"
    flock 9 2>/dev/null
    [ -x "$build/cli/sbx" ] || echo "building sbx in $build" >&2
    make_sbx >"$build/run.log" 2>&1 || {
        cat "$build/run.log" >&2
        return 1
    }
    exec 9>&-
}

packages_need gcc libc6-dev cmake ninja-build pkg-config libssh-dev libssl-dev libcjson-dev \
        libarchive-dev libsqlite3-dev libcurl4-openssl-dev || exit 1
locked_make || {
    echo "sbx could not be built" >&2
    exit 1
}
exec "$build/cli/sbx" "$@"
