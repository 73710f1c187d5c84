# abi.sh - the target abi names what would break a program linked with an older library, and
# is content with a function that is new.
#
# The older one is made of a copy of the tree; then the copy is changed. A few folders of the
# library are enough for it.
. "$TEST_SUPPORT/check.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
library=$work/tree/libsandbox
headers=$library/include/sandbox
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$SBX_BUILD/CMakeCache.txt")

copy_tree() {
    rm -rf "$work/tree"
    mkdir -p "$library/src" &&
        cp "$SBX_SOURCE/CMakeLists.txt" "$work/tree" &&
        cp -R "$SBX_SOURCE/pkgconfig" "$work/tree" &&
        for part in CMakeLists.txt libsandbox.map include src/base src/transport src/session; do
            cp -R "$SBX_SOURCE/libsandbox/$part" "$library/$part" || return 1
        done &&
        rm "$library"/src/transport/*.c
}

# built [CMAKE_OPTION ...]: an address that moved is none that changed, so unoptimised will do.
built() {
    { cmake -G Ninja -S "$work/tree" -B "$work/build" -DSANDBOX_TESTS=OFF \
        -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS='-g -O0' "$@" &&
        cmake --build "$work/build" --target sandbox; } >"$work/log" 2>&1 ||
        { grep error: "$work/log"; return 1; }
}

# compared: what the target says, and its status.
compared() {
    said=$(cmake --build "$work/build" --target abi 2>&1)
    status=$?
}

# edit FILE SED_SCRIPT: 1 where the script changes nothing.
edit() {
    cp "$1" "$work/before"
    sed "$2" "$work/before" >"$1"
    ! cmp -s "$work/before" "$1"
}

add_function() {
    edit "$headers/api.h" 's/^SBX_API void sbx_free.*/&\nSBX_API void sbx_new_one(void);/' &&
        printf '\nvoid sbx_new_one(void)\n{\n}\n' >>"$library/src/base/api.c"
}

# A member that moved to the end, another type of a parameter, a function that is gone.
break_it() {
    edit "$headers/exec.h" '/^typedef struct sbx_exec_result/,/^}/ {
        /^    const char \*place;/d
        s/^} sbx_exec_result;/    const char *place;\n&/
    }' &&
        for file in "$headers/output.h" "$library/src/session/output_list.c"; do
            edit "$file" 's/sbx_output_list(int64_t most/sbx_output_list(int32_t most/' ||
                return 1
        done &&
        edit "$headers/api.h" 's/sbx_version/sbx_number/' &&
        edit "$library/src/base/api.c" 's/sbx_version/sbx_number/'
}

check 'a copy of the tree is built' eval 'copy_tree && built'
cp "$work/build/libsandbox/libsandbox.so" "$work/older.so"
check 'one function more is built' eval 'add_function && built -DSANDBOX_ABI_BASE="$work/older.so"'
compared
check '  and serves who was linked with the older one' equal "$status" 0
check 'what would break a program is built' eval 'copy_tree && break_it && built'
compared
check '  and the target fails' eval '[ "$status" -ne 0 ]'
while read -r told; do
    check "  and names: $told" contains "$said" "$told"
done <<END
place' offset changed
'function int sbx_output_list(
typedef name changed from int64_t to int32_t
[D] 'function const char* sbx_version()'
END
check_end
