# agents.sh - Claude Code and Gemini CLI start the server from what `sbx mcp config` says, and
# reach it. Both are fetched for this test alone; neither is logged in, nor has to be.
. "$(dirname "$0")/lib.sh"
unset CLAUDECODE CLAUDE_CODE_ENTRYPOINT

mkdir "$T/npm" && cd "$T/npm" || exit 1
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --loglevel=error --cache "$T/cache" \
    @anthropic-ai/claude-code @google/gemini-cli >"$T/err" 2>&1
check 'they are fetched' equal "$? $(grep -c ERR "$T/err")" '0 0'
PATH=$T/npm/node_modules/.bin:$PATH
cd "$T/work" || exit 1

"$SBX" mcp config claude-code 2>/dev/null >"$T/command"
timeout 60 sh "$T/command" </dev/null >"$T/out" 2>&1
check 'Claude Code takes the command that is printed for it' equal $? 0
timeout 60 claude mcp list </dev/null >"$T/out" 2>&1
check 'and connects' contains "$(cat "$T/out")" 'Connected'
timeout 60 claude mcp remove sandbox </dev/null >/dev/null 2>&1
"$SBX" mcp config claude-code --write 2>/dev/null
timeout 60 claude mcp get sandbox </dev/null >"$T/out" 2>&1
check 'it finds the one that is written for a project too' contains "$(cat "$T/out")" '.mcp.json'

"$SBX" mcp config gemini --write 2>/dev/null
printf '{"%s": "TRUST_FOLDER"}' "$T/work" >"$HOME/.gemini/trustedFolders.json"
timeout 100 gemini mcp list </dev/null >"$T/out" 2>&1
check 'Gemini CLI connects' contains "$(cat "$T/out")" 'Connected'
check_end
