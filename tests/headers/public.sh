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
    for standard in c99 c11; do
        check "$name is $standard for gcc" compiles gcc $standard "$work/alone.c"
        check "$name is $standard for clang" compiles clang $standard "$work/alone.c"
    done
    check "$name is c++17 for g++" compiles g++ c++17 "$work/alone.cpp"
    check "$name is c++17 for clang++" compiles clang++ c++17 "$work/alone.cpp"
    [ "$name" = sandbox.h ] ||
        check "$name is in the umbrella" grep -q "<sandbox/$name>" "$include/sandbox/sandbox.h"
done
check_end
