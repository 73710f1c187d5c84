# readme_zh.sh - README.zh-CN.md has the parts, commands, code and links of README.md.
. "$TEST_SUPPORT/check.sh"

cd "$SBX_SOURCE" || exit 1

# A remark stands behind two blanks, and is in the page's own language.
commands_of() {
    sed -n 's/^    \([^ ].*\)/\1/p' "$1" | sed 's/  .*//'
}
code_of() {
    sed -n '/^```/,/^```/p' "$1"
}
links_of() {
    grep -o '](\([^)]*\))' "$1" | grep -v README | sort -u
}
words_of() {
    grep -o '`[^`]*`' "$1" | sort -u
}
parts_of() {
    grep -c '^## ' "$1"
}
first_example() {
    grep -n '^    ' "$1" | head -n 1 | cut -d: -f1
}

for what in commands code links words parts; do
    check "both pages have the same $what" equal "$(${what}_of README.zh-CN.md)" "$(${what}_of README.md)"
done
for page in README.md README.zh-CN.md; do
    check "$page comes to its first example on the first screen" test "$(first_example "$page")" -le 25
done
check_end
