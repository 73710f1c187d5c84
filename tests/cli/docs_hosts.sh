# docs_hosts.sh - the lists in docs/hosts.md are lists, and its table has every key.
. "$(dirname "$0")/lib.sh"

blocks=0
awk -v base="$T/block" '/^```json$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > base n ".json" }' \
    "$SBX_SOURCE/docs/hosts.md"
for block in "$T"/block*.json; do
    blocks=$((blocks + 1))
    chmod 600 "$block"
    run -F none --config "$block" host ls
    check "example $blocks is a list" equal "$status $err" '0 '
    names=$(sed -n 's/.*"name": "\([^"]*\)".*/\1/p' "$block")
    for name in $names; do
        run -F none --config "$block" host show "$name"
        check "  and has $name" equal "$status $err" '0 '
    done
done
check 'there are examples' test "$blocks" -ge 8

keys=$(sed -n 's/^    {"\([a-z_]*\)", cJSON_.*/\1/p' "$SBX_SOURCE/libsandbox/src/session/host_entry.c")
check 'there are keys' test "$(echo "$keys" | wc -l)" -ge 18
for key in $keys; do
    check "the table has $key" grep -q "^| \`$key\` |" "$SBX_SOURCE/docs/hosts.md"
done
check_end
