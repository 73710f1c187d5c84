# run.sh - what `cmake --install` leaves behind serves a stranger: by pkg-config, by
# CMake, shared and static, from the prefix and from below a DESTDIR.
. "$TEST_SUPPORT/check.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
example=$SBX_SOURCE/docs/examples/run_command.c

install_tree() {
    cmake --install "$SBX_BUILD" --prefix "$prefix" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}

# A build whose libraries are sanitised needs the same of those who link them.
flags=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$SBX_BUILD/CMakeCache.txt")
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$SBX_BUILD/CMakeCache.txt")

# says_hello PROGRAM...: it runs the example's command on this machine.
says_hello() {
    contains "$("$@" local 'echo hello' 2>&1)" 'hello
local: exited, exit code 0'
}

with_pkg_config() {
    "$compiler" -std=c11 $flags "$example" -o "$work/shared" $(pkg-config --cflags --libs libsandbox)
}

# Where both kinds lie side by side a linker takes the shared one, unless told by name.
with_pkg_config_static() {
    "$compiler" -std=c11 $flags "$example" -o "$work/static" \
        $(pkg-config --cflags --libs --static libsandbox | sed 's/-lsandbox/-l:libsandbox.a/')
}

needs_library() {
    readelf -d "$1" | grep -q 'NEEDED.*libsandbox\.so\.0'
}

with_cmake() {
    cmake -S "$SBX_SOURCE/tests/install/consumer" -B "$work/consumer" -G Ninja \
        -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLE="$example" -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_C_FLAGS="$flags" >"$work/log" 2>&1 &&
        cmake --build "$work/consumer" >>"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}

check 'it installs into a prefix' install_tree
libraries=$(dirname "$(find "$prefix" -name libsandbox.a)")
export PKG_CONFIG_PATH="$libraries/pkgconfig"
check 'pkg-config knows the version' equal "$(pkg-config --modversion libsandbox)" 0.1.0
check 'every public header is there' equal "$(ls "$prefix/include/sandbox")" \
    "$(ls "$SBX_SOURCE/libsandbox/include/sandbox")"
check 'pkg-config links the shared library' with_pkg_config
check 'which the program then needs' needs_library "$work/shared"
check 'and it runs' says_hello env LD_LIBRARY_PATH="$libraries" "$work/shared"
# compiled SOURCE: as pkg-config says, and so it runs.
compiled() {
    "$compiler" -std=c11 $flags "$1" -o "$work/program" $(pkg-config --cflags --libs libsandbox)
}
compiled_runs() {
    LD_LIBRARY_PATH="$libraries" "$work/program" "$@" 2>&1
}
HOME=$work/home
XDG_STATE_HOME=$work/state
export HOME XDG_STATE_HOME
mkdir -p "$HOME" "$work/tree"
echo x >"$work/tree/x"
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$SBX_SOURCE/docs/c-api.md" >"$work/hello.c"
check 'the program of docs/c-api.md compiles' compiled "$work/hello.c"
check '  and says what it should' equal "$(compiled_runs)" "exited: $(uname -s)"
# The lines of the pages, as they stand there; cc is the compiler of this build.
mkdir "$work/bin"
printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$compiler" "$flags" >"$work/bin/cc"
chmod 755 "$work/bin/cc"
# line_of PAGE BEGINNING: without its remark.
line_of() {
    sed -n "s/^    \($2.*\)/\1/p" "$SBX_SOURCE/$1" | sed 's/   .*//'
}
in_work() {
    (cd "$work" && PATH=$work/bin:$PATH eval "$1")
}
check '  by the line of the page, too' in_work "$(line_of docs/c-api.md 'cc hello')"
check '  which makes a program' equal "$(LD_LIBRARY_PATH="$libraries" "$work/hello" 2>&1)" "exited: $(uname -s)"
static_of_page=$(sed -n 's/^one library: `\(.*\)`\.$/\1/p' "$SBX_SOURCE/docs/c-api.md")
check '  and by the words for the static library' in_work "cc hello.c $static_of_page -o hello_static"
check '  which needs no other' eval '! needs_library "$work/hello_static"'
mkdir "$work/page"
{
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(hello LANGUAGES C)\nadd_executable(hello ../hello.c)\n'
    line_of docs/c-api.md find_package
    line_of docs/c-api.md target_link_libraries
} >"$work/page/CMakeLists.txt"
check 'so does the CMake of the page' in_work "cmake -S page -B page/build -DCMAKE_PREFIX_PATH='$prefix' \
    -DCMAKE_C_COMPILER='$compiler' -DCMAKE_C_FLAGS='$flags' >log && cmake --build page/build >>log"
{
    printf '#include <stdio.h>\n#include <sandbox/sandbox.h>\nint main(void)\n{\n'
    printf 'sbx_hosts *hosts; sbx_session *session; sbx_exec_result *result; sbx_error err;\n'
    awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on && !/^#/' "$SBX_SOURCE/README.md" |
        sed 's/"gpu1"/"local"/; s/nvidia-smi -L/echo hi/'
    printf 'return 0;\n}\n'
} >"$work/program.c"
check 'the piece of README compiles by the line of README' in_work "$(line_of README.md 'cc program')"
check '  and says how it ended' equal "$(LD_LIBRARY_PATH="$libraries" "$work/a.out")" 'exited: hi'
check 'the example of a folder compiles' compiled "$SBX_SOURCE/docs/examples/sync_folder.c"
check '  and brings it' eval 'compiled_runs "$work/tree" local "$work/there" >/dev/null && cmp "$work/tree/x" "$work/there/x"'
check 'the example of a job compiles' compiled "$SBX_SOURCE/docs/examples/job_run.c"
check '  and tells its log and its end' equal "$(compiled_runs local 'echo hi; exit 3' | sed 's/^.*: exited/exited/')" 'hi
exited 3'
check 'the example of a GPU compiles' compiled "$SBX_SOURCE/docs/examples/pick_gpu.c"
check '  and where there is none says why' contains "$(PATH=/usr/bin:/bin compiled_runs true local)" 'local: '
check 'the ABI can be compared' cmake --build "$SBX_BUILD" --target abi
check 'pkg-config links the static library' with_pkg_config_static
check 'and the program needs no other' eval '! needs_library "$work/static"'
check 'and it runs alone' says_hello "$work/static"
check 'a CMake project finds both' with_cmake
check 'its shared program runs' says_hello "$work/consumer/shared"
check 'its static program runs' says_hello "$work/consumer/static"
check 'and needs no other' eval '! needs_library "$work/consumer/static"'
if [ -n "${SBX-}" ]; then
    check 'the installed program finds its library' contains \
        "$("$prefix/bin/$(basename "$SBX")" exec local 'echo hello' 2>&1)" hello
    check 'the MCP server is installed, and needs no library of ours' contains \
        "$(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$prefix/bin/$(basename "$SBX")-mcp")$(
            needs_library "$prefix/bin/$(basename "$SBX")-mcp" && echo ' needs it')" '"result":{}}'
fi

mv "$prefix" "$work/moved"
PKG_CONFIG_PATH=$work/moved${libraries#"$prefix"}/pkgconfig
check 'a tree that was moved still serves' with_pkg_config
DESTDIR=$work/stage cmake --install "$SBX_BUILD" --prefix /usr >/dev/null
check 'DESTDIR goes ahead of the prefix' test -f "$work/stage/usr/include/sandbox/sandbox.h"
check_end
