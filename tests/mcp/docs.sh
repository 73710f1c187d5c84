# docs.sh - the page tells the tools as a client sees them, and the blocks for clients hold.
. "$(dirname "$0")/lib.sh"
page=$SBX_SOURCE/docs/mcp.md

"$SBX" mcp tools >"$T/tools"
sed -n '/^## Tools$/,$p' "$page" | tail -n +3 >"$T/told"
check 'the tools stand in docs/mcp.md as `sbx mcp tools` prints them' cmp "$T/tools" "$T/told"
"$SBX_MCP" tools >"$T/same"
check 'sbx-mcp prints the same' cmp "$T/tools" "$T/same"
for name in $(sed -n 's/^### //p' "$T/tools"); do
    check "docs/SKILL.md or the page tells of $name" grep -q "$name" "$page"
done
check 'the skill names no tool that there is not' equal \
    "$(grep -o '`[a-z]*_[a-z]*`' "$SBX_SOURCE/docs/SKILL.md" | tr -d '\`' | sort -u |
        while read -r word; do grep -q "$word" "$T/tools" || echo "$word"; done)" ''

for client in claude-desktop gemini cursor vscode; do
    "$SBX" mcp config "$client" 2>"$T/err" >"$T/out"
    key=mcpServers
    [ "$client" != vscode ] || key=servers
    check "$client: the block is JSON that names this program" equal \
        "$(jq -r ".$key.sandbox | .command, .args[]" "$T/out" | tr '\n' ' ')" "$(readlink -f "$SBX") mcp "
done
SSH_AUTH_SOCK="/tmp/an agent's" "$SBX" mcp config claude-code >"$T/out" 2>/dev/null
claude() { printf '%s\n' "$*"; }
check 'claude-code: the command is one that a shell reads' equal "$(eval "$(cat "$T/out")")" \
    "mcp add --scope user sandbox -e SSH_AUTH_SOCK=/tmp/an agent's -- $(readlink -f "$SBX") mcp"
"$SBX_MCP" config codex -F "$T/x" >"$T/out" 2>/dev/null
check 'codex: the block is TOML' equal "$(python3 -c 'import sys, tomllib
server = tomllib.load(open(sys.argv[1], "rb"))["mcp_servers"]["sandbox"]
print(server["command"], server["args"])' "$T/out")" "$(readlink -f "$SBX_MCP") ['-F', '$T/x']"

mkdir -p "$HOME/.cursor"
echo '{"other": 1, "mcpServers": {"mine": {"command": "x"}}}' >"$HOME/.cursor/mcp.json"
"$SBX" mcp config cursor --write 2>/dev/null
check '--write adds it beside what is there' equal \
    "$(jq -c '[.other, .mcpServers.mine.command, .mcpServers.sandbox.args]' "$HOME/.cursor/mcp.json")" '[1,"x",["mcp"]]'
"$SBX" mcp config codex --write 2>/dev/null
"$SBX" mcp config codex --write 2>"$T/err"
check 'a block that is there already is left' equal "$? $(grep -c sandbox "$HOME/.codex/config.toml")" '2 1'
echo '// comment' >"$HOME/.cursor/mcp.json"
"$SBX" mcp config cursor --write 2>"$T/err"
check 'a file that is not plain JSON is left as it is' equal "$? $(cat "$HOME/.cursor/mcp.json")" '2 // comment'
"$SBX" mcp config emacs 2>"$T/err"
check 'an unknown client is told, with those there are' equal "$? $(grep -c vscode "$T/err")" '2 1'
"$SBX" mcp nonsense 2>"$T/err"
check 'an unknown word is a usage error' equal $? 2
check '`sbx mcp` serves as sbx-mcp does' contains \
    "$(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$SBX" mcp)" '"id":1,"result":{}'
check_end
