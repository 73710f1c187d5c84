# format.sh - every C file is as clang-format would write it.
. "$(dirname "$0")/lib.sh"

cd "$SBX_SOURCE" || exit 1

formatted() {
    c_files libsandbox cli mcp-stdio bindings tests docs |
        xargs clang-format --dry-run -Werror
}

check 'clang-format has nothing to say' formatted

T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
mkdir -p "$T/bindings/python/build/temp"
touch "$T/bindings/python/build/temp/made.c" "$T/bindings/written.c"
check 'what pip has built in the tree is not looked at' equal "$(cd "$T" && c_files bindings)" bindings/written.c
check_end
