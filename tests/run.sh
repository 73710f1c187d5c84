#!/bin/sh
# run.sh - installs what the tests need, builds each configuration, runs all tests there.
#
#     sh tests/run.sh [--quick] [--full] [--only LABEL]
#
# --quick builds once and runs what needs no server, in less than two minutes. --full
# runs the integration tests on the plain build too, not only under the sanitisers.
# --only runs the tests of one label in every configuration that has some. The last line is
# "N passed, N failed"; a build that fails counts as one failed.

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$root" || exit 1
. tests/support/packages.sh

# The tools are those of the packages, whatever else the person has put ahead of them.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH

PACKAGES='build-essential ccache cmake ninja-build pkg-config libssh-dev libssl-dev
libcjson-dev libsqlite3-dev libarchive-dev libarchive-tools docker.io podman catatonit uidmap runc libcurl4-openssl-dev check clang clang-runtime clang-format lld valgrind openssh-server openssh-client procps iproute2
fish tcsh csh zsh ksh93u+m mksh yash busybox-static btrfs-progs dropbear-bin tinysshd ucspi-tcp scdoc man-db
python3 nodejs npm tmux netcat-openbsd jq git gnome-keyring libsecret-tools dbus systemd libpam-systemd dbus-user-session libnotify-bin python3-dbus python3-gi doxygen abigail-tools
python3-cffi python3-fsspec python3-pandas python3-tqdm python3-dev python3-setuptools python3-build python3-venv python3-wheel mypy'
QUICK_PACKAGES='build-essential cmake ninja-build pkg-config libssh-dev libssl-dev libcjson-dev
libarchive-dev libsqlite3-dev libcurl4-openssl-dev check clang clang-format openssh-client procps python3 jq doxygen'

quick=
full=
only=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --full) full=1 ;;
    --only)
        only=${2:?--only needs a label}
        shift
        ;;
    *)
        echo "usage: $0 [--quick] [--full] [--only LABEL]" >&2
        exit 2
        ;;
    esac
    shift
done

# What needs a server or a terminal waits more than it works: more of it runs at once.
jobs=$(nproc)
waiting_jobs=$((jobs * 2))
total_passed=0
total_failed=0
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

failed() {
    echo "FAILED: $*"
    total_failed=$((total_failed + 1))
}

# build NAME TARGETS [CMAKE_OPTION ...]: 1 when it does not build, which is counted.
build() {
    name=$1
    targets=$2
    shift 2
    echo "== $name: build"
    if cmake -G Ninja -S . -B "build/$name" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
        -DCMAKE_EXE_LINKER_FLAGS="$linker" "$@" >"$log" 2>&1 &&
        ninja -C "build/$name" -k 0 $targets >"$log" 2>&1; then
        return 0
    fi
    grep -v '^\[[0-9]*/[0-9]*\] [BL]\|^: && ' "$log"
    failed "build/$name does not build"
    return 1
}

# label_of PATTERN: what of a configuration's labels is asked for; empty is nothing.
label_of() {
    if [ -z "$only" ]; then
        echo "$1"
    elif echo "$only" | grep -qxE "$1"; then
        echo "$only"
    fi
}

# run NAME PATTERN [CTEST_OPTION ...]: the tests whose label the pattern matches.
run() {
    name=$1
    label=$(label_of "$2")
    [ -n "$label" ] || return 0
    shift 2
    ! ctest --test-dir "build/$name" -N -L "^($label)\$" "$@" | grep -qx 'Total Tests: 0' ||
        return 0
    echo "== $name: $label"
    at_once=$jobs
    ! echo "$label" | grep -qwE 'integration|cli|mcp|python' || at_once=$waiting_jobs
    $around ctest --test-dir "build/$name" -L "^($label)\$" -j "$at_once" --output-on-failure \
        --repeat until-pass:3 \
        --no-label-summary "$@" 2>&1 | tee "$log" |
        sed '/^Internal ctest/d; /^Test project/d; /^ *Start /d; /^$/d'
    count "$name"
}

# A run that ended without its last line has failed, whatever it was.
count() {
    numbers=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests* failed out of \([0-9]*\)$/\1 \2/p' "$log")
    if [ -z "$numbers" ]; then
        failed "the tests of build/$1 did not come to their end"
        return 0
    fi
    total_failed=$((total_failed + ${numbers% *}))
    total_passed=$((total_passed + ${numbers#* } - ${numbers% *}))
}

end() {
    echo "$total_passed passed, $total_failed failed"
    [ "$total_failed" -eq 0 ] && [ "$total_passed" -gt 0 ]
    exit $?
}

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="suppressions=$root/tests/support/tsan.supp"

# configuration NAME PATTERN TARGETS [CMAKE_OPTION ...]: builds it if it has what is asked
# for. No TARGETS are all of them.
configuration() {
    name=$1
    pattern=$2
    targets=$3
    shift 3
    [ -n "$(label_of "$pattern")" ] || return 0
    build "$name" "$targets" "$@" && run "$name" "$pattern"
}

# What was built before with the same flags is not built again. DEPEND: no second pass
# through the preprocessor where it was not. lld links a hundred programs in a third of the
# time.
launcher=
linker=
faster_builds() {
    ! command -v ccache >/dev/null || launcher=ccache
    ! command -v ld.lld >/dev/null || linker=-fuse-ld=lld
    export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
}

around=
if [ -n "$quick" ]; then
    packages_need $QUICK_PACKAGES || failed 'packages could not be installed'
    faster_builds
    configuration gcc 'unit|lint|headers|smoke' 'sandbox sbx tests_unit' -DCMAKE_C_COMPILER=gcc
    end
fi

packages_need $PACKAGES || failed 'packages could not be installed'
faster_builds
# Half of the time of a build under sanitisers is its optimiser's.
sanitised='-O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all'

# What needs servers runs once, under the sanitisers, unless all of it is asked for; the
# program's tests drive the plain build against the same servers.
plain='unit|cli|mcp|python|fuzz|lint|headers|install|smoke'
[ -z "$full$only" ] || plain='[a-z]+'

configuration gcc "$plain" '' -DCMAKE_C_COMPILER=gcc && run gcc valgrind -C valgrind

# The sanitisers of older compilers cannot bear the address layout of newer kernels.
if setarch "$(uname -m)" -R true 2>/dev/null; then
    around="setarch $(uname -m) -R"
fi

# The other compiler is the sanitisers'. Units run in one process each, which is looked over
# for leaks once.
memory="-fsanitize=address,undefined $sanitised"
export CK_FORK=no ASAN_OPTIONS="$ASAN_OPTIONS:leak_check_at_exit=1"
configuration asan unit tests_unit -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_FLAGS="$memory"
unset CK_FORK
ASAN_OPTIONS=${ASAN_OPTIONS%:*}
configuration asan 'integration|fuzz|threads' '' -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_FLAGS="$memory"

configuration tsan threads tests_threads -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_FLAGS="-fsanitize=thread $sanitised"
end
