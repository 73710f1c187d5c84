# links.sh - what a page links to, in the repository, is there.
. "$TEST_SUPPORT/check.sh"

cd "$SBX_SOURCE" || exit 1
pages=$(git ls-files '*.md' 2>/dev/null) || pages=$(find . -name '*.md' ! -path './build/*')
check 'there are pages' test "$(echo "$pages" | wc -l)" -gt 15
for page in $pages; do
    missing=$(grep -o ']([^)#:]*[)#]' "$page" | sed 's/^](//; s/[)#]$//' | sort -u |
        while read -r target; do
            [ -z "$target" ] || [ -e "$(dirname "$page")/$target" ] || echo "$target"
        done)
    check "$page" equal "$missing" ''
done
check_end
