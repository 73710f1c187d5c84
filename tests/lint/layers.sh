# layers.sh - every #include goes down, as layers.txt says, and no files go in a circle.
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
lint=$SBX_SOURCE/tests/lint

# in_layers TREE: prints what breaks the rules and fails, or is silent.
in_layers() (
    cd "$1" || exit 1
    : >"$work/edges"
    c_files libsandbox cli mcp-stdio bindings |
        xargs grep -Hn '^[[:space:]]*#[[:space:]]*include' >"$work/includes"
    [ -s "$work/includes" ] || { echo "no includes found"; exit 1; }
    awk -v edges="$work/edges" -f "$lint/layers.awk" "$lint/layers.txt" "$work/includes" ||
        exit 1
    # tsort names the files of a circle on its standard error.
    tsort "$work/edges" >/dev/null
)

# planted FILE LINE: the rules must refuse a tree in which FILE has LINE as well.
planted() {
    rm -rf "$work/tree"
    mkdir "$work/tree"
    (cd "$SBX_SOURCE" && tar -cf - libsandbox) | tar -xf - -C "$work/tree"
    mkdir -p "$work/tree/$(dirname "$1")"
    echo "$2" >>"$work/tree/$1"
    ! in_layers "$work/tree" >"$work/said" 2>&1 && grep -q "$3" "$work/said"
}

check 'the tree keeps to its layers' in_layers "$SBX_SOURCE"
check 'an include upwards is found' planted libsandbox/src/base/str.c \
    '#include "session/host.h"' "may not include 'session'"
check 'features do not include one another' planted libsandbox/src/job/job.c \
    '#include "sync/plan.h"' "may not include 'sync'"
check 'another door to libssh is found' planted libsandbox/src/session/session.c \
    '#include <libssh/libssh.h>' 'the door to it is'
check 'an unknown library is found' planted libsandbox/src/base/str.c \
    '#include <glib/glib.h>' 'no door is stated'
check 'the umbrella inside is found' planted libsandbox/src/session/host.c \
    '#include <sandbox/sandbox.h>' 'no umbrella'
check 'a front end that reaches inside is found' planted cli/main.c \
    '#include "base/str.h"' 'a front end includes'
check 'a circle is found' planted libsandbox/src/base/error.h \
    '#include "base/str.h"' 'loop'
check 'an unknown folder is found' planted libsandbox/src/misc/x.c \
    '#include "base/str.h"' 'not in layers.txt'
check_end
