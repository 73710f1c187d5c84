# format.sh - every C file is as clang-format would write it.
. "$TEST_SUPPORT/check.sh"

cd "$SBX_SOURCE" || exit 1

formatted() {
    find libsandbox cli mcp-stdio bindings tests docs -name '*.[ch]' -print0 |
        xargs -0 clang-format --dry-run -Werror
}

check 'clang-format has nothing to say' formatted
check_end
