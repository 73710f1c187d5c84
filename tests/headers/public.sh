# public.sh - each public header compiles alone, twice, as C99, C11 and C++17.
. "$TEST_SUPPORT/check.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
include=$SBX_SOURCE/libsandbox/include

# compiles COMPILER STANDARD FILE
compiles() {
    "$1" "-std=$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$include" "$3"
}

for header in "$include"/sandbox/*.h; do
    name=$(basename "$header")
    echo "#include <sandbox/$name>
#include <sandbox/$name>
int nothing_else_is_here;" >"$work/alone.c"
    cp "$work/alone.c" "$work/alone.cpp"
    check "$name is c99" compiles gcc c99 "$work/alone.c"
    check "$name is c11" compiles gcc c11 "$work/alone.c"
    check "$name is c++17" compiles g++ c++17 "$work/alone.cpp"
    [ "$name" != sandbox.h ] || {
        check 'all of them are c99 for clang' compiles clang c99 "$work/alone.c"
        check 'all of them are c11 for clang' compiles clang c11 "$work/alone.c"
        check 'all of them are c++17 for clang' compiles clang++ c++17 "$work/alone.cpp"
    }
    [ "$name" = sandbox.h ] ||
        check "$name is in the umbrella" grep -q "<sandbox/$name>" "$include/sandbox/sandbox.h"
done
check_end
