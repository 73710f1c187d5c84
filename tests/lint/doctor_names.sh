# doctor_names.sh - the check that an error names is one that the doctor has.
. "$TEST_SUPPORT/check.sh"
cd "$SBX_SOURCE" || exit 1

rows=$(sed -n 's/^ *{"\([a-z-]*\)", [A-Z0 |_]*, sbi_judge.*/\1/p' libsandbox/src/doctor/checks.c)
check 'there are checks' test "$(echo "$rows" | wc -l)" -gt 20

# The words that stand alone as the third argument of sbi_fix; an argument in front may
# be a call.
named=$({ find libsandbox/src -name '*.c' -exec cat {} + | tr '\n' ' ' |
    sed 's/sbi_fix(/\n&/g' | sed -n 's/^sbi_fix([^;]*, "\([a-z-]*\)", *[^;]*;.*/\1/p'
    grep -o '{SBX_ERR_[A-Z_]*, "[a-z-]*"}' libsandbox/src/base/error.c | sed 's/.*"\(.*\)".*/\1/' |
        sort -u; } | sort -u)
check 'errors name some' test "$(echo "$named" | wc -l)" -gt 8
for name in $named; do
    check "'$name' is one" equal "$(echo "$rows" | grep -cx -e "$name")" 1
done
for name in $rows; do
    check "the page tells of '$name'" grep -q "^|.*\`$name\`" docs/doctor.md
done
check_end
