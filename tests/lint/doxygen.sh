# doxygen.sh - doxygen finds a sentence at each public function, struct, enum and constant,
# and nothing in the headers that it cannot read.
. "$TEST_SUPPORT/check.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$SBX_SOURCE" || exit 1
{
    cat docs/Doxyfile
    echo "OUTPUT_DIRECTORY = $work"
} >"$work/Doxyfile"
doxygen "$work/Doxyfile" >"$work/said" 2>&1
check 'it reads them' equal $? 0
# A member whose name and type say all has no sentence; all else has one.
grep -v 'Member .* (variable) of struct .* is not documented' "$work/said" >"$work/missing"
check 'each symbol is told of' test ! -s "$work/missing"
cat "$work/missing"
check 'there are pages of them' test "$(ls "$work"/html/structsbx__* | wc -l)" -gt 30
check_end
