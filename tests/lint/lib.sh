# lib.sh - which files the rules are for.
. "$TEST_SUPPORT/check.sh"

# c_files FOLDER...: the C files there, a line each. What is built in the tree, as pip does
# with the Python package, is nobody's to format.
c_files() {
    find "$@" -name '*.[ch]' ! -path 'build/*' ! -path '*/build/*' 2>/dev/null | sort
}
