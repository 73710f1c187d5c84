# abi.sh - the shared library exports what tests/abi/symbols.txt lists, no more, no less.
# `sh tests/lint/abi.sh --update` writes the list anew from the public headers.

source_root=${SBX_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
list=$source_root/tests/abi/symbols.txt

# A declaration ends in ';' and may take several lines; its name stands before the first '('.
declared() {
    cat "$source_root"/libsandbox/include/sandbox/*.h | tr '\n' ' ' |
        grep -oE 'SBX_API [^;(]*\(' | sed 's/ *($//; s/.*[ *]//' | grep '^sbx_' | LC_ALL=C sort -u
}

if [ "${1-}" = --update ]; then
    declared >"$list"
    exit 0
fi

. "$TEST_SUPPORT/check.sh"
library=$SBX_BUILD/libsandbox/libsandbox.so

exported() {
    nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVWi]/ { sub(/@.*/, "", $3); print $3 }' |
        LC_ALL=C sort -u
}

# same A B: prints what is in one of the two texts only.
same() {
    printf '%s\n' "$1" >"$work/a"
    printf '%s\n' "$2" >"$work/b"
    diff "$work/a" "$work/b"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
check 'the list is what the headers declare' same "$(cat "$list")" "$(declared)"
check 'the library exports what is listed' same "$(cat "$list")" "$(exported)"
check 'nothing else is exported' test -z "$(exported | grep -v '^sbx_')"
check 'each name is of version SANDBOX_0.1' test -z \
    "$(nm -D --defined-only "$library" | awk '$2 == "T"' | grep -v '@@SANDBOX_0\.1')"
check 'the name of the library carries its ABI' contains \
    "$(readelf -d "$library" | grep SONAME)" '[libsandbox.so.0]'
check_end
